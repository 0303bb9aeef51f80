package client

import (
	"bytes"
	"encoding/json"
	"fmt"

	"causeway/chains/nodes"
)

type request struct {
	Version string `json:"jsonrpc"`
	ID      int    `json:"id"`
	Method  string `json:"method"`
	Params  []any  `json:"params"`
}

type answer struct {
	ID     *int            `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func encode(questions []*Question) ([]byte, error) {
	all := make([]request, len(questions))
	for i, q := range questions {
		all[i] = request{Version: "1.0", ID: i + 1, Method: q.Method, Params: q.Params}
		if q.Params == nil {
			all[i].Params = []any{}
		}
	}
	if len(all) == 1 {
		return json.Marshal(all[0])
	}
	return json.Marshal(all)
}

// decode fits answers to their questions. Each question has exactly one.
func decode(body []byte, questions []*Question) *Error {
	answers := make([]answer, 0, len(questions))
	if len(questions) == 1 && !bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) {
		var one answer
		if err := json.Unmarshal(body, &one); err != nil {
			return &Error{Class: Down, Text: "the answer is no JSON"}
		}
		answers = append(answers, one)
	} else if err := json.Unmarshal(body, &answers); err != nil {
		var one answer
		if json.Unmarshal(body, &one) == nil && one.Error != nil {
			return refusal(questions[0].Method, one)
		}
		return &Error{Class: Down, Text: "the answer is no list of answers"}
	}
	if len(answers) != len(questions) {
		return &Error{Class: Down, Text: fmt.Sprintf("%d answers to %d questions", len(answers), len(questions))}
	}
	seen := make([]bool, len(questions))
	for _, a := range answers {
		if a.ID == nil || *a.ID < 1 || *a.ID > len(questions) || seen[*a.ID-1] {
			if len(answers) == 1 && a.ID == nil && a.Error != nil {
				return refusal(questions[0].Method, a)
			}
			return &Error{Class: Down, Text: "an answer to no question"}
		}
		seen[*a.ID-1] = true
		questions[*a.ID-1].take(a)
	}
	return nil
}

// take reads an answer into the place of its result.
func (q *Question) take(a answer) {
	q.Err = nil
	if a.Error != nil {
		q.Err = refusal(q.Method, a)
		return
	}
	if err := json.Unmarshal(a.Result, q.Result); err != nil || len(a.Result) == 0 {
		q.Err = &Error{Class: Down, Method: q.Method, Text: "an answer of another shape"}
	}
}

func refusal(method string, a answer) *Error {
	return &Error{Class: classify(method, a.Error.Code, a.Error.Message), Method: method, Code: a.Error.Code,
		Text: nodes.Words(a.Error.Message), Answer: true}
}
