package rippled

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// Other is another node of the same chain, with the same ledgers. It has all of them, whatever its neighbour has lost.
type Other struct {
	URL  string
	away atomic.Bool
}

// Also starts another node of the same chain. It takes transactions as this one.
func (n *Node) Also(t testing.TB) *Other {
	t.Helper()
	o := &Other{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if o.away.Load() {
			http.Error(w, "Service Unavailable", http.StatusServiceUnavailable)
			return
		}
		n.serve(w, r, true)
	}))
	t.Cleanup(server.Close)
	o.URL = server.URL
	return o
}

// Answers has the node answer, or not.
func (o *Other) Answers(on bool) { o.away.Store(!on) }
