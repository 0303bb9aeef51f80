// Package client asks one node of Cardano through Ogmios, of version 6.
package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"causeway/chains"
	"causeway/chains/nodes"
)

// mostBytes is the longest answer that is read: Ogmios writes a full block in some megabytes.
const mostBytes = 64 << 20

// Client has one connection, and one question at a time on it. What a connection remembers, as the place of a reader in the chain, is its
// user's for one Use. It is safe for use by many goroutines.
type Client struct {
	*link

	timeout time.Duration // for one request
}

// link is the connection that a client and its turns have in common.
type link struct {
	address  string // secret
	verify   func(ctx context.Context, s *Session) error
	requests atomic.Int64
	failures atomic.Int64

	turn chan struct{} // held by the user of the rest
	open *Session
	used time.Time // when the last use has ended
	once sync.Once
	done chan struct{}
}

// New makes a client of an address with its verification of a new connection. No node is asked.
func New(address string, timeout time.Duration, verify func(ctx context.Context, s *Session) error) *Client {
	return &Client{&link{address: address, verify: verify, turn: make(chan struct{}, 1), done: make(chan struct{})}, timeout}
}

// Within returns the same client with another timeout.
func (c *Client) Within(timeout time.Duration) *Client { return &Client{c.link, timeout} }

// Requests returns how many requests were sent.
func (c *link) Requests() int64 { return c.requests.Load() }

// Failures returns how many uses have lost the node.
func (c *link) Failures() int64 { return c.failures.Load() }

// Close drops the connection, and lets no other be opened.
func (c *link) Close() {
	c.once.Do(func() {
		close(c.done)
		c.turn <- struct{}{}
		c.drop()
		<-c.turn
	})
}

// Use has f ask questions on one connection, which is opened and verified where there is none. After any error but an Error of the node
// the connection is dropped: nobody knows what it would answer next.
func (c *Client) Use(ctx context.Context, f func(s *Session) error) error {
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return fmt.Errorf("%w: the node is asked by others: %w", chains.ErrDown, ctx.Err())
	}
	select {
	case <-c.done:
		return fmt.Errorf("%w: closed", chains.ErrDown)
	default:
	}
	c.tryIdle(ctx)
	if c.open == nil {
		if err := c.dial(ctx); err != nil {
			c.failures.Add(1)
			return err
		}
	}
	s := c.open
	s.timeout = c.timeout
	err := f(s)
	c.used = time.Now()
	if s.broken {
		c.failures.Add(1)
		c.drop()
	}
	return err
}

// idle is after how long without use a connection is tried first: proxies cut such connections, and what is lost with one may have been sent.
var idle = 10 * time.Second

// tryIdle drops a connection that was not used for a while, unless the node still answers on it.
func (c *Client) tryIdle(ctx context.Context) {
	if c.open == nil || time.Since(c.used) < idle {
		return
	}
	c.open.timeout = c.timeout
	if _, err := c.open.Slot(ctx); err != nil {
		c.drop()
	}
}

func (c *Client) dial(ctx context.Context) error {
	within, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	conn, response, err := websocket.Dial(within, c.address, &websocket.DialOptions{HTTPClient: &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}})
	if response != nil && response.Body != nil {
		defer response.Body.Close()
	}
	if err != nil {
		return fmt.Errorf("%w: connect: %s", chains.ErrDown, nodes.WordsOf(err))
	}
	conn.SetReadLimit(mostBytes)
	c.open = &Session{link: c.link, conn: conn, timeout: c.timeout}
	if err := c.verify(ctx, c.open); err != nil {
		c.drop()
		return err
	}
	return nil
}

func (c *link) drop() {
	if c.open != nil {
		_ = c.open.conn.CloseNow()
		c.open = nil
	}
}

// Session is one connection.
type Session struct {
	link    *link
	conn    *websocket.Conn
	timeout time.Duration // for one request
	last    int64         // id of a question
	broken  bool
}

// Error is an error that Ogmios answers with.
type Error struct {
	Method  string
	Code    int
	Message string
	Data    json.RawMessage
}

// Error implements error.
func (e *Error) Error() string {
	return fmt.Sprintf("%s: the node answers %d: %s %s", e.Method, e.Code, nodes.Words(e.Message), nodes.Words(string(e.Data)))
}

// question is a request of JSON-RPC.
type question struct {
	Version string `json:"jsonrpc"`
	Method  string `json:"method"`
	Params  any    `json:"params,omitempty"`
	ID      int64  `json:"id"`
}

// answer is a response of JSON-RPC.
type answer struct {
	Result json.RawMessage
	Error  *Error
	ID     json.RawMessage
}

// Ask asks a question. The error is an *Error, or wraps chains.ErrDown.
func (s *Session) Ask(ctx context.Context, into any, method string, params any) error {
	id, err := s.send(ctx, method, params)
	if err != nil {
		return err
	}
	return s.receive(ctx, into, method, id)
}

// Many asks the same question several times at once, and reads the answers as they come.
func (s *Session) Many(ctx context.Context, method string, times int, each func(result json.RawMessage) error) error {
	ids := make([]int64, times)
	for i := range ids {
		var err error
		if ids[i], err = s.send(ctx, method, nil); err != nil {
			return err
		}
	}
	for _, id := range ids {
		var result json.RawMessage
		err := s.receive(ctx, &result, method, id)
		if err == nil {
			err = each(result)
		}
		if err != nil {
			s.broken = true // answers are still under way
			return err
		}
	}
	return nil
}

func (s *Session) send(ctx context.Context, method string, params any) (id int64, err error) {
	s.last++
	text, err := json.Marshal(question{"2.0", method, params, s.last})
	if err != nil {
		return 0, err
	}
	within, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	s.link.requests.Add(1)
	if err := s.conn.Write(within, websocket.MessageText, text); err != nil {
		return 0, s.lost(method, err)
	}
	return s.last, nil
}

func (s *Session) receive(ctx context.Context, into any, method string, id int64) error {
	within, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	_, text, err := s.conn.Read(within)
	if err != nil {
		return s.lost(method, err)
	}
	var got answer
	if err := json.Unmarshal(text, &got); err != nil || string(got.ID) != fmt.Sprint(id) {
		return s.odd(method)
	}
	if got.Error != nil {
		got.Error.Method = method
		return got.Error
	}
	if len(got.Result) == 0 || json.Unmarshal(got.Result, into) != nil {
		return s.odd(method)
	}
	return nil
}

func (s *Session) lost(method string, err error) error {
	s.broken = true
	return fmt.Errorf("%w: %s: %s", chains.ErrDown, method, nodes.WordsOf(err))
}

func (s *Session) odd(method string) error {
	s.broken = true
	return fmt.Errorf("%w: %s: an answer of another shape", chains.ErrDown, method)
}
