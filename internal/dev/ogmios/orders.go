package ogmios

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Payment is money from a stranger.
type Payment struct {
	To       string            `json:"to"`
	Lovelace int64             `json:"lovelace,string"`
	Assets   map[string]string `json:"assets,omitempty"` // quantities of tokens, by policy and name in one word
	From     string            `json:"from,omitempty"`   // the name of a stranger; the faucet, if empty
}

// Failure is a transaction whose script has failed. It spends its collateral alone.
type Failure struct {
	Input    string `json:"input"` // that it names and does not spend, as txid#index
	To       string `json:"to"`
	Lovelace int64  `json:"lovelace,string"` // that it names for To and does not pay
	Back     int64  `json:"back,string"`     // of the collateral, and paid to To as output 1

	Collateral string `json:"collateral,omitempty"` // an output there is, as txid#index; one of a stranger, if empty
}

// Trouble says how a node is not in order. Members that are not set stay as they were.
type Trouble struct {
	Down      *bool                      `json:"down,omitempty"`      // connections are cut
	Mute      *int                       `json:"mute,omitempty"`      // so many transactions are taken, and the connection is cut before the answer
	Swallow   *int                       `json:"swallow,omitempty"`   // so many transactions are answered with their id, and forgotten
	Behind    *int                       `json:"behind,omitempty"`    // the newest blocks are not told
	Hold      *bool                      `json:"hold,omitempty"`      // blocks take nothing
	Forgetful *bool                      `json:"forgetful,omitempty"` // no past state is acquired
	Params    map[string]int64           `json:"params,omitempty"`    // protocol parameters, as the emulator names them, in answers alone
	Answer    map[string]json.RawMessage `json:"answer,omitzero"`     // a result or an error in place of a method's own
	Refuse    *Refuse                    `json:"refuse,omitempty"`
}

// Refuse has every transaction refused.
type Refuse struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// Order asks the node for an order of the shim. Result is a pointer for the decoded answer, or nil.
func (n *Node) Order(result any, method string, params ...any) error {
	body, err := json.Marshal(map[string]any{"method": method, "params": params})
	if err != nil {
		return err
	}
	answer, err := n.client.Post("http"+strings.TrimPrefix(n.URL, "ws"), "application/json", bytes.NewReader(body)) //nolint:noctx // of a test
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	var out struct {
		Result json.RawMessage
		Error  string
	}
	if err := json.NewDecoder(answer.Body).Decode(&out); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	if out.Error != "" {
		return fmt.Errorf("%s: %w", method, errors.New(out.Error))
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(out.Result, result)
}

// Mine makes the next blocks; the first has the mempool.
func (n *Node) Mine(blocks int) error { return n.Order(nil, "dev_mine", blocks) }

// Reorg replaces the newest blocks by one more. Transactions in drop vanish, and are in the mempool neither; the others are mined again.
func (n *Node) Reorg(depth int, drop ...string) error {
	return n.Order(nil, "dev_reorg", depth, append([]string{}, drop...))
}

// Forget empties the mempool.
func (n *Node) Forget() error { return n.Order(nil, "dev_forget") }

// Pay sends money from a stranger into the mempool, in output 0.
func (n *Node) Pay(p Payment) (txid string, err error) { return txid, n.Order(&txid, "dev_pay", p) }

// Fail puts a transaction whose script has failed into the next block.
func (n *Node) Fail(f Failure) (txid string, err error) { return txid, n.Order(&txid, "dev_fail", f) }

// Stranger is the address of a stranger.
func (n *Node) Stranger(name string) (address string, err error) {
	return address, n.Order(&address, "dev_stranger", name)
}

// Beside is an address with the part for stake of a stranger beside its key.
func (n *Node) Beside(address, stranger string) (beside string, err error) {
	return beside, n.Order(&beside, "dev_beside", address, stranger)
}

// Waiting lists the mempool.
func (n *Node) Waiting() (txids []string, err error) { return txids, n.Order(&txids, "dev_waiting") }

// Trouble changes how the node is not in order.
func (n *Node) Trouble(t Trouble) error { return n.Order(nil, "dev_trouble", t) }
