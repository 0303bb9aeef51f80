package evm_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// asked is one question on its way through a proxy.
type asked struct {
	ID     json.RawMessage   `json:"id"`
	Method string            `json:"method"`
	Params []json.RawMessage `json:"params"`
}

// answer is an answer of the node; a result or an error.
type answer struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *fault          `json:"error,omitempty"`
}

type fault struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// meddler changes answers of the node, or answers nil to leave one alone.
type meddler func(q asked, node answer) *answer

// meddling is an evm.Config.RPC. It hands every answer of the node to the present meddler.
type meddling struct {
	now atomic.Pointer[meddler]
}

func (m *meddling) set(f meddler) { m.now.Store(&f) }

// proxy serves in front of a node.
func (m *meddling) proxy(t *testing.T) func(node string) string {
	return func(node string) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			resp, err := http.Post(node, "application/json", bytes.NewReader(body))
			if err != nil {
				http.Error(w, "the node is away", http.StatusBadGateway)
				return
			}
			defer func() { _ = resp.Body.Close() }()
			through, _ := io.ReadAll(resp.Body)
			if f := m.now.Load(); f != nil {
				through = meddle(*f, body, through)
			}
			_, _ = w.Write(through)
		}))
		t.Cleanup(server.Close)
		return server.URL
	}
}

func meddle(f meddler, body, through []byte) []byte {
	if body[0] != '[' {
		var q asked
		var node answer
		_ = json.Unmarshal(body, &q)
		_ = json.Unmarshal(through, &node)
		out, _ := json.Marshal(one(f, q, node))
		return out
	}
	var questions []asked
	var answers []answer
	_ = json.Unmarshal(body, &questions)
	_ = json.Unmarshal(through, &answers)
	for i, q := range questions {
		answers[i] = one(f, q, answers[i])
	}
	out, _ := json.Marshal(answers)
	return out
}

func one(f meddler, q asked, node answer) answer {
	if changed := f(q, node); changed != nil {
		changed.Version, changed.ID = "2.0", q.ID
		return *changed
	}
	return node
}

func refuses(code int, message string) *answer { return &answer{Error: &fault{code, message}} }

func says(result string) *answer { return &answer{Result: json.RawMessage(result)} }
