package api

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"causeway/internal/proof/contract"
)

func networks(t testing.TB, texts ...string) []netip.Prefix {
	t.Helper()
	out, bad := ParseNetworks(texts)
	if bad != "" {
		t.Fatalf("not a network: %s", bad)
	}
	return out
}

func from(peer string, forwarded ...string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/v1/balances", nil)
	r.RemoteAddr = peer
	r.Header["X-Forwarded-For"] = forwarded
	return r
}

func TestClientIP(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"addendum §4: The client's address is the peer's", "operator §Settings: TRUSTED_PROXIES")
	trusted := networks(t, "10.0.0.0/8", "127.0.0.1", "fd00::/8")
	for name, c := range map[string]struct {
		r    *http.Request
		want string // "" = undeterminable
	}{
		"the peer":                        {from("203.0.113.7:99"), "203.0.113.7"},
		"a stranger's header is not read": {from("203.0.113.7:99", "198.51.100.1"), "203.0.113.7"},
		"mapped peer":                     {from("[::ffff:203.0.113.7]:99"), "203.0.113.7"},
		"peer with zone":                  {from("[fe80::1%eth0]:99"), "fe80::1"},
		"behind one proxy":                {from("10.0.0.1:99", "198.51.100.1"), "198.51.100.1"},
		"behind a mapped proxy":           {from("[::ffff:10.0.0.1]:99", "198.51.100.1"), "198.51.100.1"},
		"right-most untrusted":            {from("10.0.0.1:99", "1.1.1.1, 198.51.100.1, 10.2.3.4"), "198.51.100.1"},
		"several headers are one list":    {from("10.0.0.1:99", "1.1.1.1", "198.51.100.1", "10.2.3.4,127.0.0.1"), "198.51.100.1"},
		"blank headers do not count":      {from("10.0.0.1:99", "198.51.100.1", " "), "198.51.100.1"},
		"garbage left of the client":      {from("10.0.0.1:99", "garbage, 198.51.100.1"), "198.51.100.1"},
		"garbage":                         {from("10.0.0.1:99", "garbage"), ""},
		"garbage right of the client":     {from("10.0.0.1:99", "198.51.100.1, unknown, 10.0.0.2"), ""},
		"empty entry":                     {from("10.0.0.1:99", "198.51.100.1,"), ""},
		"not an address":                  {from("10.0.0.1:99", "300.1.1.1"), ""},
		"half a bracket":                  {from("10.0.0.1:99", "[2001:db8::1"), ""},
		"with port":                       {from("10.0.0.1:99", "198.51.100.1:1234"), "198.51.100.1"},
		"IPv6":                            {from("10.0.0.1:99", "2001:db8::1"), "2001:db8::1"},
		"IPv6 in brackets":                {from("10.0.0.1:99", "[2001:db8::1]"), "2001:db8::1"},
		"IPv6 with port":                  {from("10.0.0.1:99", "[2001:db8::1]:443"), "2001:db8::1"},
		"mapped entry":                    {from("10.0.0.1:99", "::ffff:198.51.100.1"), "198.51.100.1"},
		"mapped entry of a proxy":         {from("10.0.0.1:99", "198.51.100.1, ::ffff:10.9.9.9"), "198.51.100.1"},
		"made by the proxy itself":        {from("127.0.0.1:99"), "127.0.0.1"},
		"made by a trusted machine":       {from("10.0.0.1:99", "10.0.0.9, 10.0.0.2"), "10.0.0.9"},
		"no peer":                         {from("@"), ""},
		"no peer address":                 {from(""), ""},
	} {
		got, ok := clientIP(c.r, trusted)
		if ok != (c.want != "") || ok && got.String() != c.want {
			t.Errorf("%s: %v, %v", name, got, ok)
		}
	}
}

func TestWhitelist(t *testing.T) {
	t.Parallel()
	list := []string{"10.0.0.0/8", "192.0.2.1", "2001:db8::/32", "::ffff:198.51.100.0/120", " 203.0.113.9 ", "rubbish", "::ffff:0:0/90"}
	for ip, want := range map[string]bool{
		"10.1.2.3": true, "11.0.0.1": false, "192.0.2.1": true, "192.0.2.2": false, "::ffff:10.1.2.3": true,
		"2001:db8:1::5": true, "2001:db9::": false, "198.51.100.77": true, "198.51.101.1": false, "203.0.113.9": true, "8.8.8.8": false,
	} {
		if got := whitelisted(plain(netip.MustParseAddr(ip)), list); got != want {
			t.Errorf("%s: %v", ip, got)
		}
	}
	ip := netip.MustParseAddr("10.1.2.3")
	if !whitelisted(ip, nil) || whitelisted(ip, []string{}) {
		t.Error("no list allows all, an empty one nothing")
	}
}

func TestParseNetworksNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "10.0.0.0/33", "10.0.0", "localhost", "::/129", "::ffff:0:0/95"} {
		if _, got := ParseNetworks([]string{"10.0.0.1", bad}); got != bad && bad != "" {
			t.Errorf("%q: %q", bad, got)
		}
	}
}

func TestOriginJoinsAHousehold(t *testing.T) {
	t.Parallel()
	a, b, c := netip.MustParseAddr("2001:db8::1"), netip.MustParseAddr("2001:db8::ffff:1"), netip.MustParseAddr("2001:db8:0:1::1")
	if origin(a) != origin(b) || origin(a) == origin(c) {
		t.Errorf("origins %s %s %s", origin(a), origin(b), origin(c))
	}
	if origin(netip.MustParseAddr("192.0.2.1")) == origin(netip.MustParseAddr("192.0.2.2")) {
		t.Error("IPv4 neighbours share an origin")
	}
}

func FuzzForwardedFor(f *testing.F) {
	for _, line := range []string{"198.51.100.1", "1.1.1.1, 10.0.0.2", "[::1]:80, ::ffff:10.1.1.1", ",,,", "unknown", "1.2.3.4%eth0", " \t",
		"fe80::1%25", "10.0.0.1,10.0.0.2"} {
		f.Add(line, "")
	}
	trusted := networks(f, "10.0.0.0/8")
	f.Fuzz(func(t *testing.T, first, second string) {
		ip, ok := clientIP(from("10.0.0.1:9", first, second), trusted)
		if !ok {
			return
		}
		if !ip.IsValid() || ip.Zone() != "" || ip.Is4In6() {
			t.Fatalf("%q, %q became %v", first, second, ip)
		}
		entries := strings.Split(second, ",")
		if last, fine := address(entries[len(entries)-1]); fine && !inside(last, trusted) && last != ip {
			t.Fatalf("%q, %q became %v, not the right-most", first, second, ip)
		}
		if _, bad := ParseNetworks([]string{origin(ip)}); bad != "" {
			t.Fatalf("origin %q", bad)
		}
	})
}
