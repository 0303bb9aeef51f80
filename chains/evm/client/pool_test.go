package client

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	logtest "github.com/sirupsen/logrus/hooks/test"

	"causeway/internal/dev/testkit"
)

// fake is a node that is none: it answers headers of its own, and fails as its test says.
type fake struct {
	sync.Mutex
	url    string
	height int64
	made   time.Time // of its best block
	salt   int       // of its hashes
	asked  []string  // methods, with the block
	fails  func(w http.ResponseWriter, method string) bool
}

func newFake(t *testing.T) *fake {
	t.Helper()
	f := &fake{height: 100, made: time.Now()}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	f.url = server.URL + "/key-of-a-provider"
	return f
}

// set changes the node.
func (f *fake) set(change func(f *fake)) {
	f.Lock()
	defer f.Unlock()
	change(f)
}

func (f *fake) asks() int {
	f.Lock()
	defer f.Unlock()
	return len(f.asked)
}

// ServeHTTP implements http.Handler.
func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.Lock()
	defer f.Unlock()
	body, _ := io.ReadAll(r.Body)
	var many []request
	if json.Unmarshal(body, &many) != nil {
		many = make([]request, 1)
		_ = json.Unmarshal(body, &many[0])
	}
	answers := make([]string, 0, len(many))
	for _, q := range many {
		f.asked = append(f.asked, q.Method)
		if f.fails != nil && f.fails(w, q.Method) {
			return
		}
		answers = append(answers, fmt.Sprintf(`{"id":%d,"result":%s}`, q.ID, f.header(q)))
	}
	if len(many) == 1 {
		_, _ = io.WriteString(w, answers[0])
		return
	}
	_, _ = io.WriteString(w, "["+strings.Join(answers, ",")+"]")
}

func (f *fake) header(q request) string {
	height := f.height
	if len(q.Params) > 0 && strings.HasPrefix(fmt.Sprint(q.Params[0]), "0x") {
		_, _ = fmt.Sscanf(fmt.Sprint(q.Params[0]), "0x%x", &height)
	}
	if height > f.height {
		return "null"
	}
	made := f.made.Add(time.Duration(height-f.height) * time.Second).Unix()
	return fmt.Sprintf(`{"number":"%#x","hash":"0x%064x","parentHash":"0x%064x","timestamp":"%#x"}`, height, height+int64(f.salt)<<40, height, made)
}

func pooled(t *testing.T, fakes ...*fake) (*Pool, *logtest.Hook) {
	t.Helper()
	addresses := make([]string, len(fakes))
	for i, f := range fakes {
		addresses[i] = f.url
	}
	log, said := logtest.NewNullLogger()
	p := NewPool(addresses, Settings{Timeout: 5 * time.Second, Batch: 8, Log: log})
	t.Cleanup(p.Close)
	return p, said
}

func (p *Pool) blockNumber(t *testing.T) error {
	var h *Header
	return p.Call(t.Context(), &h, "eth_getBlockByNumber", "latest", false)
}

func status(code int, after string) func(http.ResponseWriter, string) bool {
	return func(w http.ResponseWriter, _ string) bool {
		w.Header().Set("Retry-After", after)
		w.WriteHeader(code)
		return true
	}
}

func used(p *Pool) int {
	for i, n := range p.Nodes() {
		if n.Used {
			return i + 1
		}
	}
	return 0
}

// TestTheNextNodeIsAsked: the first node is asked while it answers. Whatever its failure, the same question goes to the next at
// once, and the first node is asked again after a while. The log names nodes by number, without the key.
//
// Covers operator §Settings: Of several nodes the first one in order is asked
func TestTheNextNodeIsAsked(t *testing.T) {
	t.Parallel()
	for name, fails := range map[string]func(http.ResponseWriter, string) bool{
		"a full server": status(http.StatusServiceUnavailable, ""),
		"a fault":       status(http.StatusInternalServerError, ""),
		"a rate limit":  status(http.StatusTooManyRequests, ""),
		"no JSON":       func(w http.ResponseWriter, _ string) bool { _, _ = io.WriteString(w, "<html>"); return true },
		"a cut answer":  func(http.ResponseWriter, string) bool { panic(http.ErrAbortHandler) },
		"a limit inside": func(w http.ResponseWriter, _ string) bool {
			_, _ = io.WriteString(w, `{"id":1,"error":{"code":429,"message":"slow"}}`)
			return true
		},
		"a key that ended": func(w http.ResponseWriter, _ string) bool {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"id":1,"error":{"code":-32002,"message":"Must be authenticated!"}}`)
			return true
		},
		"a node that is not synced": func(w http.ResponseWriter, _ string) bool {
			_, _ = io.WriteString(w, `{"id":1,"error":{"code":-32000,"message":"node is not synced"}}`)
			return true
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first, second := newFake(t), newFake(t)
			p, said := pooled(t, first, second)
			must(t, p.blockNumber(t))
			if first.asks() != 1 || second.asks() != 0 || used(p) != 1 {
				t.Fatalf("%d and %d questions, node %d is in use", first.asks(), second.asks(), used(p))
			}
			first.set(func(f *fake) { f.fails = fails })
			for range 3 {
				must(t, p.blockNumber(t))
			}
			if first.asks() != 2 || second.asks() != 3 || used(p) != 2 {
				t.Errorf("%d and %d questions, node %d is in use; want the failed node to be left alone", first.asks(), second.asks(), used(p))
			}
			first.set(func(f *fake) { f.fails = nil })
			testkit.Eventually(t, time.Minute, func() bool { return p.blockNumber(t) == nil && used(p) == 1 }, "the first node to be asked again")
			for _, line := range said.AllEntries() {
				if text, _ := line.String(); strings.Contains(text, "key-of-a-provider") || line.Data["node"] != 1 {
					t.Error(text)
				}
			}
		})
	}
}

// TestRetryAfterKeepsTheNodeAlone: a node that asks for a pause gets it, while another answers. When no other does, it is asked
// nevertheless, as one without others is.
//
// Covers operator §Settings: Of several nodes the first one in order is asked
func TestRetryAfterKeepsTheNodeAlone(t *testing.T) {
	t.Parallel()
	first, second := newFake(t), newFake(t)
	p, said := pooled(t, first, second)
	first.set(func(f *fake) { f.fails = status(http.StatusTooManyRequests, "3000") })
	must(t, p.blockNumber(t))
	if line := said.LastEntry(); line.Data["for"] != "50m0s" || !p.Nodes()[0].Left {
		t.Errorf("it is left alone for %v, want 3000s", line.Data["for"])
	}
	first.set(func(f *fake) { f.fails = nil })
	second.set(func(f *fake) { f.fails = status(http.StatusInternalServerError, "") })
	must(t, p.blockNumber(t))
	if first.asks() != 2 {
		t.Errorf("%d questions, want one more to the only node that answers", first.asks())
	}
}

// TestOneNodeAnswersABatch: if a node fails in the middle of a batch, all of it is asked of the next.
//
// Covers operator §Settings: Questions that belong together
func TestOneNodeAnswersABatch(t *testing.T) {
	t.Parallel()
	first, second := newFake(t), newFake(t)
	second.salt = 1
	p, _ := pooled(t, first, second)
	left := 9 // of 16 questions, in two requests
	first.fails = func(w http.ResponseWriter, _ string) bool {
		if left--; left < 0 {
			w.WriteHeader(http.StatusBadGateway)
		}
		return left < 0
	}
	headers := make([]*Header, 16)
	questions := make([]*Question, len(headers))
	for i := range headers {
		questions[i] = Ask(&headers[i], "eth_getBlockByNumber", fmt.Sprintf("%#x", i+1), false)
	}
	must(t, p.Batch(t.Context(), questions...))
	for i, h := range headers {
		if h == nil || h.Hash.Big().Int64() != int64(i+1)+1<<40 {
			t.Errorf("block %d: %+v, want the second node's", i+1, h)
		}
	}
}

// TestAnOddErrorLeavesNobody: an unknown error of one question is asked of the next node, and the first keeps its place. An answer
// out of time to a heavy question is its caller's, who asks for less.
func TestAnOddErrorLeavesNobody(t *testing.T) {
	t.Parallel()
	first, second := newFake(t), newFake(t)
	p, _ := pooled(t, first, second)
	first.fails = func(w http.ResponseWriter, _ string) bool {
		_, _ = io.WriteString(w, `{"id":1,"error":{"code":-32000,"message":"missing trie node"}}`)
		return true
	}
	must(t, p.blockNumber(t))
	if first.asks() != 1 || second.asks() != 1 || used(p) != 1 {
		t.Errorf("%d and %d questions, node %d is in use", first.asks(), second.asks(), used(p))
	}
	second.fails = first.fails
	if err := p.blockNumber(t); !Answered(err) || !strings.HasPrefix(err.Error(), "node 2: ") {
		t.Errorf("%v, want the answer of a node", err)
	}
	late := &Error{Class: Late, Method: "debug_traceTransaction"}
	if f := faultOf(late); f.Leave || f.Next {
		t.Error("a heavy trace condemns its node")
	}
	late.Method = "eth_blockNumber"
	if f := faultOf(late); !f.Leave || !f.Next {
		t.Error("a silent node is kept")
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
