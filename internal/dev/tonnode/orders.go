package tonnode

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Message is coins from a stranger.
type Message struct {
	From    string `json:"from,omitempty"` // the name of a stranger, or an address; the faucet, if empty
	To      string `json:"to"`
	Units   int64  `json:"units,string"`
	Comment string `json:"comment,omitempty"`
	Body    string `json:"body,omitempty"` // a cell in base64, in place of a comment
	Bounce  bool   `json:"bounce,omitempty"`
	Flags   int    `json:"flags,omitempty"` // 1 or 3 ask for the newer form of what comes back
}

// JettonPayment is units of a jetton from a stranger.
type JettonPayment struct {
	Master   string `json:"master"`
	Owner    string `json:"owner"`
	Units    int64  `json:"units,string"`
	From     string `json:"from,omitempty"` // the name of a stranger
	Comment  string `json:"comment,omitempty"`
	Inline   bool   `json:"inline,omitempty"`         // the comment is in the notice itself, and not in a cell of its own
	Forward  *int64 `json:"forward,string,omitempty"` // coins of the notice; without any there is none. Nil is 1
	Response string `json:"response,omitempty"`       // who gets the rest of the coins
}

// Trouble says how a node is not in order. Members that are not set stay as they were.
type Trouble struct {
	Down      *bool                      `json:"down,omitempty"`      // every question is answered with an error
	Throttle  *int                       `json:"throttle,omitempty"`  // so many questions are answered with HTTP 429
	Mute      *int                       `json:"mute,omitempty"`      // so many signed messages are taken, and the answer is an error
	Swallow   *int                       `json:"swallow,omitempty"`   // so many signed messages are answered with their hash, and forgotten
	Behind    *int                       `json:"behind,omitempty"`    // the newest blocks are not told
	Forgetful *bool                      `json:"forgetful,omitempty"` // states are those of the newest block, whatever block is asked about
	Hide      *int                       `json:"hide,omitempty"`      // of each list of transactions this one is left out, from 1
	Answer    map[string]json.RawMessage `json:"answer,omitzero"`     // answers in place of a method's own
	Refuse    *Refuse                    `json:"refuse,omitempty"`
}

// Refuse has every question of a method answered with an error.
type Refuse struct {
	Method  string `json:"method"`
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Order asks the node for anything. Result is a pointer for the decoded answer, or nil.
func (n *Node) Order(result any, method string, params any) error {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": n.asked.Add(1), "method": method, "params": params})
	if err != nil {
		return err
	}
	answer, err := n.client.Post(n.URL, "application/json", bytes.NewReader(body)) //nolint:noctx // of a test
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	var out struct {
		OK     bool
		Result json.RawMessage
		Error  string
	}
	if err := json.NewDecoder(answer.Body).Decode(&out); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	if !out.OK {
		return fmt.Errorf("%s: %s", method, out.Error)
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(out.Result, result)
}

// Mine makes the next blocks; the first has what waits.
func (n *Node) Mine(blocks int) error { return n.Order(nil, "dev_mine", []int{blocks}) }

// Pass lets seconds pass before the next block.
func (n *Node) Pass(seconds int) error { return n.Order(nil, "dev_pass", []int{seconds}) }

// Slow has messages arrive in the block after their own, or not.
func (n *Node) Slow(on bool) error { return n.Order(nil, "dev_slow", []bool{on}) }

// Hold keeps signed messages out of blocks.
func (n *Node) Hold(on bool) error { return n.Order(nil, "dev_hold", []bool{on}) }

// Jam keeps messages on their way to another account.
func (n *Node) Jam(on bool) error { return n.Order(nil, "dev_jam", []bool{on}) }

// Drop forgets the signed messages that wait.
func (n *Node) Drop() error { return n.Order(nil, "dev_drop", []int{}) }

// Send sends coins from a stranger with the next block. It returns the hash of the recipient's transaction, unless the chain is slow.
func (n *Node) Send(m Message) (txid string, err error) {
	return txid, n.Order(&txid, "dev_send", []Message{m})
}

// Jetton deploys the master of a jetton with the next block, and returns its address.
func (n *Node) Jetton(name string) (master string, err error) {
	return master, n.Order(&master, "dev_jetton", []string{name})
}

// Pay sends units of a jetton with the next block. It returns the hash of the owner's newest transaction then, unless the chain is slow: of the
// notice, if there is one.
func (n *Node) Pay(p JettonPayment) (txid string, err error) {
	return txid, n.Order(&txid, "dev_pay", []JettonPayment{p})
}

// Spoil gives the jetton wallet of an owner, which is there, another code: it then "refuses" units that come, or takes them in "vain".
func (n *Node) Spoil(master, owner, how string) error {
	return n.Order(nil, "dev_spoil", []map[string]string{{"master": master, "owner": owner, "how": how}})
}

// Stranger is the address of a stranger, in the raw form.
func (n *Node) Stranger(name string) (address string, err error) {
	return address, n.Order(&address, "dev_stranger", []string{name})
}

// Trouble changes how the node is not in order.
func (n *Node) Trouble(t Trouble) error { return n.Order(nil, "dev_trouble", []Trouble{t}) }
