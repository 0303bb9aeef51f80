package webhooks_test

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"testing"

	"causeway/internal/dev/testkit"
)

func TestMain(m *testing.M) { testkit.Leakless(m) }

// resolverFunc answers lookups from a function; names come without their trailing dot.
type resolverFunc func(ctx context.Context, name string) ([]netip.Addr, error)

func (f resolverFunc) LookupNetIP(ctx context.Context, _, host string) ([]netip.Addr, error) {
	return f(ctx, strings.TrimSuffix(host, "."))
}

// always returns the same addresses for every name.
func always(ips ...string) resolverFunc {
	return func(context.Context, string) ([]netip.Addr, error) { return addresses(ips...), nil }
}

func addresses(ips ...string) []netip.Addr {
	var list []netip.Addr
	for _, ip := range ips {
		list = append(list, netip.MustParseAddr(ip))
	}
	return list
}

func noSuchHost(_ context.Context, name string) ([]netip.Addr, error) {
	return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
}

const (
	public  = "93.184.216.34"
	public6 = "2606:2800:220:1:248:1893:25c8:1946"
)
