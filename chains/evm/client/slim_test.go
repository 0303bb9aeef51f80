package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common/hexutil"
)

// TestMembersThatNobodyReads: their values are taken out, of any kind and wherever the answer is cut into chunks, and all else stays.
func TestMembersThatNobodyReads(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		`{"input":"0x00","to":"0x1"}`:                               `{"input":null,"to":"0x1"}`,
		`{ "to" : "a\"}" , "input" : "\\\"" }`:                      `{"to":"a\"}","input":null}`,
		`[{"input":{"input":[1,"]"],"b":{}},"c":[1,{"input":[]}]}]`: `[{"input":null,"c":[1,{"input":null}]}]`,
		`{"input":7}`:                           `{"input":null}`,
		`{"a":"input","input2":"input","c":[]}`: `{"a":"input","input2":"input","c":[]}`,
		`["input","b",{"type":"input"}]`:        `["input","b",{"type":"input"}]`,
		`"input"`:                               `"input"`,
		`{"input":"cut off`:                     ``,
		`{"input":{"a":1}`:                      ``,
		`{"input":}]`:                           ``,
		`:`:                                     ``,
		`]]}`:                                   ``,
	} {
		for size := 1; size <= len(said); size++ {
			s := &slimmer{unread: map[string]bool{"input": true}}
			for rest := said; rest != ""; rest = rest[min(size, len(rest)):] {
				if _, err := io.WriteString(s, rest[:min(size, len(rest))]); err != nil {
					t.Fatal(err)
				}
			}
			var got, wanted any
			err := json.Unmarshal(s.kept, &got)
			_ = json.Unmarshal([]byte(want), &wanted)
			if (err != nil) != (want == "") || err == nil && !reflect.DeepEqual(got, wanted) {
				t.Fatalf("%s in pieces of %d is %s (%v), want %s", said, size, s.kept, err, want)
			}
		}
	}
}

// TestTheBoundsOfAnAnswer: unread parts have a bound of their own, and short elements of a list count for their memory.
func TestTheBoundsOfAnAnswer(t *testing.T) {
	t.Parallel()
	longest := func(open, more string) int {
		s := &slimmer{unread: map[string]bool{"input": true}}
		if _, err := io.WriteString(s, open); err != nil {
			t.Fatal(err)
		}
		chunk := []byte(strings.Repeat(more, 1<<20/len(more)))
		for {
			if _, err := s.Write(chunk); errors.Is(err, errLarge) {
				return s.wire >> 20
			}
		}
	}
	for _, c := range []struct {
		open, more  string
		least, most int // MiB
	}{
		{`{"input":"`, "0", 512, 514},
		{`{"value":"`, "0", 32, 34},
		{``, " ", 32, 34},
		{`[`, `{},`, 1, 2},
		{`[`, `null,`, 1, 4},
		{`{"a":[`, `[],`, 1, 2},
		{`{`, `"aaaaaaaaaaaaaaaa":0,`, 32, 34},
	} {
		if n := longest(c.open, c.more); n < c.least || n > c.most {
			t.Errorf("%s%s…: %d MiB were taken, want %d to %d", c.open, c.more, n, c.least, c.most)
		}
	}
}

// TestLongInputsAreNoLimit: blocks and traces are read whatever their calldata adds up to, and lists of nothing at all are not.
func TestLongInputsAreNoLimit(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("00", 20<<20)
	answer := `{"id":1,"result":{"number":"0x7","transactions":[{"input":"0x` + long + `","value":"0x5"}]}}`
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, answer) })
	var block *Block
	if err := c.Batch(t.Context(), Ask(&block, "eth_getBlockByNumber").Without("input")); err != nil {
		t.Fatal(err)
	}
	if len(block.Transactions) != 1 || block.Transactions[0].Value.ToInt().Int64() != 5 {
		t.Errorf("%+v", block)
	}
	empty := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"id":1,"result":[`+strings.Repeat(`{},`, 10<<20)+`{}]}`)
	})
	var logs Logs
	if err := empty.Call(t.Context(), &logs, "eth_getLogs"); !IsClass(err, Limit) {
		t.Errorf("%d logs, %v: want a limit", len(logs), err)
	}
}

// TestABatchThatTheNodeCutsOff: geth answers the first questions of a batch until they take 25 MB, and the others with an
// error. The others are asked again. One too large alone is left with its error, and the rest with their answers.
func TestABatchThatTheNodeCutsOff(t *testing.T) {
	t.Parallel()
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var many []request
		if json.Unmarshal(body, &many) != nil {
			many = make([]request, 1)
			_ = json.Unmarshal(body, &many[0])
		}
		answers := make([]string, len(many))
		room := 10.0
		for i, q := range many {
			if room -= q.Params[0].(float64); room < 0 {
				answers[i] = fmt.Sprintf(`{"id":%d,"error":{"code":-32003,"message":"response too large"}}`, q.ID)
				continue
			}
			answers[i] = fmt.Sprintf(`{"id":%d,"result":"0x%x"}`, q.ID, int(q.Params[0].(float64)))
		}
		_, _ = io.WriteString(w, "["+strings.Join(answers, ",")+"]")
	})
	sizes := []int{3, 8, 1, 11, 10, 2, 2, 2}
	results := make([]*hexutil.Uint64, len(sizes))
	questions := make([]*Question, len(sizes))
	for i, size := range sizes {
		questions[i] = Ask(&results[i], "debug_traceBlockByHash", size)
	}
	if err := c.Each(t.Context(), questions...); err != nil {
		t.Fatal(err)
	}
	for i, size := range sizes {
		switch {
		case size > 10 && !IsClass(questions[i].Err, Limit):
			t.Errorf("question %d: %v, want a limit", i, questions[i].Err)
		case size <= 10 && (questions[i].Err != nil || results[i] == nil || int(*results[i]) != size):
			t.Errorf("question %d: %v, %v", i, results[i], questions[i].Err)
		}
	}
}
