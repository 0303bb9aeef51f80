package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"

	"causeway/chains"
)

// serve returns a client of a node answering with handler. Its timeout is long: no test with serve is about it.
func serve(t *testing.T, handler http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	c := New(server.URL, 5*time.Minute, 8)
	t.Cleanup(c.Close)
	return c
}

// TestAnEndlessAnswerIsCutOff: an answer without end is cut off, long before its time is.
func TestAnEndlessAnswerIsCutOff(t *testing.T) {
	t.Parallel()
	var sent atomic.Int64
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		for chunk := strings.Repeat(" ", 1<<20); ; sent.Add(1) {
			if _, err := io.WriteString(w, chunk); err != nil {
				return
			}
		}
	})
	var result any
	err := c.Call(t.Context(), &result, "eth_blockNumber")
	if !IsClass(err, Limit) || !errors.Is(err, chains.ErrDown) {
		t.Errorf("%v, want a limit", err)
	}
	if n := sent.Load(); n > 4*maxBody>>20 {
		t.Errorf("%d MiB were taken", n)
	}
}

// TestATooLargeBatchIsHalved: a batch too large is asked for in halves, in order.
func TestATooLargeBatchIsHalved(t *testing.T) {
	t.Parallel()
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var many []request
		if json.Unmarshal(body, &many) == nil && len(many) > 2 {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			return
		}
		if len(many) == 0 {
			many = make([]request, 1)
			_ = json.Unmarshal(body, &many[0])
		}
		answers := make([]string, 0, len(many))
		for _, q := range many { // the last first
			answers = append([]string{fmt.Sprintf(`{"id":%d,"result":%v}`, q.ID, q.Params[0])}, answers...)
		}
		_, _ = io.WriteString(w, "["+strings.Join(answers, ",")+"]")
	})
	results := make([]int, 21)
	questions := make([]*Question, len(results))
	for i := range results {
		questions[i] = Ask(&results[i], "echo", i)
	}
	if err := c.Batch(t.Context(), questions...); err != nil {
		t.Fatal(err)
	}
	for i, got := range results {
		if got != i {
			t.Errorf("question %d was answered with %d", i, got)
		}
	}
}

// TestMismatches: answers not fitting the questions are no answers.
func TestMismatches(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{
		`[{"id":1,"result":1}]`, `[{"id":1,"result":1},{"id":1,"result":2}]`, `[{"id":1,"result":1},{"id":3,"result":2}]`,
		`[{"id":1,"result":1},{"id":null,"result":2}]`, `[{"id":1,"result":1},{"id":2}]`, `[{"id":1,"result":1},{"id":2,"result":"two"}]`,
		`{"id":1,"result":1}`, `[{"id":1,"result":1},{"id":2,"error":{"code":-32000,"message":"no"}}]`,
	} {
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, answer) })
		var one, two int
		if err := c.Batch(t.Context(), Ask(&one, "a"), Ask(&two, "b")); !errors.Is(err, chains.ErrDown) {
			t.Errorf("%s: %v, want ErrDown", answer, err)
		}
	}
}

// TestNodeErrorsCannotForgeLogLines: a node's words are cut and cannot forge a log line; the provider's key never shows.
func TestNodeErrorsCannotForgeLogLines(t *testing.T) {
	t.Parallel()
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"id":1,"error":{"code":-32000,"message":"bad\nlevel=info\u0007`+strings.Repeat("x", 10_000)+`"}}`)
	})
	var result any
	err := c.Call(t.Context(), &result, "eth_call")
	if err == nil || len(err.Error()) > 300 || strings.ContainsAny(err.Error(), "\n\a") {
		t.Errorf("%q", err)
	}
	gone := New("http://127.0.0.1:1/v3/secret-key", time.Second, 1)
	if err := gone.Call(t.Context(), &result, "eth_call"); err == nil || strings.Contains(err.Error(), "secret-key") {
		t.Errorf("%v", err)
	}
}

// TestAnAnswerOfAnotherShapeLeavesNothing: not the half already read, nor a zero in place of an answer.
func TestAnAnswerOfAnotherShapeLeavesNothing(t *testing.T) {
	t.Parallel()
	for _, said := range []string{`7`, `"x"`, `""`, `"0x1` + strings.Repeat("f", 64) + `"`, `{"number":"0x1","hash":"0x2"}`} {
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"id":1,"result":`+said+`}`) })
		var quantity *hexutil.Big
		var header *Header
		balance, block := Ask(&quantity, "eth_getBalance"), Ask(&header, "eth_getBlockByNumber")
		for _, q := range []*Question{balance, block} {
			if err := c.Each(t.Context(), q); err != nil || !errors.Is(q.Err, chains.ErrDown) {
				t.Errorf("%s: %v, %v", said, err, q.Err)
			}
		}
		if quantity != nil || header != nil {
			t.Errorf("%s: %v and %v", said, quantity, header)
		}
	}
}

// TestWhatIsAskedAgainIsAnsweredAnew: in halves, each question has its last answer.
func TestWhatIsAskedAgainIsAnsweredAnew(t *testing.T) {
	t.Parallel()
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if body[0] == '[' {
			_, _ = io.WriteString(w, `[{"id":1,"error":{"code":-32000,"message":"busy"}},{"id":null,"error":{"code":-32600,"message":"batch too large"}}]`)
			return
		}
		_, _ = io.WriteString(w, `{"id":1,"result":5}`)
	})
	var one, two int
	if err := c.Batch(t.Context(), Ask(&one, "one"), Ask(&two, "two")); err != nil || one != 5 || two != 5 {
		t.Errorf("%d and %d, %v", one, two, err)
	}
}
