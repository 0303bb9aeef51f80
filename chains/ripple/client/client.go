// Package client asks a rippled or a Clio by JSON-RPC. It trusts no answer: answers are capped, and every failure is translated once, here,
// into an Error.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"causeway/chains/nodes"
)

// maxBody is the largest answer. A full ledger has some MB of transactions and metadata in hex.
const maxBody = 64 << 20

// version is the version of the API whose members are read.
const version = 2

// Client asks one node. It is safe for use by many goroutines.
type Client struct {
	*shared
	timeout time.Duration
}

// shared is what the turns of a client have in common.
type shared struct {
	url  string
	http *http.Client
	sent atomic.Int64
}

// New makes a client of the node at an address. Timeout is for one request.
func New(address string, timeout time.Duration) *Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 16
	transport.MaxResponseHeaderBytes = 64 << 10
	return &Client{timeout: timeout, shared: &shared{url: address, http: &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}}
}

// Turn implements nodes.Client. A busy node is never asked again within a question.
func (c *Client) Turn(timeout time.Duration, _ bool) *Client {
	return &Client{c.shared, timeout}
}

// Requests returns how many requests were sent.
func (c *Client) Requests() int64 { return c.sent.Load() }

// Close drops the idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Call asks one question, such as account_info, and reads its result. An error of the node is an *Error with its word.
func (c *Client) Call(ctx context.Context, into any, method string, params map[string]any) error {
	said := map[string]any{"api_version": version}
	for name, value := range params {
		said[name] = value
	}
	body, err := json.Marshal(map[string]any{"method": method, "params": []any{said}})
	if err != nil {
		return &Error{Method: method, Text: "the question cannot be written: " + err.Error(), ours: true}
	}
	answer, err := c.post(ctx, method, body)
	if err != nil {
		return err
	}
	var told struct {
		Result json.RawMessage `json:"result"`
	}
	var fault struct {
		Status    string
		Error     any
		Message   string `json:"error_message"`
		Exception string `json:"error_exception"`
	}
	if json.Unmarshal(answer, &told) != nil || json.Unmarshal(told.Result, &fault) != nil {
		return &Error{Method: method, Text: "an answer of another shape"}
	}
	if word, is := fault.Error.(string); is && word != "" {
		return &Error{Method: method, Word: nodes.Words(word), Text: nodes.Words(strings.TrimSpace(word + " " + fault.Message + " " + fault.Exception)), Answer: true}
	}
	if fault.Error != nil || fault.Status != "success" {
		return &Error{Method: method, Text: "an answer without success"}
	}
	if err := json.Unmarshal(told.Result, into); err != nil {
		return &Error{Method: method, Text: "an answer of another shape"}
	}
	return nil
}

// post sends a body and reads the answer. Its errors never carry the URL: it may have a secret.
func (c *Client) post(ctx context.Context, method string, body []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return nil, &Error{Method: method, Text: "the node's URL is not usable", ours: true}
	}
	req.Header.Set("Content-Type", "application/json")
	c.sent.Add(1)
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, &Error{Method: method, Text: nodes.WordsOf(err)}
	}
	defer func() { _ = resp.Body.Close() }()
	var answer bytes.Buffer
	_, err = answer.ReadFrom(io.LimitReader(resp.Body, maxBody+1))
	switch busy := resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusServiceUnavailable; {
	case err != nil:
		return nil, &Error{Method: method, Text: nodes.WordsOf(err)}
	case answer.Len() > maxBody:
		return nil, &Error{Method: method, Text: "the answer is larger than 64 MiB"}
	case resp.StatusCode != http.StatusOK:
		e := &Error{Method: method, Text: "HTTP " + strconv.Itoa(resp.StatusCode)}
		if busy {
			e.after = nodes.RetryAfter(resp.Header)
		}
		return nil, e
	}
	return answer.Bytes(), nil
}
