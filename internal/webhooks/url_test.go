package webhooks_test

import (
	"context"
	"errors"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"causeway/internal/webhooks"
)

func reason(err error) webhooks.Reason {
	var refusal *webhooks.URLError
	if errors.As(err, &refusal) {
		return refusal.Reason
	}
	return ""
}

// Covers addendum §11: The address is checked
func TestHostileFormsAreRefused(t *testing.T) {
	t.Parallel()
	if len(webhooks.HostileForms) < 120 {
		t.Fatalf("only %d hostile forms", len(webhooks.HostileForms))
	}
	policy := webhooks.NewURLPolicy(nil, always(public))
	for _, form := range webhooks.HostileForms {
		for _, port := range []string{"443", "8443"} {
			raw := strings.ReplaceAll(form, "PORT", port)
			if err := policy.Check(t.Context(), raw, webhooks.ForPayout); reason(err) == "" {
				t.Errorf("%q: got %v, want a refusal", raw, err)
			}
		}
	}
}

func TestNamesAreRefusedForWhatTheyResolveTo(t *testing.T) {
	t.Parallel()
	open := webhooks.NewURLPolicy(nil, always(public))
	shut := webhooks.NewURLPolicy(nil, always("127.0.0.1"))
	for _, form := range webhooks.ResolvedForms {
		raw := strings.ReplaceAll(form, "PORT", "443")
		if u, err := url.Parse(raw); err == nil && u.User != nil {
			if got := reason(open.Check(t.Context(), raw, webhooks.ForPayout)); got != webhooks.HasUser {
				t.Errorf("%q: got %q, want %q", raw, got, webhooks.HasUser)
			}
			continue
		}
		if err := open.Check(t.Context(), raw, webhooks.ForPayout); err != nil {
			t.Errorf("%q: refused although public: %v", raw, err)
		}
		if err := shut.Check(t.Context(), raw, webhooks.ForPayout); reason(err) != webhooks.NotPublic {
			t.Errorf("%q: got %v, want %q", raw, err, webhooks.NotPublic)
		}
	}
}

// Covers api-v1 §Payout request object: webhook_url
// Covers api-v1 §Payin request object: webhook_url
func TestRulesOfPayoutsAndPayins(t *testing.T) {
	t.Parallel()
	const host = "https://hooks.example.com"
	atLimit := host + "/" + strings.Repeat("é", webhooks.MaxURL-len(host)-1)
	cases := []struct {
		name, url     string
		ips           []string
		payout, payin webhooks.Reason
	}{
		{"plain", host + "/x?y=z", []string{public}, "", ""},
		{"address", "https://" + public + "/", nil, "", ""},
		{"IPv6 address", "https://[" + public6 + "]/", nil, "", webhooks.NoIPv4},
		{"756 characters", atLimit, []string{public}, "", ""},
		{"757 characters", atLimit + "x", []string{public}, webhooks.TooLong, webhooks.TooLong},
		{"user", "https://u:p@hooks.example.com/", []string{public}, webhooks.HasUser, webhooks.HasUser},
		{"user only", "https://u@hooks.example.com/", []string{public}, webhooks.HasUser, webhooks.HasUser},
		{"empty user", "https://@hooks.example.com/", []string{public}, webhooks.HasUser, webhooks.HasUser},
		{"standard port", host + ":443/", []string{public}, "", ""},
		{"other port", host + ":8443/", []string{public}, webhooks.OddPort, webhooks.OddPort},
		{"http", "http://hooks.example.com/", []string{public}, webhooks.NotHTTPS, webhooks.NotHTTPS},
		{"IPv6 only", host, []string{public6}, "", webhooks.NoIPv4},
		{"both", host, []string{public6, public}, "", ""},
		{"one inner of two", host, []string{public, "10.0.0.1"}, webhooks.NotPublic, webhooks.NotPublic},
		{"inner IPv6", host, []string{public, "::1"}, webhooks.NotPublic, webhooks.NotPublic},
		{"mapped", host, []string{"::ffff:127.0.0.1"}, webhooks.NotPublic, webhooks.NotPublic},
		{"no address", host, nil, webhooks.Unresolvable, webhooks.Unresolvable},
		{"no host", "https:///x", nil, webhooks.Malformed, webhooks.Malformed},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			policy := webhooks.NewURLPolicy(nil, always(c.ips...))
			if got := reason(policy.Check(t.Context(), c.url, webhooks.ForPayout)); got != c.payout {
				t.Errorf("payout: got %q, want %q", got, c.payout)
			}
			if got := reason(policy.Check(t.Context(), c.url, webhooks.ForPayin)); got != c.payin {
				t.Errorf("payin: got %q, want %q", got, c.payin)
			}
		})
	}
}

// Covers addendum §11: The address is checked
func TestAllowedHosts(t *testing.T) {
	t.Parallel()
	policy := webhooks.NewURLPolicy([]string{"localhost", " Inbox.test. ", "127.0.0.1", "[::1]"}, resolverFunc(noSuchHost))
	cases := map[string]webhooks.Reason{
		"http://localhost:9000/x":        "",
		"https://localhost/x":            "",
		"http://LOCALHOST.:9000/":        "",
		"http://inbox.test:1/":           "",
		"http://127.0.0.1:9000/":         "",
		"http://[::1]:9000/":             "",
		"ftp://localhost/":               webhooks.NotHTTPS,
		"http://localhost:0/":            webhooks.Malformed,
		"http://127.0.0.2:9000/":         webhooks.NotHTTPS,
		"https://127.0.0.2:443/":         webhooks.NotPublic,
		"https://localhost.evil.example": webhooks.Unresolvable,
		"https://x.localhost/":           webhooks.NotPublic,
		"http://localhost@evil.example/": webhooks.NotHTTPS,
		"http://2130706433/":             webhooks.NotPublic,
		"https://0x7f.1/":                webhooks.NotPublic,
	}
	for raw, want := range cases {
		for _, kind := range []webhooks.Kind{webhooks.ForPayout, webhooks.ForWallets} {
			if got := reason(policy.Check(t.Context(), raw, kind)); got != want {
				t.Errorf("%s: got %q, want %q", raw, got, want)
			}
		}
	}
	for _, kind := range []webhooks.Kind{webhooks.ForPayout, webhooks.ForPayin} {
		if got := reason(policy.Check(t.Context(), "http://u@localhost/", kind)); got != webhooks.HasUser {
			t.Errorf("user at an allowed host: got %q", got)
		}
	}
}

func TestCheckAllKeepsTheOrder(t *testing.T) {
	t.Parallel()
	policy := webhooks.NewURLPolicy(nil, resolverFunc(func(_ context.Context, name string) ([]netip.Addr, error) {
		if name == "inner.example.com" {
			return addresses("10.1.1.1"), nil
		}
		return addresses(public), nil
	}))
	got := policy.CheckAll(t.Context(), []string{"https://a.example.com", "https://inner.example.com", "nonsense", "https://a.example.com"},
		webhooks.ForPayout)
	want := []webhooks.Reason{"", webhooks.NotPublic, webhooks.Malformed, ""}
	for i := range want {
		if reason(got[i]) != want[i] {
			t.Errorf("%d: got %v, want %q", i, got[i], want[i])
		}
	}
}

func FuzzCheck(f *testing.F) {
	for _, form := range append(webhooks.HostileForms, webhooks.ResolvedForms...) {
		f.Add(strings.ReplaceAll(form, "PORT", "443"))
	}
	shut := webhooks.NewURLPolicy(nil, always("127.0.0.1"))
	f.Fuzz(func(t *testing.T, raw string) {
		if err := shut.Check(t.Context(), raw, webhooks.ForPayout); err == nil && !namesPublicAddress(raw) {
			t.Fatalf("%q was let through", raw)
		}
	})
}

// namesPublicAddress tells literal public addresses, the only URLs to pass without a resolver.
func namesPublicAddress(raw string) bool {
	authority := raw[strings.Index(raw, "//")+2:]
	if i := strings.IndexAny(authority, "/?#"); i >= 0 {
		authority = authority[:i]
	}
	authority = authority[strings.LastIndexByte(authority, '@')+1:]
	if end := strings.IndexByte(authority, ']'); end > 0 {
		authority = authority[1:end]
	} else if i := strings.IndexByte(authority, ':'); i >= 0 {
		authority = authority[:i]
	}
	ip, err := netip.ParseAddr(strings.TrimSuffix(authority, "."))
	return err == nil && ip.Unmap().IsGlobalUnicast() && !ip.Unmap().IsPrivate()
}
