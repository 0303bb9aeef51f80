package webhooks

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"
)

// countingResolver answers as it is told and counts its questions.
type countingResolver struct {
	calls atomic.Int64
	reply func(ctx context.Context) ([]netip.Addr, error)
}

func (r *countingResolver) LookupNetIP(ctx context.Context, _, _ string) ([]netip.Addr, error) {
	r.calls.Add(1)
	return r.reply(ctx)
}

func open(context.Context) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
}

func down(context.Context) ([]netip.Addr, error) {
	return nil, &net.DNSError{Err: "server misbehaving", IsTemporary: true}
}

func TestVerdictsAreKeptForAMinute(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		reply    func(context.Context) ([]netip.Addr, error)
		lifetime time.Duration
	}{"resolved": {open, time.Minute}, "unresolved": {down, 5 * time.Second}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &countingResolver{reply: c.reply}
			clock := time.Unix(1760000000, 0)
			l := newLookups(r)
			l.now = func() time.Time { return clock }
			for _, step := range []struct {
				after time.Duration
				calls int64
			}{{0, 1}, {c.lifetime - time.Nanosecond, 1}, {time.Nanosecond, 2}} {
				clock = clock.Add(step.after)
				if _, err := l.of(t.Context(), "a.example"); err != nil || r.calls.Load() != step.calls {
					t.Fatalf("%d lookups, want %d (%v)", r.calls.Load(), step.calls, err)
				}
			}
		})
	}
}

func TestLookupsOfOneHostCollapse(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	r := &countingResolver{reply: func(ctx context.Context) ([]netip.Addr, error) {
		<-release
		return open(ctx)
	}}
	policy := NewURLPolicy(nil, r)
	results := make(chan error)
	for range 50 {
		go func() { results <- policy.Check(t.Context(), "https://a.example.com/", ForPayout) }()
	}
	waitFor(t, func() bool { return r.calls.Load() > 0 })
	close(release)
	for range 50 {
		if err := <-results; err != nil {
			t.Fatal(err)
		}
	}
	if n := r.calls.Load(); n != 1 {
		t.Fatalf("%d lookups", n)
	}
}

// A name known not to exist is refused; a resolver failing or slow says nothing of the name.
func TestAFailingResolverIsNoRefusal(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		ips   []netip.Addr
		err   error
		fails bool
	}{
		"no such name": {nil, &net.DNSError{Err: "no such host", IsNotFound: true}, false},
		"no address":   {nil, nil, false},
		"SERVFAIL":     {nil, &net.DNSError{Err: "server misbehaving", IsTemporary: true}, true},
		"timeout":      {nil, &net.DNSError{Err: "i/o timeout", IsTimeout: true}, true},
		"no network":   {nil, errors.New("network is unreachable"), true},
	} {
		policy := NewURLPolicy(nil, &countingResolver{reply: func(context.Context) ([]netip.Addr, error) { return c.ips, c.err }})
		var refusal *URLError
		for range 2 { // the second is answered from memory
			err := policy.Check(t.Context(), "https://a.example.com/", ForPayout)
			if errors.Is(err, ErrResolver) != c.fails || (errors.As(err, &refusal) && refusal.Reason == Unresolvable) == c.fails {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
}

func TestSlowResolverIsAFault(t *testing.T) {
	t.Parallel()
	policy := NewURLPolicy(nil, &countingResolver{reply: func(ctx context.Context) ([]netip.Addr, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	policy.lookups.timeout = time.Millisecond
	if err := policy.Check(t.Context(), "https://a.example.com/", ForPayin); !errors.Is(err, ErrResolver) {
		t.Fatalf("got %v", err)
	}
}

func TestACallerThatGivesUpDoesNotSpoilTheVerdict(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	r := &countingResolver{reply: func(ctx context.Context) ([]netip.Addr, error) {
		<-release
		return open(ctx)
	}}
	policy := NewURLPolicy(nil, r)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := policy.Check(ctx, "https://a.example.com/", ForPayout); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	close(release)
	if err := policy.Check(t.Context(), "https://a.example.com/", ForPayout); err != nil || r.calls.Load() != 1 {
		t.Fatalf("got %v after %d lookups", err, r.calls.Load())
	}
}

func TestTheCacheIsBounded(t *testing.T) {
	t.Parallel()
	l := newLookups(&countingResolver{reply: open})
	for i := range cachedHosts + 100 {
		l.known.Add(string(rune(i))+".example", answer{})
	}
	if l.known.Len() > cachedHosts {
		t.Fatalf("%d hosts kept", l.known.Len())
	}
}

// waitFor polls a condition brought about by another goroutine.
func waitFor(t *testing.T, done func() bool) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for !done() {
		if time.Now().After(deadline) {
			t.Fatal("waited too long")
		}
		<-time.After(time.Millisecond)
	}
}
