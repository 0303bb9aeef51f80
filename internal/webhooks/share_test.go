package webhooks

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
)

// silent starts receivers at ports of their own, taking requests and never answering them, and counts the requests they hold.
func silent(t *testing.T, n int) (urls []string, holding *atomic.Int64) {
	t.Helper()
	holding = new(atomic.Int64)
	for range n {
		urls = append(urls, serveRaw(t, func(c net.Conn, _ int64) {
			holding.Add(1)
			defer holding.Add(-1)
			untilHungUp(c)
		}))
	}
	return urls, holding
}

// sendAll makes one try of each at the same time, and returns the number skipped at once; stop ends the others.
func sendAll(t *testing.T, c *Client, merchant uuid.UUID, urls []string) (skipped *atomic.Int64, stop func()) {
	t.Helper()
	skipped = new(atomic.Int64)
	ctx, cancel := context.WithCancel(t.Context())
	var tries sync.WaitGroup
	for _, url := range urls {
		tries.Go(func() {
			if a := c.Send(ctx, Delivery{Merchant: merchant, URL: url}); a.Skipped && a.RetryAfter >= 500*time.Millisecond {
				skipped.Add(1)
			}
		})
	}
	stop = func() { cancel(); tries.Wait() }
	t.Cleanup(stop)
	return skipped, stop
}

// A merchant with many silent receivers, each at a port of its own, holds a quarter of the places. Neither another merchant
// nor an answering receiver of its own waits for them.
//
// Covers addendum §11: What belongs to one payin
func TestDeadReceiversOfOneMerchantHoldAQuarterOfThePlaces(t *testing.T) {
	t.Parallel()
	dead, holding := silent(t, 20)
	well, _ := receive(t, func(http.ResponseWriter, *http.Request) {})
	other, _ := receive(t, func(http.ResponseWriter, *http.Request) {})
	client := newTestClient(t, Options{AllowedHosts: toLoopback.AllowedHosts, Underway: 16, Timeout: time.Minute})
	merchant := uuid.New()
	if a := client.Send(t.Context(), Delivery{Merchant: merchant, URL: well}); a.Outcome != Delivered {
		t.Fatalf("%+v", a)
	}
	skipped, stop := sendAll(t, client, merchant, dead)
	waitFor(t, func() bool { return skipped.Load()+holding.Load() == 20 })
	if n := holding.Load(); n != 4 {
		t.Fatalf("%d of 16 places are held by one merchant's dead receivers", n)
	}
	client.share(merchant).unproven.ailing.Store(true) // as once the first of them has timed out
	if client.Shut(merchant, other) < 500*time.Millisecond {
		t.Error("a receiver that is not known yet is not shut for the merchant")
	}
	for name, d := range map[string]Delivery{
		"its own, which answers": {Merchant: merchant, URL: well},
		"another merchant's":     {Merchant: uuid.New(), URL: other},
	} {
		if after := client.Shut(d.Merchant, d.URL); after != 0 {
			t.Errorf("%s: shut for %v", name, after)
		}
		if a := client.Send(t.Context(), d); a.Outcome != Delivered {
			t.Errorf("%s: %+v", name, a)
		}
	}
	stop()
	if a := client.Send(t.Context(), Delivery{Merchant: merchant, URL: other}); a.Outcome != Delivered {
		t.Errorf("after the end of its tries: %+v", a)
	}
}

// A receiver answering fast and then falling silent holds no more than three quarters, with all others of its merchant.
//
// Covers addendum §11: What belongs to one payin
func TestAMerchantNeverHoldsAllPlaces(t *testing.T) {
	t.Parallel()
	var quiet atomic.Bool
	var holding atomic.Int64
	url, _ := receive(t, func(_ http.ResponseWriter, r *http.Request) {
		if quiet.Load() {
			_, _ = io.Copy(io.Discard, r.Body)
			holding.Add(1)
			<-r.Context().Done()
		}
	})
	well, _ := receive(t, func(http.ResponseWriter, *http.Request) {})
	client := newTestClient(t, Options{AllowedHosts: toLoopback.AllowedHosts, Underway: 16, Timeout: time.Minute})
	merchant := uuid.New()
	if a := client.Send(t.Context(), Delivery{Merchant: merchant, URL: url}); a.Outcome != Delivered {
		t.Fatalf("%+v", a)
	}
	quiet.Store(true)
	urls := make([]string, 20)
	for i := range urls {
		urls[i] = url
	}
	skipped, _ := sendAll(t, client, merchant, urls)
	waitFor(t, func() bool { return skipped.Load()+holding.Load() == 20 })
	if n := holding.Load(); n != 12 {
		t.Fatalf("%d of 16 places are held by one merchant", n)
	}
	if client.Shut(merchant, url) < 500*time.Millisecond {
		t.Error("one more waits for a merchant whose tries are not answered")
	}
	if a := client.Send(t.Context(), Delivery{Merchant: uuid.New(), URL: well}); a.Outcome != Delivered {
		t.Errorf("another merchant's: %+v", a)
	}
}

// A delivery without a place, since other merchants' tries hold all of them, was not tried: its merchant's lanes learn nothing
// of it.
func TestADeliveryThatWasNotTriedSaysNothingOfItsMerchant(t *testing.T) {
	t.Parallel()
	dead, holding := silent(t, 4)
	well, asked := receive(t, nil)
	client := newTestClient(t, Options{AllowedHosts: toLoopback.AllowedHosts, Underway: 4, Timeout: time.Minute})
	for _, url := range dead {
		sendAll(t, client, uuid.New(), []string{url})
	}
	waitFor(t, func() bool { return holding.Load() == 4 })
	ended, end := context.WithCancel(t.Context())
	end()
	merchant := uuid.New()
	a := client.Send(ended, Delivery{Merchant: merchant, URL: well})
	if !a.Skipped || a.Status != 0 || a.Error == "" || asked.Load() != 0 {
		t.Fatalf("%+v, and %d requests", a, asked.Load())
	}
	s := client.share(merchant)
	if s.all.ailing.Load() || s.unproven.ailing.Load() {
		t.Errorf("ailing: among all %v, among the unproven %v", s.all.ailing.Load(), s.unproven.ailing.Load())
	}
	if len(s.all.places) != 0 || len(s.unproven.places) != 0 {
		t.Error("a place is still held")
	}
}

func TestAShareGivesTheNextInLineItsTurn(t *testing.T) {
	t.Parallel()
	s := newShare(1)
	if s.enter(t.Context(), true) != nil {
		t.Fatal("no place")
	}
	entered := make(chan *lane)
	go func() { entered <- s.enter(t.Context(), true) }()
	s.leave(true, answeredFast)
	if <-entered != nil {
		t.Fatal("the turn was lost")
	}
	s.all.comeBack(func() float64 { return 0 })
	if s.enter(t.Context(), true) != &s.all || len(s.unproven.places) != 0 {
		t.Fatal("one that found no place has one")
	}
	s = newShare(4)
	if s.enter(t.Context(), false) != nil || s.enter(t.Context(), false) != &s.unproven || len(s.all.places) != 1 {
		t.Fatal("one that waited for nothing among the unproven keeps its place among all")
	}
}

var answeredFast = Attempt{Outcome: Delivered, Status: 200, Duration: time.Millisecond}

func TestThoseThatFoundNoPlaceComeBackSpread(t *testing.T) {
	t.Parallel()
	most := func() float64 { return 1 }
	for _, c := range []struct {
		n    int64
		last Attempt
		want time.Duration
	}{
		{1, answeredFast, 1500 * time.Millisecond},
		{600, answeredFast, 3500 * time.Millisecond},
		{1e6, answeredFast, 10500 * time.Millisecond},
		{1, Attempt{}, 1500 * time.Millisecond},
		{600, Attempt{}, 30500 * time.Millisecond},
		{1e6, Attempt{}, 300500 * time.Millisecond},
		{1e6, Attempt{Status: 200, Duration: 2 * slowAnswer}, 300500 * time.Millisecond},
		{1e6, Attempt{Skipped: true}, 10500 * time.Millisecond},
	} {
		l := &newShare(16).unproven
		l.enter(t.Context(), false)
		l.leave(c.last)
		l.skipped.Store(c.n - 1)
		if d := l.comeBack(most); d != c.want {
			t.Errorf("after %+v %d of them come back within %v, not %v", c.last, c.n, d, c.want)
		}
		l.enter(t.Context(), false)
		l.leave(answeredFast)
		if d := l.comeBack(most); d != 1500*time.Millisecond {
			t.Errorf("after an answer within %v", d)
		}
	}
}

// Receivers at all ports of one host share the tries of its ailing receivers.
func TestPortsOfAHostShareItsStrain(t *testing.T) {
	t.Parallel()
	client := newTestClient(t, toLoopback)
	at := func(address string) *strain { return client.gate(uuid.Nil, client.receiver(address)).host }
	if at("http://127.0.0.1:8001/") != at("http://127.0.0.1:8002/") || at("http://127.0.0.1:8001/") == at("http://127.0.0.2:8001/") {
		t.Fatal("a strain is not that of a host")
	}
}
