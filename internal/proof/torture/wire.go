package main

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"
)

// wire is the way from the product to a node. It loses questions and answers alike, and breaks the connection for each.
type wire struct {
	url    string // with the node's user and password
	to     *url.URL
	server *http.Server
	chance *chance

	mu        sync.Mutex
	lose      int    // percent
	broadcast string // timeout: no transaction comes to the node; timeout-after-send: the answer is lost
}

// lay lays a wire to a node.
func (t *torture) lay(node string) (*wire, error) {
	to, err := url.Parse(node)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	here := *to
	here.Host = listener.Addr().String()
	w := &wire{url: here.String(), to: to, chance: t.chance("wire")}
	w.server = &http.Server{Handler: w, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		if err := w.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			say("wire: %v", err)
		}
	}()
	return w, nil
}

func (w *wire) close() { _ = w.server.Close() }

func (w *wire) fault(way map[string]string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if percent, err := strconv.Atoi(way["lose"]); err == nil {
		w.lose = percent
	}
	if how := way["broadcast"]; how != "" {
		w.broadcast = how
	}
}

func (w *wire) clear() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lose, w.broadcast = 0, ""
}

// fate says where a request is lost, if it is.
func (w *wire) fate(body []byte) (before, after bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if bytes.Contains(body, []byte("sendrawtransaction")) {
		before, after = w.broadcast == "timeout", w.broadcast == "timeout-after-send"
	}
	if w.chance.in(w.lose) {
		late := w.chance.in(50)
		before, after = before || !late, after || late
	}
	return before, after
}

// ServeHTTP passes a request on.
func (w *wire) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	before, after := w.fate(body)
	if before {
		panic(http.ErrAbortHandler)
	}
	there := *w.to
	there.Path = r.URL.Path
	answer, err := http.Post(there.String(), "application/json", bytes.NewReader(body))
	if err != nil {
		panic(http.ErrAbortHandler) // the node starts again
	}
	defer func() { _ = answer.Body.Close() }()
	content, err := io.ReadAll(answer.Body)
	if err != nil || after {
		panic(http.ErrAbortHandler)
	}
	out.Header().Set("Content-Type", "application/json")
	out.WriteHeader(answer.StatusCode)
	_, _ = out.Write(content)
}
