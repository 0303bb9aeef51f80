package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"causeway/chains"
	"causeway/chains/nodes"
)

// serve returns a client of a node answering with handler.
func serve(t *testing.T, handler http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	c := New(server.URL, "very-secret", time.Minute)
	t.Cleanup(c.Close)
	return c
}

// TestFaults: a node that gives no answer is left and verified anew, for as long as it asks. What it refuses is asked of the next, and the
// node keeps its place unless it takes no questions.
func TestFaults(t *testing.T) {
	t.Parallel()
	status := func(code int, after string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", after)
			w.WriteHeader(code)
		}
	}
	says := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }
	}
	silent := nodes.Fault{Leave: true, Next: true, Silent: true}
	limited := silent
	limited.Rest = 9 * time.Second
	for name, c := range map[string]struct {
		node http.HandlerFunc
		want nodes.Fault
	}{
		"a cut answer":         {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, silent},
		"no JSON":              {says("<html>"), silent},
		"a key that ended":     {status(http.StatusUnauthorized, ""), silent},
		"a limit of the key":   {status(http.StatusTooManyRequests, "9"), limited},
		"a key put to rest":    {status(http.StatusForbidden, "9"), limited},
		"an overloaded node":   {says(`{"Error":"class java.lang.IllegalAccessException : lack of computing resources"}`), nodes.Fault{Leave: true, Next: true}},
		"a question too many":  {says(`{"Error":"this API is closed because this node is a lite fullnode"}`), nodes.Fault{Next: true}},
		"an answer in no time": {func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body); <-r.Context().Done() }, silent},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var h Header
			err := serve(t, c.node).Turn(500*time.Millisecond, true).Ask(t.Context(), &h, "wallet/getblock", HeaderQuestion{})
			got := FaultOf(err)
			got.Waited = 0
			if err == nil || got != c.want || strings.Contains(err.Error(), "very-secret") {
				t.Errorf("%v: %+v, want %+v", err, got, c.want)
			}
		})
	}
	if got := FaultOf(fmt.Errorf("impossible: %w", chains.ErrDown)); !got.Leave || !got.Next {
		t.Errorf("an impossible answer: %+v", got)
	}
	if got := FaultOf(errors.New("a limit of ours")); got != (nodes.Fault{}) {
		t.Errorf("an error of ours: %+v", got)
	}
}

// TestAViewIsOfOneChain: the newest block must be there still once the others were read.
func TestAViewIsOfOneChain(t *testing.T) {
	t.Parallel()
	id := func(height int64, fork string) string {
		return fmt.Sprintf("%016x%s", height, strings.Repeat(fork, 24))
	}
	for fork, fine := range map[string]bool{"ab": true, "cd": false} {
		asked := 0
		c := serve(t, func(w http.ResponseWriter, r *http.Request) {
			asked++
			var q HeaderQuestion
			_ = json.NewDecoder(r.Body).Decode(&q)
			height, of := int64(9), "ab"
			if q.Block != "" {
				_, _ = fmt.Sscan(q.Block, &height)
				of = fork
			}
			if height > 9 {
				_, _ = io.WriteString(w, "{}")
				return
			}
			_, _ = fmt.Fprintf(w, `{"blockID":%q,"block_header":{"raw_data":{"number":%d,"timestamp":1700000000000}}}`, id(height, of), height)
		})
		v, err := c.Best(t.Context(), 3, 30)
		if (err == nil) != fine || fine && (v.Best != (chains.Mark{Height: 9, Hash: id(9, "ab")}) || len(v.Hashes) != 1 || v.Hashes[3] != id(3, "ab")) {
			t.Errorf("%s: %+v, %v", fork, v, err)
		}
		if asked != 4 || c.Requests() != 4 {
			t.Errorf("%d questions, %d counted", asked, c.Requests())
		}
	}
}
