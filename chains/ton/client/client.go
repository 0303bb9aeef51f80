// Package client asks a node's HTTP API of TON (toncenter's, version 2) by JSON-RPC. It trusts no answer: answers are capped, and every failure
// is translated once, here, into an Error.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"causeway/chains/nodes"
)

// The largest answers. Anybody can make transactions of ours large: a list that is larger than mostOfMany is asked for in parts, and one transaction
// is below maxBody.
const (
	maxBody    = 16 << 20
	mostOfMany = 4 << 20
)

// Client asks one node. It is safe for use by many goroutines.
type Client struct {
	*shared
	timeout time.Duration
}

// shared is what the turns of a client have in common.
type shared struct {
	url, key string
	http     *http.Client
	sent     atomic.Int64
}

// New makes a client of the node at an address. Key is of a provider's user, sent in the header X-API-Key; "" for none. Timeout is for one
// request.
func New(address, key string, timeout time.Duration) *Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 16
	transport.MaxResponseHeaderBytes = 64 << 10
	return &Client{timeout: timeout, shared: &shared{url: address, key: key, http: &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}}
}

// Turn implements nodes.Client. A busy node is never asked again within a question.
func (c *Client) Turn(timeout time.Duration, _ bool) *Client { return &Client{c.shared, timeout} }

// Requests returns how many requests were sent.
func (c *Client) Requests() int64 { return c.sent.Load() }

// Close drops the idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// call asks one question. An error of the node is an *Error that says Answer.
func (c *Client) call(ctx context.Context, into any, method string, params map[string]any) error {
	return c.callFor(ctx, into, method, params, maxBody)
}

// callFor is call for an answer of so many bytes at most.
func (c *Client) callFor(ctx context.Context, into any, method string, params map[string]any, most int64) error {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return &Error{Method: method, Text: "the question cannot be written: " + err.Error(), ours: true}
	}
	code, header, answer, err := c.post(ctx, method, body, most)
	if err != nil {
		return err
	}
	var told struct {
		OK     bool
		Result json.RawMessage
		Error  string
	}
	if json.Unmarshal(answer, &told) != nil {
		return &Error{Method: method, Text: "HTTP " + strconv.Itoa(code) + ", and an answer of another shape", after: nodes.RetryAfter(header)}
	}
	if !told.OK {
		return &Error{Method: method, Text: nodes.Words(told.Error), Code: code, Answer: code != http.StatusTooManyRequests && code < http.StatusBadGateway,
			after: nodes.RetryAfter(header)}
	}
	if err := json.Unmarshal(told.Result, into); err != nil {
		return &Error{Method: method, Text: "an answer of another shape"}
	}
	return nil
}

// post sends a body and reads the answer. Its errors never carry the URL: it may have a secret.
func (c *Client) post(ctx context.Context, method string, body []byte, most int64) (int, http.Header, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return 0, nil, nil, &Error{Method: method, Text: "the node's URL is not usable", ours: true}
	}
	req.Header.Set("Content-Type", "application/json")
	if c.key != "" {
		req.Header.Set("X-API-Key", c.key)
	}
	c.sent.Add(1)
	resp, err := c.http.Do(req)
	if err != nil {
		return 0, nil, nil, &Error{Method: method, Text: nodes.WordsOf(err)}
	}
	defer func() { _ = resp.Body.Close() }()
	var answer bytes.Buffer
	if _, err = answer.ReadFrom(io.LimitReader(resp.Body, most+1)); err != nil {
		return 0, nil, nil, &Error{Method: method, Text: nodes.WordsOf(err)}
	}
	if int64(answer.Len()) > most {
		return 0, nil, nil, &Error{Method: method, Text: fmt.Sprintf("the answer is larger than %d MiB", most>>20), unread: true}
	}
	return resp.StatusCode, resp.Header, answer.Bytes(), nil
}
