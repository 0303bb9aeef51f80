package client

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"causeway/chains"
	"causeway/chains/nodes"
)

// TestFaults: a node that gives no answer is left and verified anew. What one node lacks or does not take is asked of the next, and the node
// keeps its place.
func TestFaults(t *testing.T) {
	t.Parallel()
	status := func(code int, after string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", after)
			w.WriteHeader(code)
		}
	}
	refusal := func(code int, message string) http.HandlerFunc {
		return saying(fmt.Sprintf(`{"id":1,"error":{"code":%d,"message":%q}}`, code, message))
	}
	silent, kept := nodes.Fault{Leave: true, Next: true, Silent: true}, nodes.Fault{Next: true}
	for name, c := range map[string]struct {
		node http.HandlerFunc
		want nodes.Fault
	}{
		"a cut answer":         {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, silent},
		"another user":         {status(http.StatusUnauthorized, ""), silent},
		"a full queue":         {status(http.StatusServiceUnavailable, ""), silent},
		"a limit of a proxy":   {status(http.StatusTooManyRequests, "7"), nodes.Fault{Leave: true, Next: true, Silent: true, Rest: 7 * time.Second}},
		"a start":              {refusal(codeWarmup, "Loading block index…"), nodes.Fault{Leave: true, Next: true}},
		"a missing coin":       {refusal(codeVerify, "Missing inputs"), kept},
		"a missing block":      {refusal(codeUnknown, "Block not found"), kept},
		"a pruned block":       {refusal(codeMisc, "Block not available (pruned data)"), kept},
		"an unknown question":  {refusal(codeNoMethod, "Method not found"), kept},
		"an answer in no time": {func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body); <-r.Context().Done() }, silent},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var hash string
			err := serve(t, c.node).Within(500*time.Millisecond).Call(t.Context(), &hash, "getblockhash", 1)
			got := FaultOf(err)
			got.Waited = 0
			if err == nil || got != c.want {
				t.Errorf("%v: %+v, want %+v", err, got, c.want)
			}
		})
	}
	search := &Error{Class: Late, Method: "scantxoutset"}
	if got := FaultOf(search); got != kept {
		t.Errorf("a search that takes long: %+v", got)
	}
	if got := FaultOf(fmt.Errorf("impossible: %w", chains.ErrDown)); !got.Leave || !got.Next {
		t.Errorf("an impossible answer: %+v", got)
	}
	if got := FaultOf(errors.New("a limit of ours")); got != (nodes.Fault{}) {
		t.Errorf("an error of ours: %+v", got)
	}
}

// TestAViewIsOfOneChain: the best block must be there still once the others were read.
func TestAViewIsOfOneChain(t *testing.T) {
	t.Parallel()
	name := strings.Repeat("ab", 32)
	for confirmations, fine := range map[int]bool{1: true, -1: false} {
		c := serve(t, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if strings.Contains(string(body), "getbestblockhash") {
				_, _ = fmt.Fprintf(w, `{"id":1,"result":%q}`, name)
				return
			}
			_, _ = fmt.Fprintf(w, `[{"id":1,"result":"cd"},{"id":2,"error":{"code":-8,"message":"out of range"}},`+
				`{"id":3,"result":{"hash":%q,"height":9,"time":1700000000,"confirmations":%d}}]`, name, confirmations)
		})
		v, err := c.Best(t.Context(), 3, 30)
		if (err == nil) != fine || fine && (v.Best != (chains.Mark{Height: 9, Hash: name}) || len(v.Hashes) != 1 || v.Hashes[3] != "cd" || v.Time.Unix() != 1_700_000_000) {
			t.Errorf("%d confirmations: %+v, %v", confirmations, v, err)
		}
	}
}
