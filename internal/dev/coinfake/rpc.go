package coinfake

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
)

// failure is the error of an answer.
type failure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func fail(code int, message string) *failure { return &failure{code, message} }

type question struct {
	ID     json.RawMessage
	Method string
	Params params
}

// params are the arguments of a call.
type params []json.RawMessage

// read decodes an argument, and reports whether it is there and of the kind.
func (p params) read(i int, into any) bool {
	return i < len(p) && json.Unmarshal(p[i], into) == nil
}

// ServeHTTP answers one question, or several together.
func (n *Node) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if user, password, _ := r.BasicAuth(); user != "test" || password != "test" {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if n.longest > 0 && r.ContentLength > n.longest {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		return
	}
	var body json.RawMessage
	if json.NewDecoder(r.Body).Decode(&body) != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	var many []question
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) && json.Unmarshal(body, &many) == nil {
		answers := make([]any, len(many))
		for i, q := range many {
			_, answers[i] = n.answer(q)
		}
		_ = json.NewEncoder(w).Encode(answers)
		return
	}
	var q question
	_ = json.Unmarshal(body, &q)
	status, answer := n.answer(q)
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer)
}

// answer answers one question, with the status of HTTP that nodes give it.
func (n *Node) answer(q question) (status int, answer object) {
	n.mu.Lock()
	defer n.mu.Unlock()
	method, ok := methods[q.Method]
	if !ok || n.deny[q.Method] {
		return http.StatusNotFound, object{"result", nil, "error", fail(-32601, "Method not found"), "id", q.ID}
	}
	result, failed := method(&n.chain, q.Params)
	if failed != nil {
		return http.StatusInternalServerError, object{"result", nil, "error", failed, "id", q.ID}
	}
	return http.StatusOK, object{"result", result, "error", nil, "id", q.ID}
}

// object is an object of JSON that keeps the order of its keys: keys and values in turns. A value of absent leaves its key out.
type object []any

type absent struct{}

// MarshalJSON writes the object.
func (o object) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i := 0; i < len(o); i += 2 {
		if o[i+1] == any(absent{}) {
			continue
		}
		key, err := json.Marshal(o[i])
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(o[i+1])
		if err != nil {
			return nil, err
		}
		if out.Len() > 1 {
			out.WriteByte(',')
		}
		out.Write(key)
		out.WriteByte(':')
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}
