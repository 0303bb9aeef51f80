package webhooks

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/singleflight"
)

// Resolver turns a host name into addresses; network is ip, ip4 or ip6. *net.Resolver is one.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

const (
	lookupTimeout  = 1500 * time.Millisecond // at creation, on the path of a request
	answerLifetime = time.Minute             // a resolved host, for good or bad
	faultLifetime  = RetryResolver           // an unresolved host: its DNS may recover
	cachedHosts    = 16384
)

// answer is the knowledge of a name until the given time.
type answer struct {
	reason Reason // empty: at least one address, all of them public
	fault  error  // the resolver has failed, and nothing is known of the name
	ipv4   bool   // one of them is IPv4
	until  time.Time
}

// lookups remembers the answers for names. Callers asking for one name at the same time share one lookup.
type lookups struct {
	resolver Resolver
	now      func() time.Time
	timeout  time.Duration
	known    *lru.Cache[string, answer]
	flights  singleflight.Group
}

func newLookups(resolver Resolver) *lookups {
	if resolver == nil {
		resolver = net.DefaultResolver
	}
	return &lookups{resolver: resolver, now: time.Now, timeout: lookupTimeout, known: remembering[string, answer](cachedHosts)}
}

// of returns the answer for name. A caller giving up does not end the lookup for the others.
func (l *lookups) of(ctx context.Context, name string) (answer, error) {
	if a, ok := l.remembered(name); ok {
		return a, nil
	}
	flight := l.flights.DoChan(name, func() (any, error) {
		if a, ok := l.remembered(name); ok { // another flight has ended since
			return a, nil
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.timeout)
		defer cancel()
		a := l.ask(ctx, name)
		l.known.Add(name, a)
		return a, nil
	})
	select {
	case done := <-flight:
		return done.Val.(answer), nil
	case <-ctx.Done():
		return answer{}, context.Cause(ctx)
	}
}

func (l *lookups) remembered(name string) (answer, bool) {
	a, ok := l.known.Get(name)
	return a, ok && l.now().Before(a.until)
}

// ask resolves name as a full name, so the machine's search domains cannot turn it into a local one.
func (l *lookups) ask(ctx context.Context, name string) answer {
	ips, err := l.resolver.LookupNetIP(ctx, "ip", name+".")
	if fault := resolverFault(err); fault != nil {
		return answer{fault: fault, until: l.now().Add(faultLifetime)}
	}
	if len(ips) == 0 {
		return answer{reason: Unresolvable, until: l.now().Add(faultLifetime)}
	}
	a := describe(ips)
	a.until = l.now().Add(answerLifetime)
	return a
}

// resolverFault returns ErrResolver with its cause when a lookup has failed. An unknown name is no failure.
func resolverFault(err error) error {
	var dns *net.DNSError
	if err == nil || errors.As(err, &dns) && dns.IsNotFound {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrResolver, err)
}

// describe judges a set of addresses: one outside the public internet spoils them all, since any may be connected to.
func describe(ips []netip.Addr) answer {
	var a answer
	for _, ip := range ips {
		ip = ip.Unmap()
		a.ipv4 = a.ipv4 || ip.Is4()
		if !isPublic(ip) {
			a.reason = NotPublic
		}
	}
	return a
}
