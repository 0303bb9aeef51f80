// Package client speaks JSON-RPC over HTTP to the node of an EVM network. It trusts no answer: answers are capped, every answer
// is matched to its question, and every failure is translated once, here, into an Error.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"causeway/chains/nodes"
)

// Client asks one node. It is safe for use by many goroutines.
type Client struct {
	url     string
	http    *http.Client
	timeout time.Duration
	batch   int
	sent    *atomic.Int64
	budget  *rate.Limiter // nil where there is none
	hasty   bool          // a busy node is not asked again, since there are others
}

// New makes a client. Timeout is for one HTTP request; batch is the most questions in one, 1 for nodes without batches.
func New(endpoint string, timeout time.Duration, batch int) *Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 8
	transport.MaxResponseHeaderBytes = 64 << 10
	return &Client{
		url:     endpoint,
		timeout: timeout,
		batch:   max(batch, 1),
		sent:    new(atomic.Int64),
		http: &http.Client{
			Transport:     transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// Within returns the same client with another timeout; both share their connections.
func (c *Client) Within(timeout time.Duration) *Client {
	other := *c
	other.timeout = timeout
	return &other
}

// Requests returns how many HTTP requests were sent, those of Within too.
func (c *Client) Requests() int64 { return c.sent.Load() }

// Close drops the idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Question is one call. Result points to the place of the decoded answer. Without an answer that is zero; a null leaves a
// pointer in it nil. Err is the node's own error for this question, or an answer of another shape.
type Question struct {
	Method string
	Params []any
	Result any
	Err    error
	unread []string
}

// Ask makes a question.
func Ask(result any, method string, params ...any) *Question {
	return &Question{Method: method, Params: params, Result: result}
}

// Without names unread members of the answer: they do not count as part of it, however long they are. In a batch the names hold
// for all its answers.
func (q *Question) Without(members ...string) *Question {
	q.unread = members
	return q
}

// Call asks one question. Errors are *Error.
func (c *Client) Call(ctx context.Context, result any, method string, params ...any) error {
	q := Ask(result, method, params...)
	if err := c.send(ctx, []*Question{q}); err != nil {
		return err
	}
	return q.Err
}

// Batch asks questions together, in as many requests as are needed, and returns the first failure of a request or
// question. Errors are *Error.
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

// Each is like Batch, but leaves the errors of single questions in the questions. One such error is a single answer too large.
func (c *Client) Each(ctx context.Context, questions ...*Question) error {
	for len(questions) > 0 {
		n := min(c.batch, len(questions))
		if err := c.halves(ctx, questions[:n]); err != nil {
			return err
		}
		questions = questions[n:]
	}
	return nil
}

// halves asks questions together, and those too much for one answer in two halves.
func (c *Client) halves(ctx context.Context, questions []*Question) error {
	err := c.send(ctx, questions)
	switch {
	case err != nil && !IsClass(err, Limit):
		return err
	case len(questions) == 1:
		if err != nil {
			questions[0].Err = err
		}
		return nil
	case err == nil:
		questions = limited(questions)
	}
	if len(questions) == 0 {
		return nil
	}
	for half := range slices.Chunk(questions, (len(questions)+1)/2) {
		if err := c.halves(ctx, half); err != nil {
			return err
		}
	}
	return nil
}

// limited returns the questions of a batch left out by the node because others took all the room.
func limited(questions []*Question) []*Question {
	var out []*Question
	for _, q := range questions {
		if IsClass(q.Err, Limit) {
			out = append(out, q)
		}
	}
	return out
}

func (c *Client) send(ctx context.Context, questions []*Question) error {
	method := questions[0].Method
	if failed := c.retried(ctx, questions); failed != nil {
		failed.Method = method
		return failed
	}
	return nil
}

// once sends questions in one request and reads the answers.
func (c *Client) once(ctx context.Context, questions []*Question) *Error {
	body, err := encode(questions)
	if err != nil {
		return &Error{Class: Down, Text: "the question cannot be written: " + err.Error(), ours: true}
	}
	answer, failed := c.post(ctx, body, unread(questions))
	if failed != nil {
		return failed
	}
	return decode(answer, questions)
}

func unread(questions []*Question) map[string]bool {
	names := map[string]bool{}
	for _, q := range questions {
		for _, name := range q.unread {
			names[name] = true
		}
	}
	return names
}

// post sends a body and reads the answer. Its errors never carry the URL: it may hold a provider's key.
func (c *Client) post(whole context.Context, body []byte, unread map[string]bool) ([]byte, *Error) {
	if failed := c.inBudget(whole); failed != nil {
		return nil, failed
	}
	ctx, cancel := context.WithTimeout(whole, c.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return nil, &Error{Class: Down, Text: "the node's URL is not usable"}
	}
	req.Header.Set("Content-Type", "application/json")
	c.sent.Add(1)
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, unanswered(whole, err)
	}
	defer func() { _ = resp.Body.Close() }()
	answer := &slimmer{unread: unread}
	_, err = io.Copy(answer, resp.Body)
	switch {
	case errors.Is(err, errLarge) || err == nil && resp.StatusCode == http.StatusRequestEntityTooLarge:
		return nil, &Error{Class: Limit, Text: errLarge.Error()}
	case err != nil:
		return nil, unanswered(whole, err)
	case passing(resp.StatusCode):
		return nil, &Error{Class: Busy, Text: "HTTP " + strconv.Itoa(resp.StatusCode), after: nodes.RetryAfter(resp.Header)}
	case resp.StatusCode != http.StatusOK && !json.Valid(answer.kept):
		return nil, &Error{Class: Down, Text: "HTTP " + strconv.Itoa(resp.StatusCode)}
	}
	return answer.kept, nil
}

// unanswered is the error of a request without an answer: Late when its own time ended, and not the caller's.
func unanswered(whole context.Context, err error) *Error {
	class := Down
	if whole.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		class = Late
	}
	return &Error{Class: class, Text: nodes.WordsOf(err)}
}
