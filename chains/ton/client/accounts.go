package client

import (
	"context"
	"encoding/base64"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"causeway/chains/nodes"

	"github.com/xssnick/tonutils-go/tvm/cell"
)

// State is an account after a block.
type State struct {
	Balance int64 // in nanotons
	Active  bool
	Frozen  bool
	Data    *cell.Cell // nil unless active
	LT      uint64     // of its newest transaction; 0 for none
	Hash    Hash       // of that
}

// State returns an account after the block of a seqno. A node that tells another block's is refused.
func (c *Client) State(ctx context.Context, address string, seqno int64) (s State, err error) {
	var told struct {
		Balance number
		Data    string
		State   string
		Last    struct {
			LT   number
			Hash Hash
		} `json:"last_transaction_id"`
		Block block `json:"block_id"`
	}
	const method = "getAddressInformation"
	if err := c.call(ctx, &told, method, map[string]any{"address": address, "seqno": seqno}); err != nil {
		return s, err
	}
	if told.Block.Seqno != seqno {
		return s, &Error{Method: method, Text: fmt.Sprintf("the state after block %d was asked for, and that after %d was told", seqno, told.Block.Seqno)}
	}
	balance, lt := told.Balance.Int, told.Last.LT.Int
	if balance == nil || !balance.IsInt64() || lt == nil || !lt.IsUint64() {
		return s, &Error{Method: method, Text: "an answer of another shape"}
	}
	s = State{Balance: max(0, balance.Int64()), Active: told.State == "active", Frozen: told.State == "frozen", LT: lt.Uint64(), Hash: told.Last.Hash}
	if s.Active {
		if s.Data, err = readCell(told.Data); err != nil {
			return s, &Error{Method: method, Text: "data that is no cell"}
		}
	}
	return s, nil
}

// AtOnce is how many transactions one question is for, at most.
const AtOnce = 50

// Transactions returns the cells of an account's transactions, the newest first: from the one at lt with a hash down to those above another
// lt, at most so many. If they are Unread together, fewer may be read.
func (c *Client) Transactions(ctx context.Context, address string, lt uint64, hash Hash, above uint64, most int) ([]*cell.Cell, error) {
	var told []struct{ Data string }
	const method = "getTransactions"
	size := int64(mostOfMany)
	if most == 1 {
		size = maxBody
	}
	err := c.callFor(ctx, &told, method, map[string]any{"address": address, "limit": most, "lt": strconv.FormatUint(lt, 10),
		"hash": base64.StdEncoding.EncodeToString(hash[:]), "to_lt": strconv.FormatUint(above, 10), "archival": true}, size)
	if err != nil {
		return nil, err
	}
	if len(told) > most {
		return nil, &Error{Method: method, Text: "more transactions than were asked for"}
	}
	out := make([]*cell.Cell, len(told))
	for i := range told {
		if out[i], err = readCell(told[i].Data); err != nil {
			return nil, &Error{Method: method, Text: "a transaction that is no cell", unread: true}
		}
	}
	return out, nil
}

// Located returns the cell of the transaction by which an account received a message; nil where the node finds none. It says in many words that it
// does not, also while it has no block yet to look in.
func (c *Client) Located(ctx context.Context, source, destination string, created uint64) (*cell.Cell, error) {
	var told struct{ Data string }
	const method = "tryLocateTx"
	err := c.call(ctx, &told, method, map[string]any{"source": source, "destination": destination, "created_lt": strconv.FormatUint(created, 10)})
	if _, refused := Refusal(err); refused {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	found, err := readCell(told.Data)
	if err != nil {
		return nil, &Error{Method: method, Text: "a transaction that is no cell", unread: true}
	}
	return found, nil
}

// Value is a value that a contract's method returns: a number, or a cell.
type Value struct {
	Number *big.Int
	Cell   *cell.Cell
}

// The exit codes for an account without code, and for a contract without the method.
const (
	inactive = -13
	noMethod = 11
)

// Run asks a method of a contract after the block of a seqno, with slices for arguments. It returns nil where no contract
// with this method is there.
func (c *Client) Run(ctx context.Context, address, name string, seqno int64, arguments ...*cell.Cell) ([]Value, error) {
	stack := make([][2]string, len(arguments))
	for i, a := range arguments {
		stack[i] = [2]string{"tvm.Slice", base64.StdEncoding.EncodeToString(a.ToBOC())}
	}
	var told struct {
		Code  int `json:"exit_code"`
		Stack [][2]any
		Block block `json:"block_id"`
	}
	const method = "runGetMethod"
	if err := c.call(ctx, &told, method, map[string]any{"address": address, "method": name, "stack": stack, "seqno": seqno}); err != nil {
		return nil, err
	}
	switch {
	case told.Block.Seqno != seqno && told.Block.Seqno != 0:
		return nil, &Error{Method: method, Text: fmt.Sprintf("an answer after block %d was asked for, and one after %d was told", seqno, told.Block.Seqno)}
	case told.Code == inactive, told.Code == noMethod:
		return nil, nil
	case told.Code != 0 && told.Code != 1:
		return nil, &Error{Method: method, Text: fmt.Sprintf("%s ends with exit code %d", nodes.Words(name), told.Code)}
	}
	out := make([]Value, len(told.Stack))
	for i, v := range told.Stack {
		if err := out[i].read(v); err != nil {
			return nil, &Error{Method: method, Text: "an answer of another shape"}
		}
	}
	return out, nil
}

func (v *Value) read(told [2]any) (err error) {
	kind, _ := told[0].(string)
	switch it := told[1].(type) {
	case string:
		negative := strings.HasPrefix(it, "-")
		if len(it) > longestNumber {
			return errNumber
		}
		n, ok := new(big.Int).SetString(strings.TrimPrefix(strings.TrimPrefix(it, "-"), "0x"), 16)
		if kind != "num" || !ok {
			return errNumber
		}
		if v.Number = n; negative {
			n.Neg(n)
		}
	case map[string]any:
		text, _ := it["bytes"].(string)
		v.Cell, err = readCell(text)
	}
	return err
}

// Send hands in a signed message. The error is the node's refusal, or the lack of an answer.
func (c *Client) Send(ctx context.Context, message []byte) error {
	var told struct{ Hash string }
	return c.call(ctx, &told, "sendBocReturnHash", map[string]any{"boc": base64.StdEncoding.EncodeToString(message)})
}
