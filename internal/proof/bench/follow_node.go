package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"time"
)

// replay is a chain of prepared blocks. Its node asks one thing after the other.
type replay interface {
	// settings are a networks file for the worker.
	settings(url string) string
	// add prepares the next block, with a payment to each of some addresses.
	add(pays []payee)
	// height is the last block's.
	height() int64
	// answer returns the result of a question, in pieces, while the node has blocks up to top; or the error, both as JSON.
	answer(top int64, method string, params []json.RawMessage) (result [][]byte, failure string)
	// questions are those that nobody can do without who reads a block.
	questions(height int64) []string
}

// pathReplay is a replay of a network with nodes asked by a path, or with a form of their own. Its questions are a path and a body;
// without a path the answer has a result.
type pathReplay interface {
	answerAt(top int64, path string, body []byte) [][]byte
}

// node answers the questions about a replay, of JSON-RPC or by a path.
type node struct {
	url    string
	server *httptest.Server

	mu     sync.Mutex
	chain  replay
	top    int64 // the blocks above it are prepared, and not shown
	moment time.Time
	count  asking
}

// asking counts the questions to a node.
type asking struct {
	requests int64 // of HTTP, or messages on a lasting connection
	calls    int64 // billed by providers; a request may have several
}

func serveReplay(chain replay) *node {
	n := &node{chain: chain, top: chain.height()}
	n.server = httptest.NewServer(n)
	n.url = n.server.URL
	return n
}

func (n *node) close() { n.server.Close() }

func (n *node) add(pays []payee) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.chain.add(pays)
}

// show shows the prepared blocks, and returns the height of the last block.
func (n *node) show() int64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.top, n.moment = n.chain.height(), time.Time{}
	return n.top
}

// asked is when the node was asked first since it has shown more.
func (n *node) asked() time.Time {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.moment
}

// since is the questions a minute after an earlier count.
func (a asking) since(b asking, took time.Duration) perMinute {
	return perMinute{float64(a.requests-b.requests) / took.Minutes(), float64(a.calls-b.calls) / took.Minutes()}
}

// requests is how many were answered.
func (n *node) requests() int64 { return n.counted().requests }

func (n *node) counted() asking {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.count
}

// asks counts a request with so many calls.
func (n *node) asks(calls int) {
	n.count.requests++
	n.count.calls += int64(calls)
}

type question struct {
	ID     json.RawMessage   `json:"id"`
	Method string            `json:"method"`
	Params []json.RawMessage `json:"params"`
}

// ServeHTTP answers one question, or a list of them, or those on a lasting connection.
func (n *node) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if chain, ok := n.chain.(*cardanoReplay); ok && r.Header.Get("Upgrade") != "" {
		n.serveCardano(w, r, chain)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	pieces := n.say(strings.TrimPrefix(r.URL.Path, "/"), body)
	size := 0
	for _, p := range pieces {
		size += len(p)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(size))
	for _, p := range pieces {
		if _, err := w.Write(p); err != nil {
			return
		}
	}
}

func (n *node) say(path string, body []byte) (out [][]byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.moment.IsZero() {
		n.moment = time.Now()
	}
	if chain, ok := n.chain.(pathReplay); ok {
		n.asks(1)
		return chain.answerAt(n.top, path, body)
	}
	if !bytes.HasPrefix(body, []byte("[")) {
		n.asks(1)
		var one question
		if json.Unmarshal(body, &one) != nil {
			return nil
		}
		return n.sayOne(nil, one)
	}
	var many []question
	defer func() { n.asks(len(many)) }()
	if json.Unmarshal(body, &many) != nil {
		return nil
	}
	for i, q := range many {
		mark := ","
		if i == 0 {
			mark = "["
		}
		out = n.sayOne(append(out, []byte(mark)), q)
	}
	return append(out, []byte("]"))
}

func (n *node) sayOne(out [][]byte, q question) [][]byte {
	result, failure := n.chain.answer(n.top, q.Method, q.Params)
	if failure != "" {
		return append(out, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":%s}`, q.ID, failure))
	}
	out = append(out, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":`, q.ID))
	return append(append(out, result...), []byte("}"))
}

// bare reads the same blocks and only decodes the JSON of the answers. Whoever follows a network cannot do less.
func (f *following) bare() (float64, error) {
	start, read := time.Now(), 0
	top := f.node.chain.height()
	for height := top - int64(f.blocks) + 1; height <= top; height++ {
		for _, q := range f.node.chain.questions(height) {
			if err := f.bareQuestion(q); err != nil {
				return 0, err
			}
		}
		read++
	}
	return float64(read) / time.Since(start).Seconds(), nil
}

func (f *following) bareQuestion(q string) error {
	path, asked, ok := strings.Cut(q, " ")
	if _, byPath := f.node.chain.(pathReplay); !byPath || !ok {
		path, asked = "", q
	}
	request, err := http.NewRequestWithContext(f.ctx, http.MethodPost, f.node.url+"/"+path, strings.NewReader(asked))
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if path != "" {
		var answer any
		return json.Unmarshal(body, &answer)
	}
	var answer struct {
		Result any `json:"result"`
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Result == nil {
		return fmt.Errorf("the answer to %.80s: %w", q, err)
	}
	return nil
}
