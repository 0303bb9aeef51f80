// Package client asks a monerod or a monero-wallet-rpc over HTTP. It trusts no answer: answers are capped, and every failure is translated
// once, here, into an Error.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/icholy/digest"

	"causeway/chains/nodes"
)

// The largest answers. A hundred transactions without their proofs have less than a MB. A wallet server tells each of its outputs with some
// 450 bytes, all of them at a start.
const (
	maxBody   = 128 << 20
	maxWallet = 1 << 30
)

// Client asks one node, or one wallet server. It is safe for use by many goroutines.
type Client struct {
	*shared
	timeout time.Duration
}

// shared is what the turns of a client have in common.
type shared struct {
	url  string
	most int64 // bytes of an answer
	http *http.Client
	sent atomic.Int64
}

// New makes a client. The URL may have a name and a password, which are sent by HTTP digest. Timeout is for one request.
func New(endpoint string, timeout time.Duration) *Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 16
	transport.MaxResponseHeaderBytes = 64 << 10
	var trip http.RoundTripper = transport
	if u, err := url.Parse(endpoint); err == nil && u.User != nil {
		password, _ := u.User.Password()
		trip = &digest.Transport{Username: u.User.Username(), Password: password, Transport: transport}
		u.User = nil
		endpoint = u.String()
	}
	return &Client{timeout: timeout, shared: &shared{url: endpoint, most: maxBody, http: &http.Client{Transport: trip,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}}
}

// NewWallet is New for a wallet server, whose answers are larger.
func NewWallet(endpoint string, timeout time.Duration) *Client {
	c := New(endpoint, timeout)
	c.most = maxWallet
	return c
}

// Turn implements nodes.Client. A busy node is never asked again within a question.
func (c *Client) Turn(timeout time.Duration, _ bool) *Client { return &Client{c.shared, timeout} }

// Requests returns how many requests were sent.
func (c *Client) Requests() int64 { return c.sent.Load() }

// Close drops the idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Call asks a question of JSON-RPC, and reads its result. An error of the node is an *Error with its code.
func (c *Client) Call(ctx context.Context, into any, method string, params any) error {
	if params == nil {
		params = struct{}{}
	}
	var told struct {
		Result json.RawMessage
		Error  *struct {
			Code    int
			Message string
		}
	}
	question := map[string]any{"jsonrpc": "2.0", "id": "0", "method": method, "params": params}
	if err := c.post(ctx, method, "/json_rpc", question, &told); err != nil {
		return err
	}
	if told.Error != nil {
		return &Error{Method: method, Code: told.Error.Code, Text: nodes.Words(told.Error.Message), Answer: true}
	}
	return read(method, told.Result, into)
}

// Post asks one of the questions that are no JSON-RPC, such as /get_transactions.
func (c *Client) Post(ctx context.Context, into any, path string, params any) error {
	return c.post(ctx, path, path, params, into)
}

// read reads a result, and the status that answers of a node have.
func read(method string, result json.RawMessage, into any) error {
	var standing struct{ Status any }
	if json.Unmarshal(result, &standing) == nil {
		if word, is := standing.Status.(string); is && word != "OK" {
			return &Error{Method: method, Text: "status " + nodes.Words(word), Answer: true, busy: true}
		}
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(result, into); err != nil {
		return &Error{Method: method, Text: "an answer of another shape"}
	}
	return nil
}

// post sends a question and reads the answer. Its errors never carry the URL: it may have a secret.
func (c *Client) post(ctx context.Context, method, path string, question, into any) error {
	body, err := json.Marshal(question)
	if err != nil {
		return &Error{Method: method, Text: "the question cannot be written: " + err.Error(), ours: true}
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+path, bytes.NewReader(body))
	if err != nil {
		return &Error{Method: method, Text: "the URL is not usable", ours: true}
	}
	req.Header.Set("Content-Type", "application/json")
	c.sent.Add(1)
	resp, err := c.http.Do(req)
	if err != nil {
		return &Error{Method: method, Text: nodes.WordsOf(err)}
	}
	defer func() { _ = resp.Body.Close() }()
	var answer bytes.Buffer
	_, err = answer.ReadFrom(io.LimitReader(resp.Body, c.most+1))
	switch {
	case err != nil:
		return &Error{Method: method, Text: nodes.WordsOf(err)}
	case int64(answer.Len()) > c.most:
		return &Error{Method: method, Text: fmt.Sprintf("the answer is larger than %d MiB", c.most>>20)}
	case resp.StatusCode != http.StatusOK:
		return &Error{Method: method, Text: "HTTP " + strconv.Itoa(resp.StatusCode), after: nodes.RetryAfter(resp.Header)}
	}
	if err := json.Unmarshal(answer.Bytes(), into); err != nil {
		return &Error{Method: method, Text: "an answer of another shape"}
	}
	return nil
}
