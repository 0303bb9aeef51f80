package webhooks

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"time"
)

const (
	dialTimeout  = 5 * time.Second // for all addresses of a host together
	dialAttempts = 3               // addresses tried of one host
)

// errRefusedHost is a host never to be contacted, whatever it resolves to.
var errRefusedHost = errors.New("host refused")

// dialer opens connections to receivers. guard checks the address of every connection after it was resolved and just
// before it is used, so no answer of a resolver can lead inside (addendum §11).
type dialer struct {
	allowed  hostSet
	resolver Resolver
	plain    net.Dialer // for hosts exempt by name
	guarded  net.Dialer
}

func newDialer(allowed hostSet, resolver Resolver) *dialer {
	if resolver == nil {
		resolver = net.DefaultResolver
	}
	return &dialer{allowed: allowed, resolver: resolver, guarded: net.Dialer{Control: guard.Safe}}
}

// dial is the transport's DialContext.
func (d *dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	name, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	h, err := parseHost(name)
	if err != nil {
		return nil, errRefusedHost
	}
	if d.allowed.has(h) {
		return d.plain.DialContext(ctx, network, address)
	}
	ips, err := d.resolve(ctx, h)
	if err != nil {
		return nil, err
	}
	return d.dialAny(ctx, ips, port)
}

// resolve returns the addresses of a host, IPv4 first.
func (d *dialer) resolve(ctx context.Context, h host) ([]netip.Addr, error) {
	if h.ip.IsValid() {
		return []netip.Addr{h.ip}, nil
	}
	if !isPublicName(h.name) {
		return nil, errRefusedHost
	}
	ips, err := d.resolver.LookupNetIP(ctx, "ip", h.name+".")
	if err == nil && len(ips) == 0 {
		err = &net.DNSError{Err: "no addresses", Name: h.name, IsNotFound: true}
	}
	slices.SortStableFunc(ips, func(a, b netip.Addr) int {
		return cmp.Compare(a.Unmap().BitLen(), b.Unmap().BitLen())
	})
	return ips, err
}

func (d *dialer) dialAny(ctx context.Context, ips []netip.Addr, port string) (net.Conn, error) {
	var failures []error
	for i, ip := range ips[:min(len(ips), dialAttempts)] {
		conn, err := d.dialOne(ctx, net.JoinHostPort(ip.Unmap().String(), port), min(len(ips), dialAttempts)-i)
		if err == nil {
			return conn, nil
		}
		failures = append(failures, err)
	}
	return nil, errors.Join(failures...)
}

// dialOne leaves the addresses after this one their share of the time; left counts them and this one.
func (d *dialer) dialOne(ctx context.Context, address string, left int) (net.Conn, error) {
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(deadline)/time.Duration(left))
		defer cancel()
	}
	return d.guarded.DialContext(ctx, "tcp", address)
}
