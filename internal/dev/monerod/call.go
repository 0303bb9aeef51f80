package monerod

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
)

// Refusal is an answer with an error.
type Refusal struct {
	Code    int
	Message string
}

func (e *Refusal) Error() string { return fmt.Sprintf("%d: %s", e.Code, e.Message) }

// Call asks the program anything of its JSON-RPC; result is a pointer for the decoded answer, or nil.
func (s *program) Call(t testing.TB, result any, method string, params any) {
	t.Helper()
	if err := s.Try(result, method, params); err != nil {
		t.Fatalf("%s: %s: %v", s.name, method, err)
	}
}

// Try is Call, and returns the error: a Refusal where the program has answered.
func (s *program) Try(result any, method string, params any) error {
	var body struct {
		Result json.RawMessage
		Error  *Refusal
	}
	if params == nil {
		params = struct{}{}
	}
	if err := s.post("/json_rpc", map[string]any{"jsonrpc": "2.0", "id": "0", "method": method, "params": params}, &body); err != nil {
		return err
	}
	if body.Error != nil {
		return body.Error
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(body.Result, result)
}

// Post asks one of the node's other questions, such as /pop_blocks, which are no JSON-RPC.
func (n *Node) Post(t testing.TB, result any, path string, params any) {
	t.Helper()
	if err := n.post(path, params, result); err != nil {
		t.Fatalf("%s: %s: %v", n.name, path, err)
	}
}

func (s *program) post(path string, question, answer any) error {
	raw, err := json.Marshal(question)
	if err != nil {
		return err
	}
	got, err := http.Post(s.URL+path, "application/json", bytes.NewReader(raw))
	if err != nil {
		return err
	}
	defer func() { _ = got.Body.Close() }()
	if err := json.NewDecoder(got.Body).Decode(answer); err != nil {
		return fmt.Errorf("%s answers %s: %w", path, got.Status, err)
	}
	return nil
}
