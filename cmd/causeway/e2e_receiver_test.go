package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// integrator receives webhooks as a merchant's server does, and verifies them by the formula of addendum §2, written down
// here a second time on purpose.
type integrator struct {
	url string

	mu     sync.Mutex
	secret string
	events map[string]map[string]bool // internal_reference:event -> deliveries
	order  []string
	forged int
}

func newIntegrator(t *testing.T) *integrator {
	r := &integrator{events: map[string]map[string]bool{}}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	r.url = server.URL + "/hook"
	return r
}

func (r *integrator) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delivery := request.Header.Get("X-Service-Delivery")
	sum := sha256.Sum256(body)
	mac := hmac.New(sha256.New, []byte(r.secret))
	mac.Write([]byte("v1\n" + request.Header.Get("X-Service-Timestamp") + "\n" + delivery + "\n" + hex.EncodeToString(sum[:])))
	if request.Header.Get("X-Service-Signature") != "v1="+hex.EncodeToString(mac.Sum(nil)) {
		r.forged++
	}
	var event struct {
		Event string `json:"event"`
		Data  struct {
			Reference string `json:"internal_reference"`
		} `json:"data"`
	}
	if json.Unmarshal(body, &event) != nil {
		r.forged++
	}
	key := event.Data.Reference + ":" + event.Event
	if r.events[key] == nil {
		r.events[key] = map[string]bool{}
		r.order = append(r.order, event.Event)
	}
	r.events[key][delivery] = true
}

// deliveries counts the deliveries of an event of a payin or payout.
func (r *integrator) deliveries(reference, event string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.events[reference+":"+event])
}
