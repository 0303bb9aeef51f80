package tronnode

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
)

// question has the fields of all questions.
type question struct {
	Visible     bool            `json:"visible"`
	Num         json.Number     `json:"num"`
	Start       json.Number     `json:"startNum"`
	End         json.Number     `json:"endNum"`
	IDOrNum     json.RawMessage `json:"id_or_num"`
	Detail      bool            `json:"detail"`
	Value       string          `json:"value"`
	Address     string          `json:"address"`
	From        string          `json:"fromAddress"`
	To          string          `json:"toAddress"`
	Owner       string          `json:"owner_address"`
	Contract    string          `json:"contract_address"`
	Selector    string          `json:"function_selector"`
	Parameter   string          `json:"parameter"`
	Data        string          `json:"data"`
	CallValue   int64           `json:"call_value"`
	Transaction string          `json:"transaction"`
	Raw         json.RawMessage `json:"raw_data"`
	Signature   []string        `json:"signature"`
	Type        int64           `json:"type"` // of a resource
	printer     `json:"-"`
}

// readQuestion reads a question out of the body, or out of the address of a GET.
func readQuestion(r *http.Request) (*question, error) {
	q := &question{}
	body, err := io.ReadAll(io.LimitReader(r.Body, 4<<20))
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(body)) > 0 && r.Method == http.MethodPost {
		if err := json.Unmarshal(body, q); err != nil {
			return nil, fmt.Errorf("class com.alibaba.fastjson.JSONException : %w", err)
		}
	}
	values := r.URL.Query()
	for name, place := range map[string]*string{"value": &q.Value, "address": &q.Address} {
		if values.Has(name) {
			*place = values.Get(name)
		}
	}
	for name, place := range map[string]*json.Number{"num": &q.Num, "startNum": &q.Start, "endNum": &q.End} {
		if values.Has(name) {
			*place = json.Number(values.Get(name))
		}
	}
	if values.Has("visible") {
		q.Visible, _ = strconv.ParseBool(values.Get("visible"))
	}
	q.printer = printer{q.Visible}
	return q, nil
}

func (q *question) number(n json.Number) int64 {
	i, _ := n.Int64()
	return i
}

// address reads an address in the form that the question says it is in.
func (q *question) address(text string) (common.Address, bool) {
	a, err := Address(text)
	_, hexErr := hex.DecodeString(text)
	return a, err == nil && (hexErr != nil) == q.Visible
}

// hash reads an id.
func (q *question) hash() (id [32]byte, ok bool) {
	raw, err := hex.DecodeString(q.Value)
	if err != nil || len(raw) != 32 {
		return id, false
	}
	return [32]byte(raw), true
}

// call reads the call that a question is about.
func (q *question) call() (*contract, error) {
	c := &contract{kind: trigger, url: "type.googleapis.com/protocol.TriggerSmartContract"}
	var ok bool
	if c.owner, ok = q.address(q.Owner); !ok {
		return nil, wireError("owner_address isn't set.")
	}
	if c.to, ok = q.address(q.Contract); !ok {
		return nil, wireError("At least one of contract_address and data must be set.")
	}
	text := q.Data
	if q.Selector != "" {
		text = hex.EncodeToString(crypto.Keccak256([]byte(q.Selector))[:4]) + q.Parameter
	}
	var err error
	c.data, err = hex.DecodeString(text)
	c.callValue = q.CallValue
	return c, err
}
