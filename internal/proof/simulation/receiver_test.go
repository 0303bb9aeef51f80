package simulation

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// receiver is the merchants' server. It answers with its set status.
type receiver struct {
	url      string
	status   int
	accepted []string // deliveries in the order of their first answers with 200
	known    map[string]bool
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{status: http.StatusOK, known: map[string]bool{}}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	r.url = server.URL
	return r
}

// ServeHTTP takes one delivery. Only one fiber runs at a time, so nothing here is shared at once.
func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	_, _ = io.Copy(io.Discard, req.Body)
	id := req.Header.Get("X-Service-Delivery")
	if r.status == http.StatusOK && !r.known[id] {
		r.known[id] = true
		r.accepted = append(r.accepted, id)
	}
	w.WriteHeader(r.status)
}
