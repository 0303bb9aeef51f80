package webhooks

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
)

// receive starts a receiver on loopback, counting its connections.
func receive(t testing.TB, handler http.HandlerFunc) (url string, connections *atomic.Int64) {
	t.Helper()
	connections = new(atomic.Int64)
	server := httptest.NewUnstartedServer(handler)
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			connections.Add(1)
		}
	}
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Start()
	t.Cleanup(server.Close)
	return server.URL, connections
}

var toLoopback = Options{AllowedHosts: []string{"127.0.0.1"}}

// Covers addendum §2: A webhook has three headers
// Covers api-v1 §Events: A body has event
// Covers api-v1 §Authentication: 7
// Covers api-v1 §Versioning: breaking · X-IPN-Secret
func TestSendWritesWhatTheContractSays(t *testing.T) {
	t.Parallel()
	for want, prefix := range map[string]string{"X-Service": "", "X-Acme": "X-Acme"} {
		var got *http.Request
		var body []byte
		url, _ := receive(t, func(_ http.ResponseWriter, r *http.Request) {
			body, _ = io.ReadAll(r.Body)
			got = r
		})
		now := time.Unix(1760000000, 0)
		client := newTestClient(t, Options{Prefix: prefix, AllowedHosts: toLoopback.AllowedHosts, Now: func() time.Time { return now }})
		sent := []byte(`{"event":"payment_processed"}`)
		a := client.Send(t.Context(), Delivery{ID: "dlv_0001", URL: url + "/hook?x=1", Secrets: []string{"whsec_vector"}, Body: sent})
		if a.Outcome != Delivered || a.Status != 200 || a.Error != "" || a.Duration <= 0 || a.Skipped {
			t.Fatalf("%+v", a)
		}
		if got.Method != "POST" || got.RequestURI != "/hook?x=1" || string(body) != string(sent) || got.ContentLength != int64(len(sent)) {
			t.Errorf("%s %s %q", got.Method, got.RequestURI, body)
		}
		for name, value := range map[string]string{
			"Content-Type":      "application/json",
			"User-Agent":        "Causeway-Webhooks/1",
			want + "-Timestamp": "1760000000",
			want + "-Delivery":  "dlv_0001",
			want + "-Signature": "v1=6ff848f7687d34c1bcc58d5a18060a4569b037c500c8c0ddc83c01fc552b3ed9",
			"X-IPN-Secret":      "",
			"Idempotency-Key":   "",
			"Accept-Encoding":   "",
		} {
			if got.Header.Get(name) != value {
				t.Errorf("%s: %q, want %q", name, got.Header.Get(name), value)
			}
		}
	}
}

// Covers addendum §11: POST of JSON
func TestOutcomes(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 10, 10, 12, 0, 0, 0, time.UTC)
	cases := []struct {
		name, retryAfter string
		status           int
		want             Outcome
		wait             time.Duration
	}{
		{"200", "", 200, Delivered, 0},
		{"201", "", 201, Delivered, 0},
		{"204", "60", 204, Delivered, 0},
		{"299", "", 299, Delivered, 0},
		{"302", "", 302, Retry, 0},
		{"400", "", 400, Retry, 0},
		{"404", "", 404, Retry, 0},
		{"410", "60", 410, Gone, 0},
		{"429 in a second", "1", 429, Retry, time.Second},
		{"503 in an age", "1000000000", 503, Retry, 24 * time.Hour},
		{"503 in an aeon", "99999999999999999999999", 503, Retry, 24 * time.Hour},
		{"503 at a date", "Sat, 10 Oct 2026 12:05:00 GMT", 503, Retry, 5 * time.Minute},
		{"503 at a far date", "Sun, 10 Oct 2060 12:05:00 GMT", 503, Retry, 24 * time.Hour},
		{"503 at a past date", "Sat, 10 Oct 2020 12:05:00 GMT", 503, Retry, 0},
		{"503 negative", "-5", 503, Retry, 0},
		{"503 nonsense", "soon", 503, Retry, 0},
		{"500", "1.5", 500, Retry, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			url, _ := receive(t, func(w http.ResponseWriter, _ *http.Request) {
				if c.retryAfter != "" {
					w.Header().Set("Retry-After", c.retryAfter)
				}
				w.WriteHeader(c.status)
			})
			client := newTestClient(t, Options{AllowedHosts: toLoopback.AllowedHosts, Now: func() time.Time { return now }})
			a := client.Send(t.Context(), Delivery{URL: url})
			if a.Outcome != c.want || a.Status != c.status || a.RetryAfter != c.wait || (a.Error == "") != (c.want == Delivered) {
				t.Fatalf("%+v", a)
			}
		})
	}
}

func TestConnectionsAreUsedAgain(t *testing.T) {
	t.Parallel()
	url, connections := receive(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "thanks") })
	client := newTestClient(t, toLoopback)
	for range 10 {
		if a := client.Send(t.Context(), Delivery{URL: url, Body: []byte("{}")}); a.Outcome != Delivered {
			t.Fatalf("%+v", a)
		}
	}
	if n := connections.Load(); n != 1 {
		t.Fatalf("%d connections", n)
	}
}

// A receiver closing a kept connection just as it is used again must not cost an attempt.
func TestAClosedConnectionCostsNoAttempt(t *testing.T) {
	t.Parallel()
	url := serveRaw(t, func(c net.Conn, n int64) {
		readRequest(c)
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
		if n == 1 {
			readRequest(c)
		}
	})
	client := newTestClient(t, toLoopback)
	for i := range 2 {
		if a := client.Send(t.Context(), Delivery{URL: url, Body: []byte("{}")}); a.Outcome != Delivered {
			t.Fatalf("%d: %+v", i, a)
		}
	}
}

// Covers addendum §11: What belongs to one payin
func TestADeadHostSkipsWhatItCannotTake(t *testing.T) {
	t.Parallel()
	url, _ := receive(t, func(w http.ResponseWriter, _ *http.Request) {})
	client := newTestClient(t, toLoopback)
	g := client.gate(uuid.Nil, client.receiver(url))
	for range 5 {
		g.enter(t.Context())
		g.leave(false, time.Second)
	}
	for range gateFloor {
		g.enter(t.Context())
	}
	a := client.Send(t.Context(), Delivery{URL: url})
	if !a.Skipped || a.Outcome != Retry || a.RetryAfter < 15*time.Second || a.RetryAfter > 45*time.Second {
		t.Fatalf("%+v", a)
	}
	if after := client.Shut(uuid.Nil, url); after < 15*time.Second || after > 45*time.Second {
		t.Fatalf("shut for %v", after)
	}
	other, _ := receive(t, func(http.ResponseWriter, *http.Request) {})
	if a := client.Send(t.Context(), Delivery{URL: other}); a.Outcome != Delivered || client.Shut(uuid.Nil, other) != 0 {
		t.Fatalf("another receiver: %+v", a)
	}
	neighbour := uuid.New() // its receiver is another path of the same host
	if a := client.Send(t.Context(), Delivery{Merchant: neighbour, URL: url + "/its"}); a.Outcome != Delivered ||
		client.Shut(neighbour, url+"/its") != 0 {
		t.Fatalf("another merchant's receiver at the same host: %+v", a)
	}
	g.cancel()
	if after := client.Shut(uuid.Nil, url); after != 0 || client.Shut(uuid.Nil, ":") != 0 {
		t.Fatalf("shut for %v with a free place", after)
	}
}

func TestACallerThatGivesUpIsNoFailureOfTheHost(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{})
	url, _ := receive(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		close(arrived)
		<-r.Context().Done()
	})
	client := newTestClient(t, toLoopback)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-arrived; cancel() }()
	a := client.Send(ctx, Delivery{URL: url})
	g := client.gate(uuid.Nil, client.receiver(url))
	if !a.Skipped || a.Error != "cancelled" || g.ailing || g.underway != 0 {
		t.Fatalf("%+v, ailing %v", a, g.ailing)
	}
}

// outOfTime is a context with its time over once something has happened.
type outOfTime struct {
	context.Context
	over chan struct{}
}

// Done implements context.Context.
func (c outOfTime) Done() <-chan struct{} { return c.over }

// Err implements context.Context.
func (c outOfTime) Err() error {
	select {
	case <-c.over:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// TestACallerWithoutTimeIsNoFailureOfTheHost: a caller losing most of its time to something else has not tried.
func TestACallerWithoutTimeIsNoFailureOfTheHost(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{})
	url, _ := receive(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		close(arrived)
		<-r.Context().Done()
	})
	client := newTestClient(t, toLoopback)
	a := client.Send(outOfTime{t.Context(), arrived}, Delivery{URL: url})
	g := client.gate(uuid.Nil, client.receiver(url))
	if !a.Skipped || g.ailing || g.underway != 0 {
		t.Fatalf("%+v, ailing %v", a, g.ailing)
	}
	if a.RetryAfter < 10*time.Second {
		t.Errorf("a receiver that may have got it gets it again after %v", a.RetryAfter)
	}
}

func BenchmarkSend(b *testing.B) {
	url, _ := receive(b, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-time.After(50 * time.Millisecond)
	})
	client := NewClient(toLoopback)
	defer client.Close()
	delivery := Delivery{ID: "dlv_1", URL: url, Secrets: []string{"whsec_x"}, Body: []byte(strings.Repeat("x", 800))}
	var skipped, failed atomic.Int64
	b.SetParallelism(250)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			a := client.Send(b.Context(), delivery)
			for ; a.Skipped; a = client.Send(b.Context(), delivery) {
				skipped.Add(1)
				<-time.After(50 * time.Millisecond)
			}
			if a.Outcome != Delivered {
				failed.Add(1)
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "deliveries/s")
	b.ReportMetric(float64(skipped.Load()), "skipped")
	b.ReportMetric(float64(failed.Load()), "failed")
}
