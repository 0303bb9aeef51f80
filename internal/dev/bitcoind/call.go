package bitcoind

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
)

// Refusal is a node's answer with an error.
type Refusal struct {
	Status  int // of HTTP
	Code    int
	Message string
}

func (e *Refusal) Error() string { return fmt.Sprintf("%d: %s", e.Code, e.Message) }

// Call asks the node anything; result is a pointer for the decoded answer, or nil.
func (n *Node) Call(t testing.TB, result any, method string, params ...any) {
	t.Helper()
	if err := n.Try(result, method, params...); err != nil {
		t.Fatalf("%s: %s: %v", n.Network, method, err)
	}
}

// Try is Call, and returns the error: a Refusal where the node has answered.
func (n *Node) Try(result any, method string, params ...any) error {
	if params == nil {
		params = []any{}
	}
	question, err := json.Marshal(map[string]any{"jsonrpc": "1.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return err
	}
	answer, err := http.Post(n.URL, "application/json", bytes.NewReader(question))
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	var body struct {
		Result json.RawMessage
		Error  *Refusal
	}
	if err := json.NewDecoder(answer.Body).Decode(&body); err != nil {
		return fmt.Errorf("%s answers %s: %w", method, answer.Status, err)
	}
	if body.Error != nil {
		body.Error.Status = answer.StatusCode
		return body.Error
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(body.Result, result)
}
