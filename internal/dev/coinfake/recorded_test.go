package coinfake

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// step is a question to a real node, and its answer.
type step struct {
	Method string
	Params []any
	HTTP   int
	Answer json.RawMessage
	Note   string
}

// unsaid are keys that real nodes answer and the fakes do not.
var unsaid = map[string][]string{
	"getnetworkinfo": {"localservices", "localservicesnames", "localrelay", "timeoffset", "connections_in", "connections_out", "networks",
		"softdustlimit", "harddustlimit", "excessutxocharge", "localaddresses", "txnpropagationfreq", "txnpropagationqlen",
		"addresscount", "streampolicies", "minconsolidationfactor", "maxconsolidationinputscriptsize", "minconfconsolidationinput",
		"minconsolidationinputmaturity", "acceptnonstdconsolidationinput"},
	"getblockchaininfo": {"size_on_disk", "softforks", "bip9_softforks", "warnings"},
	"getblockheader":    {"ablastate", "status", "receivedTime"},
	"getblock":          {"ablastate", "status"},
	"getmempoolinfo": {"usage", "maxmempool", "unbroadcastcount", "journalsize", "nonfinalsize", "usagedisk", "usagecpfp", "nonfinalusage",
		"maxmempoolsizedisk", "maxmempoolsizecpfp"},
	"getrawmempool": {"ancestor", "descendant", "ancestorcount", "ancestorsize", "ancestorfees", "descendantcount", "descendantsize",
		"descendantfees", "startingpriority", "currentpriority", "unbroadcast"},
}

// passing are keys whose values are of the moment: of a clock, a random number or a machine.
var passing = []string{"time", "mediantime", "blocktime", "nonce", "nonceUint32", "warnings", "protocolversion", "verificationprogress",
	"addresses", "address"}

var hash = regexp.MustCompile(`^[0-9a-f]{64}$`)

// play is a recorded dialogue that is held with a fake.
type play struct {
	*testing.T
	node   *Node
	method string
	hashes map[string]string // the fake's blocks by the recorded ones
}

// TestRecordedDialogues asks the fakes what real nodes were asked, in the same order. Their answers have the same keys in the same
// order, the same kinds, the same codes and texts, and the same values but for times and the hashes of blocks.
func TestRecordedDialogues(t *testing.T) {
	for network := range coins {
		t.Run(network, func(t *testing.T) {
			t.Parallel()
			recorded := read(t, network)
			p := &play{T: t, node: Start(t, network), hashes: map[string]string{}}
			mined := false
			for i, s := range recorded.Dialogue {
				p.step(i, s)
				if s.Method == "generatetoaddress" && !mined {
					// The recording leaves out how the chain got its 261 blocks.
					p.ask("generatetoaddress", []any{260, recorded.Addresses[0]})
					mined = true
				}
			}
		})
	}
}

// recording is what a real node was asked and has answered.
type recording struct {
	Addresses []string
	Dialogue  []step
}

func read(t *testing.T, network string) (r recording) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", strings.ToLower(network)+".json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &r); err != nil || len(r.Dialogue) < 50 {
		t.Fatalf("%d steps, %v", len(r.Dialogue), err)
	}
	return r
}

func (p *play) step(i int, s step) {
	p.Helper()
	p.method = s.Method
	status, answer := p.ask(s.Method, p.translate(s.Params).([]any))
	where := fmt.Sprintf("step %d, %s (%s)", i, s.Method, s.Note)
	if status != s.HTTP {
		p.Errorf("%s: status %d, want %d: %.300s", where, status, s.HTTP, answer)
		return
	}
	if keys, _ := parts(s.Answer); slices.Contains(keys, "cut") {
		return // the recording has only its beginning
	}
	p.same(where, "", s.Answer, answer)
}

// ask asks the fake.
func (p *play) ask(method string, params []any) (int, json.RawMessage) {
	p.Helper()
	question, err := json.Marshal(map[string]any{"jsonrpc": "1.0", "id": 1, "method": method, "params": params})
	if err != nil {
		p.Fatal(err)
	}
	got, err := http.Post(p.node.URL, "application/json", bytes.NewReader(question))
	if err != nil {
		p.Fatal(err)
	}
	defer func() { _ = got.Body.Close() }()
	var answer json.RawMessage
	if err := json.NewDecoder(got.Body).Decode(&answer); err != nil {
		p.Fatal(err)
	}
	return got.StatusCode, answer
}

// translate puts the fake's hashes in the place of the recorded ones.
func (p *play) translate(recorded any) any {
	switch v := recorded.(type) {
	case string:
		if ours, ok := p.hashes[v]; ok {
			return ours
		}
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = p.translate(v[i])
		}
		return out
	}
	return recorded
}

// same fails unless two answers are the same.
func (p *play) same(where, key string, want, got json.RawMessage) {
	p.Helper()
	keys, values := parts(want)
	if keys == nil {
		p.sameValue(where, key, want, got)
		return
	}
	keys = slices.DeleteFunc(keys, func(k string) bool {
		return slices.Contains(unsaid[p.method], k) || p.method == "getmempoolentry" && slices.Contains(unsaid["getrawmempool"], k)
	})
	gotKeys, gotValues := parts(got)
	if !slices.Equal(keys, gotKeys) {
		p.Errorf("%s: keys of %q %v, want %v", where, key, gotKeys, keys)
		return
	}
	for _, k := range keys {
		p.same(where, k, values[k], gotValues[k])
	}
}

func (p *play) sameValue(where, key string, want, got json.RawMessage) {
	p.Helper()
	var wanted, gotten any
	if json.Unmarshal(want, &wanted) != nil || json.Unmarshal(got, &gotten) != nil {
		p.Fatalf("%s: %q: %s or %s is no JSON", where, key, want, got)
	}
	if reflect.TypeOf(wanted) != reflect.TypeOf(gotten) {
		p.Errorf("%s: %q is %s, want %s", where, key, got, want)
		return
	}
	if list, ok := wanted.([]any); ok {
		p.sameList(where, key, list, gotten.([]any))
		return
	}
	if slices.Contains(passing, key) || reflect.DeepEqual(wanted, gotten) {
		return
	}
	text, isText := wanted.(string)
	ours, _ := gotten.(string)
	switch {
	case isText && hash.MatchString(text) && hash.MatchString(ours) && key != "txid" && key != "tx" && key != "merkleroot":
		if known, ok := p.hashes[text]; ok && known != ours {
			p.Errorf("%s: %q is block %s, and was %s before", where, key, ours, known)
		}
		p.hashes[text] = ours
	case p.method == "getblock" && key == "result" && isText && sameBlock(text, ours):
	case key == "message" && strings.HasPrefix(text, "estimatefee") && strings.HasPrefix(text, ours):
		// The help has more lines.
	default:
		p.Errorf("%s: %q is %s, want %s", where, key, got, want)
	}
}

func (p *play) sameList(where, key string, want, got []any) {
	p.Helper()
	if len(want) != len(got) {
		p.Errorf("%s: %d of %q, want %d", where, len(got), key, len(want))
		return
	}
	for i := range want {
		p.same(where, key, marshal(want[i]), marshal(got[i]))
	}
}

// sameBlock reports whether two raw blocks differ in time and nonce alone.
func sameBlock(a, b string) bool {
	const before, timed, rest = 2 * 68, 2 * 4, 2 * 20
	if len(a) != len(b) || a[:before] != b[:before] {
		return false
	}
	differ := 0
	for i := before; i < len(a); i++ {
		if a[i] != b[i] {
			differ++
			if i > before+timed+2*(28+4+4+4+32) {
				return false
			}
		}
	}
	return differ > 0 && differ <= timed+rest
}

func marshal(v any) json.RawMessage {
	out, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return out
}

// parts are the keys of an object in their order, and its values; nil of all else.
func parts(raw json.RawMessage) (keys []string, values map[string]json.RawMessage) {
	if json.Unmarshal(raw, &values) != nil || values == nil {
		return nil, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	_, _ = decoder.Token()
	keys = []string{}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return nil, nil
		}
		var value json.RawMessage
		if decoder.Decode(&value) != nil {
			return nil, nil
		}
		keys = append(keys, key.(string))
	}
	return keys, values
}
