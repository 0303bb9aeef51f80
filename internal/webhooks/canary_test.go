package webhooks

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// canary listens on loopback and counts the connections reaching it.
type canary struct {
	port string
	hits atomic.Int64
	all  []net.Listener
}

func newCanary(t *testing.T) *canary {
	t.Helper()
	v4, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &canary{port: strconv.Itoa(v4.Addr().(*net.TCPAddr).Port), all: []net.Listener{v4}}
	if v6, err := net.Listen("tcp6", "[::1]:"+c.port); err == nil {
		c.all = append(c.all, v6)
	}
	for _, l := range c.all {
		t.Cleanup(func() { l.Close() })
		go c.count(l)
	}
	return c
}

func (c *canary) count(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		c.hits.Add(1)
		conn.Close()
	}
}

// reached returns how many connections there were: connections are accepted in order, so once our own are counted
// all earlier ones are.
func (c *canary) reached(t *testing.T) int64 {
	t.Helper()
	before := c.hits.Load()
	for _, l := range c.all {
		conn, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
	}
	own := int64(len(c.all))
	waitFor(t, func() bool { return c.hits.Load() >= before+own })
	return c.hits.Load() - own
}

type resolve func(name string) string

func (f resolve) LookupNetIP(_ context.Context, _, name string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr(f(strings.TrimSuffix(name, ".")))}, nil
}

// loopback is the worst resolver: every name is this machine.
func loopback(string) string { return "127.0.0.1" }

func newTestClient(t *testing.T, o Options) *Client {
	t.Helper()
	if o.Timeout == 0 {
		o.Timeout = 5 * time.Second
	}
	c := NewClient(o)
	t.Cleanup(c.Close)
	return c
}

// Covers addendum §11: The address is checked
func TestNoHostileFormReachesTheCanary(t *testing.T) {
	t.Parallel()
	bird := newCanary(t)
	forms := append(append([]string{}, HostileForms...), ResolvedForms...)
	for _, to := range []string{"127.0.0.1", "::1", "::ffff:127.0.0.1"} {
		client := newTestClient(t, Options{Resolver: resolve(func(string) string { return to })})
		for _, form := range forms {
			raw := strings.ReplaceAll(form, "PORT", bird.port)
			if strings.Contains(form, "PORT") || strings.Contains(form, "example.com") {
				if a := client.Send(t.Context(), Delivery{URL: raw}); a.Outcome != Retry || a.Status != 0 || a.Error == "" {
					t.Errorf("%q: %+v", raw, a)
				}
				client.past(t.Context(), raw)
			}
		}
	}
	if n := bird.reached(t); n != 0 {
		t.Fatalf("%d connections reached the canary", n)
	}
}

// past sends a request past the rule Send applies to URLs first: the guard at connect time stands alone.
func (c *Client) past(ctx context.Context, raw string) {
	for _, url := range []string{raw, strings.Replace(raw, "https:", "http:", 1)} {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, nil)
		if err != nil {
			continue
		}
		if response, err := c.http.Do(request); err == nil {
			response.Body.Close()
		}
	}
}

func TestTheCanaryHearsAllowedHosts(t *testing.T) {
	t.Parallel()
	bird := newCanary(t)
	client := newTestClient(t, Options{AllowedHosts: []string{"127.0.0.1"}, Resolver: resolve(loopback)})
	client.Send(t.Context(), Delivery{URL: "http://127.0.0.1:" + bird.port + "/"})
	if n := bird.reached(t); n == 0 {
		t.Fatal("the canary is deaf")
	}
}

// Covers operator §Settings: WEBHOOK_ALLOWED_HOSTS
func TestHostsAreExemptByNameOnly(t *testing.T) {
	t.Parallel()
	bird := newCanary(t)
	client := newTestClient(t, Options{AllowedHosts: []string{"localhost"}, Resolver: resolve(loopback)})
	for _, host := range []string{"127.0.0.1", "[::1]", "x.localhost", "localhost.example.com", "2130706433", "localhost@127.0.0.1"} {
		for _, scheme := range []string{"http://", "https://"} {
			raw := scheme + host + ":" + bird.port + "/"
			client.Send(t.Context(), Delivery{URL: raw})
			client.past(t.Context(), raw)
		}
	}
	if n := bird.reached(t); n != 0 {
		t.Fatalf("%d connections reached the canary", n)
	}
}

// Covers addendum §11: The address is checked
func TestRebindingDNS(t *testing.T) {
	t.Parallel()
	bird := newCanary(t)
	var calls atomic.Int64
	flip := resolve(func(string) string {
		if calls.Add(1) == 1 {
			return "93.184.216.34"
		}
		return "127.0.0.1"
	})
	raw := "https://rebind.example.com:" + bird.port + "/"
	if err := NewURLPolicy(nil, flip).Check(t.Context(), "https://rebind.example.com/", ForPayout); err != nil {
		t.Fatalf("the first answer is public: %v", err)
	}
	client := newTestClient(t, Options{Resolver: flip})
	for range 20 {
		if a := client.Send(t.Context(), Delivery{URL: raw}); a.Outcome != Retry || a.Error != "address is not public" {
			t.Fatalf("%+v", a)
		}
		client.Close()
		client.gates.Purge()
	}
	if n := bird.reached(t); n != 0 || calls.Load() < 2 {
		t.Fatalf("%d connections reached the canary, %d lookups", n, calls.Load())
	}
}

// Covers addendum §11: POST of JSON
func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	bird := newCanary(t)
	for _, status := range []int{301, 302, 303, 307, 308, 300, 304} {
		for _, to := range []string{"127.0.0.1", "localhost"} {
			receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", "http://"+to+":"+bird.port+"/")
				w.WriteHeader(status)
			}))
			client := newTestClient(t, Options{AllowedHosts: []string{"127.0.0.1", "localhost"}})
			if a := client.Send(t.Context(), Delivery{URL: receiver.URL}); a.Outcome != Retry || a.Status != status {
				t.Errorf("%d: %+v", status, a)
			}
			receiver.Close()
		}
	}
	if n := bird.reached(t); n != 0 {
		t.Fatalf("%d redirects were followed", n)
	}
}

// The proxy's own host is exempt here: nothing but ignoring the variables keeps the canary quiet.
func TestProxyVariablesAreIgnored(t *testing.T) {
	bird := newCanary(t)
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"} {
		t.Setenv(name, "http://127.0.0.1:"+bird.port)
	}
	client := newTestClient(t, Options{AllowedHosts: []string{"127.0.0.1"}, Resolver: resolve(loopback)})
	for _, raw := range []string{"https://hooks.example.com/", "http://hooks.example.com/"} {
		client.Send(t.Context(), Delivery{URL: raw})
		client.past(t.Context(), raw)
	}
	if n := bird.reached(t); n != 0 {
		t.Fatalf("%d connections reached the proxy", n)
	}
}
