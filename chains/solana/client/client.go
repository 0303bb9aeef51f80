// Package client asks a node of Solana by JSON-RPC. It trusts no answer: answers are capped, and every failure is translated once, here, into
// an Error.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"causeway/chains/nodes"
)

// maxBody is the largest answer: a thousand signatures, a hundred accounts, or one transaction.
const maxBody = 16 << 20

// Client asks one node. It is safe for use by many goroutines.
type Client struct {
	url     string
	http    *http.Client
	timeout time.Duration
	sent    *atomic.Int64
}

// New makes a client. Timeout is for one request.
func New(endpoint string, timeout time.Duration) *Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 16
	transport.MaxResponseHeaderBytes = 64 << 10
	return &Client{url: endpoint, timeout: timeout, sent: new(atomic.Int64), http: &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Within returns the same client with another timeout for one request.
func (c *Client) Within(timeout time.Duration) *Client {
	other := *c
	other.timeout = timeout
	return &other
}

// Requests returns how many requests were sent.
func (c *Client) Requests() int64 { return c.sent.Load() }

// Close drops the idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// reply is an answer of the node.
type reply struct {
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
		Data    json.RawMessage
	}
}

// Ask asks one question, such as getSlot, and reads the answer.
func (c *Client) Ask(ctx context.Context, into any, method string, params ...any) error {
	if params == nil {
		params = []any{}
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return &Error{Method: method, Text: "the question cannot be written: " + err.Error()}
	}
	began := time.Now()
	answer, failed := c.post(ctx, method, body)
	if failed != nil {
		failed.waited = time.Since(began)
		return failed
	}
	var out reply
	if err := json.Unmarshal(answer, &out); err != nil || out.Result == nil && out.Error == nil {
		return &Error{Method: method, Text: "an answer of another shape"}
	}
	if out.Error != nil {
		if out.Error.Code == 0 {
			out.Error.Code = -1
		}
		return &Error{Method: method, Code: out.Error.Code, Text: nodes.Words(out.Error.Message), Data: out.Error.Data}
	}
	if err := json.Unmarshal(out.Result, into); err != nil {
		return &Error{Method: method, Text: "an answer of another shape"}
	}
	return nil
}

// post sends a body and reads the answer. Its errors never carry the URL: it may have a key.
func (c *Client) post(ctx context.Context, method string, body []byte) ([]byte, *Error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return nil, &Error{Method: method, Text: "the node's URL is not usable"}
	}
	req.Header.Set("Content-Type", "application/json")
	c.sent.Add(1)
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, &Error{Method: method, Text: nodes.WordsOf(err)}
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	switch {
	case err != nil:
		return nil, &Error{Method: method, Text: nodes.WordsOf(err)}
	case len(answer) > maxBody:
		return nil, &Error{Method: method, Text: "the answer is larger than 16 MiB"}
	case resp.StatusCode == http.StatusUnauthorized, resp.StatusCode == http.StatusForbidden:
		return nil, &Error{Method: method, Text: "the node refuses the key in its URL, or this machine: HTTP " + strconv.Itoa(resp.StatusCode),
			after: nodes.RetryAfter(resp.Header)}
	case resp.StatusCode != http.StatusOK:
		return nil, &Error{Method: method, Text: "HTTP " + strconv.Itoa(resp.StatusCode), after: nodes.RetryAfter(resp.Header)}
	}
	return answer, nil
}
