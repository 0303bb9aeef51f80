// Package client speaks JSON-RPC over HTTP to the nodes of Bitcoin and its kin, in the dialect of each. It trusts no answer: answers
// are capped, each is matched to its question, and every failure is translated once, here, into an Error.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"causeway/chains/nodes"
)

// maxBody is the largest answer but those of Raw: a block of Litecoin in words has some twenty megabytes.
const maxBody = 256 << 20

// batch is the most questions in one HTTP request.
const batch = 100

// Client asks one node. It is safe for use by many goroutines.
type Client struct {
	url     string
	http    *http.Client
	timeout time.Duration
	sent    *atomic.Int64
}

// New makes a client. The URL may have the name and the password of the node's RPC user. Timeout is for one HTTP request.
func New(endpoint string, timeout time.Duration) *Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 8
	transport.MaxResponseHeaderBytes = 64 << 10
	return &Client{url: endpoint, timeout: timeout, sent: new(atomic.Int64), http: &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Within returns the same client with another timeout; both share their connections.
func (c *Client) Within(timeout time.Duration) *Client {
	other := *c
	other.timeout = timeout
	return &other
}

// Same reports whether both clients ask the same node.
func (c *Client) Same(other *Client) bool { return c.sent == other.sent }

// Requests returns how many HTTP requests were sent.
func (c *Client) Requests() int64 { return c.sent.Load() }

// Close drops the idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Question is one call. Result points to the place of the decoded answer. Err is the node's own error for this question, or an answer
// of another shape.
type Question struct {
	Method string
	Params []any
	Result any
	Err    error
}

// Ask makes a question.
func Ask(result any, method string, params ...any) *Question {
	return &Question{Method: method, Params: params, Result: result}
}

// Call asks one question. Errors are *Error.
func (c *Client) Call(ctx context.Context, result any, method string, params ...any) error {
	return c.Batch(ctx, Ask(result, method, params...))
}

// Batch asks questions together and in their order, and returns the first failure of a request or a question. Errors are *Error.
func (c *Client) Batch(ctx context.Context, questions ...*Question) error {
	if err := c.Each(ctx, questions...); err != nil {
		return err
	}
	for _, q := range questions {
		if q.Err != nil {
			return q.Err
		}
	}
	return nil
}

// Each is like Batch, but leaves the errors of single questions in the questions.
func (c *Client) Each(ctx context.Context, questions ...*Question) error {
	for len(questions) > 0 {
		n := min(batch, len(questions))
		began := time.Now()
		if failed := c.send(ctx, questions[:n]); failed != nil {
			failed.waited = time.Since(began)
			failed.Method = questions[0].Method
			return failed
		}
		questions = questions[n:]
	}
	return nil
}

func (c *Client) send(ctx context.Context, questions []*Question) *Error {
	body, err := encode(questions)
	if err != nil {
		return &Error{Class: Down, Text: "the question cannot be written: " + err.Error()}
	}
	answer, failed := c.post(ctx, body)
	if failed != nil {
		return failed
	}
	return decode(answer, questions)
}

// post sends a body and reads the answer.
func (c *Client) post(ctx context.Context, body []byte) ([]byte, *Error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	resp, failed := c.open(ctx, body)
	if failed != nil {
		return nil, failed
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := readAll(resp)
	switch {
	case err != nil:
		return nil, unanswered(err)
	case len(answer) > maxBody:
		return nil, &Error{Class: Limit, Text: "the answer is larger than 256 MiB"}
	case resp.StatusCode != http.StatusOK && !json.Valid(answer):
		return nil, &Error{Class: Down, Text: "HTTP " + strconv.Itoa(resp.StatusCode), after: nodes.RetryAfter(resp.Header)}
	}
	return answer, nil
}

// open sends a body, and returns the answer before it is read. Its errors never carry the URL: it has a password.
func (c *Client) open(ctx context.Context, body []byte) (*http.Response, *Error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return nil, &Error{Class: Down, Text: "the node's URL is not usable"}
	}
	req.Header.Set("Content-Type", "application/json")
	// Nodes close connections that were idle. What was just sent on one is sent again on another: every question may be asked twice. This
	// header says so to net/http, and is not sent.
	req.Header["Idempotency-Key"] = nil
	c.sent.Add(1)
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, unanswered(err)
	}
	if resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden {
		_ = resp.Body.Close()
		return nil, &Error{Class: Down, Text: "the node refuses the user or the address of this machine: HTTP " + strconv.Itoa(resp.StatusCode)}
	}
	return resp, nil
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

// unanswered is the error of a request without an answer: Late when its time ended.
func unanswered(err error) *Error {
	class := Down
	if errors.Is(err, context.DeadlineExceeded) {
		class = Late
	}
	return &Error{Class: class, Text: nodes.WordsOf(err)}
}
