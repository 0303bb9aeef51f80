package webhooks

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"
)

// Outcome is the effect of one try on its delivery (addendum §11).
type Outcome int

// The outcomes.
const (
	Retry     Outcome = iota // not delivered; try again as Next says, not before RetryAfter
	Delivered                // any 2xx
	Gone                     // 410: the delivery ends here
)

// Delivery is the part of a delivery Send needs. Secrets are the merchant's live webhook secrets, newest first; ID goes
// into the delivery header and stays the same on every try.
type Delivery struct {
	ID       string
	Merchant uuid.UUID // the receiver's owner
	URL      string
	Secrets  []string
	Body     []byte
}

// Attempt tells the result of one try.
type Attempt struct {
	Outcome    Outcome
	Status     int           // HTTP status; 0 when there was no answer
	RetryAfter time.Duration // asked for by the receiver, at most 24 h; 0 when nothing
	Skipped    bool          // no try was made, or the caller broke it off: come back after RetryAfter, uncounted
	Error      string        // a few words, none of them from the URL, the body or the answer; empty when delivered
	Duration   time.Duration
	AnswerHead string // headers of an answer other than 2xx, a line each, at most 2 KiB; see keep
	AnswerBody string // the beginning of its body, at most 2 KiB
}

// Send makes one HTTP try of a delivery and never fails otherwise than in its Attempt. It may wait a moment for its
// turn when many tries of its merchant are under way, and is Skipped when its turn does not come.
func (c *Client) Send(ctx context.Context, d Delivery) Attempt {
	to := c.receiver(d.URL)
	if to.refused != nil {
		return Attempt{Error: to.refused.Error()}
	}
	g, s := c.gate(d.Merchant, to), c.share(d.Merchant)
	if !g.enter(ctx) {
		return Attempt{Skipped: true, RetryAfter: g.comeBack(rand.Float64), Error: "too many tries to this receiver under way"}
	}
	proven := g.answersFast()
	if full := s.enter(ctx, proven); full != nil {
		g.cancel()
		return Attempt{Skipped: true, RetryAfter: full.comeBack(rand.Float64), Error: "too many tries of this merchant under way"}
	}
	var a Attempt
	defer func() { s.leave(proven, a) }()
	select {
	case c.places <- struct{}{}:
		defer func() { <-c.places }()
		a = c.try(ctx, d, to, g)
	case <-ctx.Done():
		g.cancel()
		a = Attempt{Skipped: true, Error: errorText(ctx.Err())}
	}
	return a
}

// Shut returns after how long a delivery may come back, if its receiver does not answer and has all the tries allowed it, or if
// its merchant has all its tries waiting for an answer; Send would skip it. Zero means Send may be asked.
func (c *Client) Shut(merchant uuid.UUID, address string) time.Duration {
	to := c.receiver(address)
	if to.host == "" {
		return 0
	}
	g := c.gate(merchant, to)
	if g.shut() {
		return g.comeBack(rand.Float64)
	}
	if full := c.share(merchant).shut(g.answersFast()); full != nil {
		return full.comeBack(rand.Float64)
	}
	return 0
}

// receiver is a parsed address, worked out once: many deliveries go to few addresses.
type receiver struct {
	url     *url.URL // nobody may write to it
	name    string   // of the host
	host    string   // with its port; "" for an unreadable address
	refused error    // why nothing may be sent there
}

func (c *Client) receiver(address string) *receiver {
	if known, ok := c.targets.Get(address); ok {
		return known
	}
	t, err := parseTarget(address)
	to := &receiver{url: t.url, refused: err}
	if err == nil {
		to.name, to.host = t.host.name, t.host.name+":"+t.url.Port()
		to.refused = t.obeys(c.allowed.has(t.host))
	}
	c.targets.Add(address, to)
	return to
}

// gateKey is a merchant and a host with its port: many merchants' receivers may be paths of one host.
type gateKey struct {
	merchant uuid.UUID
	host     string
}

func (c *Client) gate(merchant uuid.UUID, to *receiver) *gate {
	key := gateKey{merchant, to.host}
	if g, ok := c.gates.Get(key); ok {
		return g
	}
	shared, ok := c.strains.Get(to.name)
	if !ok {
		shared = known(c.strains, to.name, new(strain))
	}
	return known(c.gates, key, newGate(c.options.PerHost, shared))
}

func (c *Client) share(merchant uuid.UUID) *share {
	if s, ok := c.shares.Get(merchant); ok {
		return s
	}
	return known(c.shares, merchant, newShare(c.options.Underway))
}

// known returns the value kept under a key, or else keeps fresh.
func known[K comparable, V any](kept *lru.Cache[K, V], key K, fresh V) V {
	if v, found, _ := kept.PeekOrAdd(key, fresh); found {
		return v
	}
	return fresh
}

func (c *Client) try(ctx context.Context, d Delivery, to *receiver, g *gate) Attempt {
	start := time.Now()
	limited, cancel := context.WithTimeout(ctx, c.options.Timeout)
	defer cancel()
	a := c.exchange(limited, d, to)
	a.Duration = time.Since(start)
	if a.Status == 0 && ctx.Err() != nil && a.Duration < c.options.Timeout {
		return brokenOff(ctx, a, g)
	}
	g.leave(a.Status != 0, a.Duration)
	return a
}

// brokenOff is a try ended by its caller's time, not by its own. A receiver given enough of it to count as slow is slow.
func brokenOff(ctx context.Context, a Attempt, g *gate) Attempt {
	a.Skipped = true
	if errors.Is(ctx.Err(), context.Canceled) {
		g.cancel()
		return a
	}
	if a.Duration < slowAnswer {
		g.cancel()
	} else {
		g.leave(false, a.Duration)
	}
	a.RetryAfter = max(g.comeBack(rand.Float64), backAlways) // the receiver may have got all of it: not again at once
	return a
}

func (c *Client) exchange(ctx context.Context, d Delivery, to *receiver) Attempt {
	request, err := c.request(ctx, d, to)
	if err != nil {
		return Attempt{Error: errorText(err)}
	}
	response, err := c.http.Do(request)
	if err != nil {
		return Attempt{Error: errorText(err)}
	}
	defer response.Body.Close()
	a := judge(response, c.options.Now())
	begins := drain(response)
	if a.Outcome != Delivered {
		signature := request.Header.Get(c.options.Prefix + "-Signature")
		keep(&a, response.Header, begins, slices.Concat(d.Secrets, strings.Split(signature, ",")))
	}
	return a
}

// drain reads the body to use the connection again, and returns its beginning where the webhook was not taken. Its content, or
// its lack of an end, changes nothing. After 101 the body is the bare connection, never ended by a time limit of the request.
func drain(response *http.Response) (begins []byte) {
	if response.StatusCode == http.StatusSwitchingProtocols {
		return nil
	}
	limited := io.LimitReader(response.Body, maxBody)
	if response.StatusCode/100 != 2 {
		begins, _ = io.ReadAll(io.LimitReader(limited, readOfBody))
	}
	_, _ = io.Copy(io.Discard, limited)
	return begins
}

// request builds the POST. The empty Idempotency-Key is not sent; it lets the transport repeat a try on a fresh connection
// when a kept one turns out to be closed.
func (c *Client) request(ctx context.Context, d Delivery, to *receiver) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "/", bytes.NewReader(d.Body))
	if err != nil {
		return nil, err
	}
	request.URL, request.Host = to.url, to.url.Host
	now, prefix := c.options.Now().Unix(), c.options.Prefix
	request.Header["Idempotency-Key"] = nil
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "Causeway-Webhooks/1")
	request.Header.Set(prefix+"-Timestamp", strconv.FormatInt(now, 10))
	request.Header.Set(prefix+"-Delivery", d.ID)
	request.Header.Set(prefix+"-Signature", Sign(d.Secrets, now, d.ID, d.Body))
	return request, nil
}
