package solananode

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"
)

// Trouble says how a node is not in order. Members that are not set stay as they were.
type Trouble struct {
	Down      *bool   `json:"down,omitempty"`      // every question is answered with an error of the server
	Throttle  *int    `json:"throttle,omitempty"`  // so many questions are answered with HTTP 429
	Mute      *int    `json:"mute,omitempty"`      // so many transactions are taken, and the answer is an error of the server
	Swallow   *int    `json:"swallow,omitempty"`   // so many transactions are answered with their id, and forgotten
	HideIndex *int    `json:"hideIndex,omitempty"` // the newest slots are missing in the lists of signatures
	IndexLag  *int    `json:"indexLag,omitempty"`  // the newest slots are not yet written, and the node says so
	Forgets   *bool   `json:"forgets,omitempty"`   // no transaction is told
	First     *int    `json:"first,omitempty"`     // nothing below this slot is told
	Prices    []int64 `json:"prices,omitempty"`    // the newest priority fees
	Refuse    *Refuse `json:"refuse,omitempty"`
}

// Refuse has every question of a method answered with an error.
type Refuse struct {
	Method  string `json:"method"`
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Instruction is a call of a program, for a transaction of a test's own.
type Instruction struct {
	Program  string    `json:"program"`
	Accounts []Account `json:"accounts"`
	Data     []byte    `json:"data"`
}

// Account is an account of an Instruction.
type Account struct {
	Key      string `json:"key"`
	Signer   bool   `json:"signer"`
	Writable bool   `json:"writable"`
}

// Order asks the node for anything. Result is a pointer for the decoded answer, or nil.
func (n *Node) Order(result any, method string, params ...any) error {
	if params == nil {
		params = []any{}
	}
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
		Result json.RawMessage
		Error  *struct{ Message string }
	}
	if err := json.NewDecoder(answer.Body).Decode(&out); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	if out.Error != nil {
		return fmt.Errorf("%s: %s", method, out.Error.Message)
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(out.Result, result)
}

// Mine makes the blocks of the next slots; the first has what waits.
func (n *Node) Mine(slots int) error { return n.Order(nil, "dev_mine", slots) }

// Skip lets slots pass without a block.
func (n *Node) Skip(slots int) error { return n.Order(nil, "dev_skip", slots) }

// Fork replaces the blocks of the newest slots by one more, without some transactions. Below a final block it is an error.
func (n *Node) Fork(slots int, drop ...string) error {
	if drop == nil {
		drop = []string{}
	}
	return n.Order(nil, "dev_fork", slots, drop)
}

// Finalise makes blocks until all that were there are final.
func (n *Node) Finalise() error { return n.Mine(usualLag + 1) }

// Fund sends lamports of the faucet, and returns the id.
func (n *Node) Fund(to string, lamports int64) (txid string, err error) {
	return txid, n.Order(&txid, "dev_fund", to, lamports)
}

// Pay sends units of a token of the faucet, and makes the owner's account where there is none.
func (n *Node) Pay(mint, owner string, units int64) (txid string, err error) {
	return txid, n.Order(&txid, "dev_pay", mint, owner, units)
}

// Run sends instructions, signed by keys that everyone knows, by their names; the first pays the fee.
func (n *Node) Run(instructions []Instruction, by ...string) (txid string, err error) {
	return txid, n.Order(&txid, "dev_run", instructions, by)
}

// Key is the account of a key that everyone knows.
func (n *Node) Key(name string) (account string, err error) {
	return account, n.Order(&account, "dev_key", name)
}

// Associated is the account in which an owner holds a token.
func (n *Node) Associated(owner, mint string) (account string, err error) {
	return account, n.Order(&account, "dev_associated", owner, mint)
}

// Freeze has the token's authority freeze an owner's account.
func (n *Node) Freeze(mint, owner string) (txid string, err error) {
	return txid, n.Order(&txid, "dev_freeze", mint, owner)
}

// Drop forgets the waiting transactions.
func (n *Node) Drop() error { return n.Order(nil, "dev_drop") }

// Hold keeps transactions out of blocks.
func (n *Node) Hold(on bool) error { return n.Order(nil, "dev_hold", on) }

// Stall lets no newer block become final.
func (n *Node) Stall(on bool) error { return n.Order(nil, "dev_stall", on) }

// Trouble changes how the node is not in order.
func (n *Node) Trouble(t Trouble) error { return n.Order(nil, "dev_trouble", t) }

// Send sends the bytes of a transaction, without a trial before.
func (n *Node) Send(raw []byte) (txid string, err error) {
	return txid, n.Order(&txid, "sendTransaction", base64.StdEncoding.EncodeToString(raw), map[string]any{"encoding": "base64", "skipPreflight": true})
}

// Held returns the lamports of an account at the newest final block, and the units of a token of its owner.
func (n *Node) Held(account, mint string) (lamports, units uint64, err error) {
	token, err := n.Associated(account, mint)
	if err != nil {
		return 0, 0, err
	}
	var out struct {
		Value []*struct {
			Lamports uint64
			Data     [2]string
		}
	}
	if err := n.Order(&out, "getMultipleAccounts", []string{account, token}, map[string]any{"encoding": "base64"}); err != nil {
		return 0, 0, err
	}
	if out.Value[0] != nil {
		lamports = out.Value[0].Lamports
	}
	if out.Value[1] != nil {
		data, err := base64.StdEncoding.DecodeString(out.Value[1].Data[0])
		if err != nil || len(data) < 72 {
			return 0, 0, fmt.Errorf("not an account of a token: %w", err)
		}
		for i := range 8 {
			units |= uint64(data[64+i]) << (8 * i)
		}
	}
	return lamports, units, nil
}

func (o Options) json() string {
	extended := struct {
		Options

		Milliseconds int64  `json:"every,omitempty"`
		Since        *int64 `json:"begin,omitempty"`
	}{Options: o, Milliseconds: int64(o.Every / time.Millisecond)}
	if !o.Begin.IsZero() {
		at := o.Begin.UnixMilli()
		extended.Since = &at
	}
	text, err := json.Marshal(extended)
	if err != nil {
		panic(err) // it has plain members alone
	}
	return string(text)
}
