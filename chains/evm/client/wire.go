package client

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	"causeway/chains/nodes"
)

type request struct {
	Version string `json:"jsonrpc"`
	ID      int    `json:"id"`
	Method  string `json:"method"`
	Params  []any  `json:"params"`
}

type response struct {
	ID     json.RawMessage `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

// encode writes one question as an object and several as a batch. Ids are the places in the batch, from 1.
func encode(questions []*Question) ([]byte, error) {
	requests := make([]request, len(questions))
	for i, q := range questions {
		requests[i] = request{Version: "2.0", ID: i + 1, Method: q.Method, Params: q.Params}
		if q.Params == nil {
			requests[i].Params = []any{}
		}
	}
	if len(requests) == 1 {
		return json.Marshal(requests[0])
	}
	return json.Marshal(requests)
}

// decode gives every question its answer, whatever their order. A question without one is a failure of the request.
func decode(answer []byte, questions []*Question) *Error {
	responses, failed := parse(answer)
	if failed != nil {
		return failed
	}
	if len(questions) == 1 && len(responses) == 1 {
		take(questions[0], responses[0])
		return nil
	}
	answered := make([]bool, len(questions))
	for _, r := range responses {
		var id int
		if json.Unmarshal(r.ID, &id) != nil || id < 1 || id > len(questions) || answered[id-1] {
			if r.Error != nil {
				return fault("", r)
			}
			return &Error{Class: Down, Text: "an answer to nothing that was asked"}
		}
		answered[id-1] = true
		take(questions[id-1], r)
	}
	for i, yes := range answered {
		if !yes {
			return &Error{Class: Down, Text: fmt.Sprintf("question %d of %d is not answered", i+1, len(questions))}
		}
	}
	return nil
}

func parse(answer []byte) ([]response, *Error) {
	answer = bytes.TrimSpace(answer)
	if len(answer) > 0 && answer[0] == '[' {
		return parseMany(answer)
	}
	one, failed := parseOne(answer)
	if failed != nil || one.Error == nil && one.Result == nil {
		return nil, &Error{Class: Down, Text: "not JSON-RPC"}
	}
	return []response{one}, nil
}

func parseOne(answer []byte) (one response, failed error) {
	result, rest, split := splitResult(answer)
	failed = json.Unmarshal(rest, &one)
	if split {
		one.Result = result
	}
	return one, failed
}

func parseMany(answer []byte) (many []response, failed *Error) {
	for _, element := range elements(answer) {
		one, err := parseOne(element)
		if err != nil {
			return nil, &Error{Class: Down, Text: "not JSON-RPC"}
		}
		many = append(many, one)
	}
	if many == nil && json.Unmarshal(answer, &many) != nil {
		return nil, &Error{Class: Down, Text: "not JSON-RPC"}
	}
	return many, nil
}

// take gives a question its answer, and removes an earlier one. An answer of another shape leaves nothing: half of it, or a
// zero, would look like an answer. An empty text alone is no quantity and no data, though the library reads it as one.
func take(q *Question, r response) {
	into := reflect.ValueOf(q.Result).Elem()
	into.SetZero()
	q.Err = nil
	if r.Error != nil {
		q.Err = fault(q.Method, r)
		return
	}
	if r.Result == nil {
		q.Err = &Error{Class: Down, Method: q.Method, Text: "neither result nor error"}
		return
	}
	if string(r.Result) == `""` || read(r.Result, q.Result) != nil {
		into.SetZero()
		q.Err = &Error{Class: Down, Method: q.Method, Text: "an answer of another shape"}
	}
}

// read decodes a result. A list of logs is decoded as it is: its own method would have each byte looked at twice more.
func read(result []byte, into any) error {
	if logs, ok := into.(*Logs); ok && string(result) != "null" {
		return json.Unmarshal(result, (*[]Log)(logs))
	}
	return json.Unmarshal(result, into)
}

func fault(method string, r response) *Error {
	return &Error{
		Class:  classify(method, r.Error.Code, r.Error.Message),
		Method: method,
		Code:   r.Error.Code,
		Text:   nodes.Words(r.Error.Message),
		Data:   revertData(r.Error.Data),
		Answer: true,
	}
}
