package webhooks

import (
	"context"
	"errors"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// MaxURL is the longest webhook address in characters (api-v1 §Limits).
const MaxURL = 756

// Kind selects the rule for an address. The rule of payins is the stricter one: it demands IPv4 (api-v1 §Payin request object).
type Kind int

// The kinds of webhook address. ForWallets is the one of PUT /v1/fixed-wallets/config: their notices are payins'.
const (
	ForPayout Kind = iota
	ForPayin
	ForWallets = ForPayin
)

// Reason is why an address was refused.
type Reason string

// The reasons. All but TooLong and Malformed make a destination "unsafe" in the words of api-v1 §POST /v1/payin.
const (
	TooLong      Reason = "must be at most 756 characters"
	Malformed    Reason = "must be a valid URL"
	NotHTTPS     Reason = "must use https"
	HasUser      Reason = "must not contain a user or password"
	OddPort      Reason = "must use the standard port"
	Unresolvable Reason = "host does not resolve"
	NotPublic    Reason = "must resolve to a public address"
	NoIPv4       Reason = "must resolve to a public IPv4 address"
)

// URLError is the refusal of an address by its rule. Its text may be shown to the merchant.
type URLError struct{ Reason Reason }

func (e *URLError) Error() string { return string(e.Reason) }

func refused(r Reason) error { return &URLError{Reason: r} }

// URLPolicy decides whether a webhook address may be used. It is safe for concurrent use and keeps resolved hosts for a
// minute.
type URLPolicy struct {
	allowed hostSet
	lookups *lookups
}

// NewURLPolicy makes the rule. The hosts in allowed are exempt by name: http, any port and any address are fine for
// them (WEBHOOK_ALLOWED_HOSTS, addendum §11). A nil resolver is the machine's own.
func NewURLPolicy(allowed []string, resolver Resolver) *URLPolicy {
	return &URLPolicy{allowed: newHostSet(allowed), lookups: newLookups(resolver)}
}

// ErrResolver is the failure of our resolver to say whether a name exists, within 1.5 s. As far as is known the address is
// right, but nothing shows it to be public.
var ErrResolver = errors.New("the host could not be looked up")

// RetryResolver is how long a failure of the resolver is remembered.
const RetryResolver = 5 * time.Second

// Check returns nil when raw may be used for kind, a *URLError when its rule refuses it, ErrResolver, or the context's error.
// A name known not to exist is refused (api-v1 §Payout request object).
func (p *URLPolicy) Check(ctx context.Context, raw string, kind Kind) error {
	t, err := parseTarget(raw)
	if err != nil {
		return err
	}
	exempt := p.allowed.has(t.host)
	if err := t.obeys(exempt); err != nil {
		return err
	}
	if err := t.isPlain(exempt); err != nil || exempt {
		return err
	}
	if t.host.ip.IsValid() {
		return describe([]netip.Addr{t.host.ip}).judge(kind)
	}
	a, err := p.lookups.of(ctx, t.host.name)
	if err != nil {
		return err
	}
	return a.judge(kind)
}

// CheckAll checks several addresses at once, so a batch waits for its slowest host and not for their sum; a repeated one is
// not checked again. The results are in the order given, each as Check returns it.
func (p *URLPolicy) CheckAll(ctx context.Context, raws []string, kind Kind) []error {
	results, first := make([]error, len(raws)), make(map[string]int)
	var wait sync.WaitGroup
	for i, raw := range raws {
		if _, again := first[raw]; again {
			continue
		}
		if first[raw] = i; i > 0 {
			wait.Go(func() { results[i] = p.Check(ctx, raw, kind) })
		}
	}
	if len(raws) > 0 {
		results[0] = p.Check(ctx, raws[0], kind) // by whoever asks: mostly there is no other
	}
	wait.Wait()
	for i, raw := range raws {
		results[i] = results[first[raw]]
	}
	return results
}

// judge applies the kind's rule to a host's addresses.
func (a answer) judge(kind Kind) error {
	if a.fault != nil {
		return a.fault
	}
	if a.reason != "" {
		return refused(a.reason)
	}
	if kind == ForPayin && !a.ipv4 {
		return refused(NoIPv4)
	}
	return nil
}

// target is a readable webhook address.
type target struct {
	url  *url.URL
	host host
}

// parseTarget reads an address and refuses ambiguous ones: control characters, spaces, backslashes, ambiguous hosts.
func parseTarget(raw string) (target, error) {
	if utf8.RuneCountInString(raw) > MaxURL {
		return target{}, refused(TooLong)
	}
	if !utf8.ValidString(raw) || strings.ContainsFunc(raw, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '\\' }) {
		return target{}, refused(Malformed)
	}
	u, err := url.Parse(raw)
	if err != nil || u.Opaque != "" || u.Host == "" || !validPort(u) {
		return target{}, refused(Malformed)
	}
	h, err := parseHost(u.Hostname())
	if errors.Is(err, errNumeric) {
		return target{}, refused(NotPublic)
	}
	if err != nil {
		return target{}, refused(Malformed)
	}
	return target{url: u, host: h}, nil
}

func validPort(u *url.URL) bool {
	if u.Port() == "" {
		return !strings.HasSuffix(u.Host, ":")
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	return err == nil && port > 0
}

// isPlain refuses a user, a password and an odd port. Deliveries to an address accepted before do not ask.
func (t target) isPlain(exempt bool) error {
	port := t.url.Port()
	switch {
	case t.url.User != nil:
		return refused(HasUser)
	case !exempt && port != "" && port != "443":
		return refused(OddPort)
	}
	return nil
}

// obeys applies the part of the rule that needs no resolver and holds whenever something is sent.
func (t target) obeys(exempt bool) error {
	switch {
	case t.url.Scheme != "https" && !(exempt && t.url.Scheme == "http"):
		return refused(NotHTTPS)
	case !exempt && !t.host.ip.IsValid() && !isPublicName(t.host.name):
		return refused(NotPublic)
	}
	return nil
}
