// Package client asks a full node of Tron over HTTP, with the words of java-tron and of TronGrid. It trusts no answer: answers are capped,
// and every failure is translated once, here, into an Error.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"causeway/chains"
	"causeway/chains/nodes"
)

// maxBody is the largest answer. A block has 2 MB of transactions at most, and is told twice: in words and in hex.
const maxBody = 64 << 20

// keyHeader names the key of a provider's user.
const keyHeader = "TRON-PRO-API-KEY"

// Client asks one node. It is safe for use by many goroutines.
type Client struct {
	url, key string
	http     *http.Client
	timeout  time.Duration
	sent     *atomic.Int64
}

// New makes a client. The key is of a provider's user, "" for none. Timeout is for one request.
func New(endpoint, key string, timeout time.Duration) *Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 16
	transport.MaxResponseHeaderBytes = 64 << 10
	return &Client{url: strings.TrimRight(endpoint, "/"), key: key, timeout: timeout, sent: new(atomic.Int64), http: &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Requests returns how many requests were sent.
func (c *Client) Requests() int64 { return c.sent.Load() }

// Close drops the idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Error is a failure of a question. It wraps chains.ErrDown.
type Error struct {
	Path string
	Text string // the node's words, cut and without control characters
	// Answer says that the node itself refused the question. False where no proper answer came.
	Answer bool

	after  time.Duration // how long the node asks to wait, 0 where it does not say
	waited time.Duration // for the answer
}

// Error implements error.
func (e *Error) Error() string { return e.Path + ": " + e.Text }

// Unwrap returns chains.ErrDown.
func (e *Error) Unwrap() error { return chains.ErrDown }

// Answered reports whether err is an answer of the node itself, and not the lack of a proper one.
func Answered(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Answer
}

// Ask asks one question, such as wallet/getblock, and reads the answer. What the node does not know is an empty answer, and no error.
func (c *Client) Ask(ctx context.Context, into any, path string, question any) error {
	body, err := json.Marshal(question)
	if err != nil {
		return &Error{Path: path, Text: "the question cannot be written: " + err.Error()}
	}
	began := time.Now()
	answer, failed := c.post(ctx, path, body)
	if failed != nil {
		failed.waited = time.Since(began)
		return failed
	}
	var refusal struct{ Error string }
	if bytes.Contains(answer[:min(len(answer), 64)], []byte(`"Error"`)) && json.Unmarshal(answer, &refusal) == nil && refusal.Error != "" {
		return &Error{Path: path, Text: nodes.Words(refusal.Error), Answer: true}
	}
	if err := json.Unmarshal(answer, into); err != nil {
		return &Error{Path: path, Text: "an answer of another shape"}
	}
	return nil
}

// post sends a body and reads the answer. Its errors never carry the URL: it may have a key.
func (c *Client) post(ctx context.Context, path string, body []byte) ([]byte, *Error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+"/"+path, bytes.NewReader(body))
	if err != nil {
		return nil, &Error{Path: path, Text: "the node's URL is not usable"}
	}
	req.Header.Set("Content-Type", "application/json")
	if c.key != "" {
		req.Header.Set(keyHeader, c.key)
	}
	c.sent.Add(1)
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, &Error{Path: path, Text: nodes.WordsOf(err)}
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := readAll(resp)
	switch {
	case err != nil:
		return nil, &Error{Path: path, Text: nodes.WordsOf(err)}
	case len(answer) > maxBody:
		return nil, &Error{Path: path, Text: "the answer is larger than 64 MiB"}
	case resp.StatusCode == http.StatusUnauthorized, resp.StatusCode == http.StatusForbidden:
		return nil, &Error{Path: path, Text: "the node refuses the key (api_key) or this machine: HTTP " + strconv.Itoa(resp.StatusCode),
			after: nodes.RetryAfter(resp.Header)}
	case resp.StatusCode != http.StatusOK:
		return nil, &Error{Path: path, Text: "HTTP " + strconv.Itoa(resp.StatusCode), after: nodes.RetryAfter(resp.Header)}
	}
	return answer, nil
}

// readAll reads an answer, and one byte more than the most allowed.
func readAll(resp *http.Response) ([]byte, error) {
	var out bytes.Buffer
	if resp.ContentLength > 0 && resp.ContentLength <= maxBody {
		out.Grow(int(resp.ContentLength) + bytes.MinRead)
	}
	_, err := out.ReadFrom(io.LimitReader(resp.Body, maxBody+1))
	return out.Bytes(), err
}
