package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// DefaultHeaderPrefix starts the names of the service's headers (addendum §3).
const DefaultHeaderPrefix = "X-Service"

const (
	defaultTimeout = 30 * time.Second
	defaultRetries = 3
	defaultWait    = time.Minute // the span of the API's own quota
	longestAnswer  = 32 << 20
)

// Config says how to reach an API. Only BaseURL and Key are needed.
type Config struct {
	BaseURL       string       // such as https://pay.example.com
	Key           string       // the private API key
	SigningSecret string       // for keys that require signed requests
	HeaderPrefix  string       // DefaultHeaderPrefix when empty
	HTTP          *http.Client // follows no redirects unless its CheckRedirect is set; 30 s for a request when nil
	Retries       int          // of requests safe to send twice; 3 when zero, none when negative
	// LongestWait is the longest Retry-After that is waited for. A longer one ends the call, and RetryAfter of its *Error
	// returns it. A minute when zero, none when negative.
	LongestWait time.Duration
	Now         func() time.Time // time.Now when nil
	// Wait pauses before a retry; it ends with the context. A timer when nil.
	Wait func(ctx context.Context, pause time.Duration) error
}

// Client is safe for concurrent use.
type Client struct {
	Config
	base string
}

// New makes a client. Nothing is sent yet.
func New(config Config) (*Client, error) {
	base, err := url.Parse(config.BaseURL)
	if err != nil || base.Host == "" || base.RawQuery != "" {
		return nil, fmt.Errorf("%q is not the base URL of an API", config.BaseURL)
	}
	if config.Key == "" {
		return nil, errors.New("there is no API key")
	}
	c := &Client{Config: config, base: strings.TrimSuffix(config.BaseURL, "/")}
	c.HTTP = staying(c.HTTP)
	if c.Retries == 0 {
		c.Retries = defaultRetries
	}
	if c.LongestWait == 0 {
		c.LongestWait = defaultWait
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Wait == nil {
		c.Wait = wait
	}
	return c, nil
}

// staying is the client, or a default one, in a copy. It follows no redirects unless its owner decided on them: the request
// and its key would go elsewhere.
func staying(given *http.Client) *http.Client {
	if given == nil {
		given = &http.Client{Timeout: defaultTimeout}
	}
	own := *given
	if own.CheckRedirect == nil {
		own.CheckRedirect = neverFollow
	}
	return &own
}

func neverFollow(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// call is one operation with its arguments.
type call struct {
	method         string
	path           string // percent-encoded
	query          url.Values
	body           any    // nil when there is none
	idempotencyKey string // "" when the request must not be sent twice, unless it is harmless
	harmless       bool   // changes nothing, whatever its method
	accept         string // media type; application/json when empty
}

// answer is a received HTTP response.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// get calls a read-only operation.
func get[T any](ctx context.Context, c *Client, path string, query url.Values) (*T, error) {
	return send[T](ctx, c, call{method: http.MethodGet, path: path, query: query})
}

// send calls an operation and decodes its answer; a refusal is an *Error.
func send[T any](ctx context.Context, c *Client, what call) (*T, error) {
	a, err := c.do(ctx, what)
	if err != nil {
		return nil, err
	}
	if a.status >= http.StatusMultipleChoices {
		return nil, a.refusal()
	}
	return decode[T](a)
}

func decode[T any](a *answer) (*T, error) {
	out := new(T)
	if err := json.Unmarshal(a.body, out); err != nil {
		return nil, fmt.Errorf("read the answer with status %d: %w", a.status, err)
	}
	return out, nil
}

// ErrTooLong is an answer of more than 32 MB, such as a CSV of many years. No part of it is returned.
var ErrTooLong = errors.New("the answer has more than 32 MB")

// do sends until it has an answer no further try would change.
func (c *Client) do(ctx context.Context, what call) (*answer, error) {
	if err := what.checkKey(); err != nil {
		return nil, err
	}
	var body []byte
	if what.body != nil {
		var err error
		if body, err = json.Marshal(what.body); err != nil {
			return nil, fmt.Errorf("write the request: %w", err)
		}
	}
	for attempt := 0; ; attempt++ {
		a, err := c.once(ctx, what, body)
		if !what.repeatable() || attempt >= c.Retries || ctx.Err() != nil || !passing(a, err) || a.retryAfter() > max(c.LongestWait, 0) {
			return a, err
		}
		if stopped := c.Wait(ctx, pause(attempt, a)); stopped != nil {
			return nil, stopped
		}
	}
}

// once makes one attempt, signed afresh.
func (c *Client) once(ctx context.Context, what call, body []byte) (*answer, error) {
	target := c.base + what.path
	if len(what.query) > 0 {
		target += "?" + what.query.Encode()
	}
	r, err := http.NewRequestWithContext(ctx, what.method, target, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("make the request: %w", err)
	}
	c.head(r, what, body)
	response, err := c.HTTP.Do(r)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", what.method, what.path, err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(response.Body, longestAnswer+1))
	if err != nil {
		return nil, fmt.Errorf("%s %s: read the answer: %w", what.method, what.path, err)
	}
	if len(text) > longestAnswer {
		return nil, fmt.Errorf("%s %s: %w", what.method, what.path, ErrTooLong)
	}
	return &answer{response.StatusCode, response.Header, text}, nil
}

func (c *Client) head(r *http.Request, what call, body []byte) {
	r.Header.Set("Accept", cmp.Or(what.accept, "application/json"))
	r.Header.Set(header(c.HeaderPrefix, "Invoke"), c.Key)
	if what.body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if what.idempotencyKey != "" {
		r.Header.Set("Idempotency-Key", what.idempotencyKey)
	}
	if c.SigningSecret != "" {
		c.sign(r, body)
	}
}

func header(prefix, name string) string {
	if prefix == "" {
		prefix = DefaultHeaderPrefix
	}
	return strings.TrimSuffix(prefix, "-") + "-" + name
}
