package workers_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// receiver keeps the requests to a merchant's server.
type receiver struct {
	URL    string
	mu     sync.Mutex
	notes  []note
	status map[string]int           // the answer on a path, where it is not 200
	later  map[string]string        // the Retry-After of a path
	stuck  map[string]chan struct{} // paths with no answer to the next request until the channel is closed
}

// note is one request to a receiver.
type note struct {
	Path, Delivery, Signature string
	Event                     string         `json:"event"`
	Timestamp                 string         `json:"timestamp"`
	Data                      map[string]any `json:"data"`
}

// String is the event with the status in it.
func (n note) String() string {
	status, _ := n.Data["status"].(string)
	return n.Event + ":" + status
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{status: map[string]int{}, later: map[string]string{}, stuck: map[string]chan struct{}{}}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	r.URL = server.URL
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	n := note{Path: req.URL.Path, Delivery: req.Header.Get("X-Service-Delivery"), Signature: req.Header.Get("X-Service-Signature")}
	if err := json.NewDecoder(req.Body).Decode(&n); err != nil {
		n.Event = err.Error()
	}
	r.mu.Lock()
	r.notes = append(r.notes, n)
	status, later, wait := r.status[n.Path], r.later[n.Path], r.stuck[n.Path]
	delete(r.stuck, n.Path)
	r.mu.Unlock()
	if wait != nil {
		<-wait
	}
	if status == 0 {
		status = http.StatusOK
	}
	if later != "" {
		w.Header().Set("Retry-After", later)
	}
	w.WriteHeader(status)
}

// answers sets the answer on a path.
func (r *receiver) answers(path string, status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status[path] = status
}

// after sets the Retry-After of a path.
func (r *receiver) after(path, seconds string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.later[path] = seconds
}

// got returns the events of all paths, as they came, without payment_updated; this has tests of its own.
func (r *receiver) got() []string { return r.events("") }

// events returns the events on a path as "event:status", in the order of their arrival, without payment_updated.
func (r *receiver) events(path string) []string {
	return slices.DeleteFunc(r.everything(path), func(e string) bool { return strings.HasPrefix(e, "payment_updated:") })
}

// everything is events with payment_updated.
func (r *receiver) everything(path string) []string {
	out := []string{}
	for _, n := range r.at(path) {
		out = append(out, n.String())
	}
	return out
}

// at returns the requests on a path; "" is all.
func (r *receiver) at(path string) (out []note) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, n := range r.notes {
		if path == "" || n.Path == path {
			out = append(out, n)
		}
	}
	return out
}

func (r *receiver) clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.notes = nil
}
