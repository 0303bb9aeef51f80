package tron

import (
	"context"
	"encoding/hex"
	"fmt"
	"math/big"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"causeway/chains"
	"causeway/chains/nodes"
	"causeway/chains/tron/client"
)

// trial is the answer to a call that is tried out.
type trial struct {
	data     []byte
	energy   int64  // with the penalty of a busy contract
	reverted string // why the contract refuses; "" where it does not
	logs     []moved
}

// constant tries a call out in a view of the node. Nothing is sent.
func (v view) constant(ctx context.Context, of string, owner, contract common.Address, data []byte) (*trial, error) {
	var answer client.Call
	err := v.ask(ctx, &answer, of+"/triggerconstantcontract", map[string]any{"owner_address": hexOf(owner),
		"contract_address": hexOf(contract), "data": hex.EncodeToString(data), "call_value": 0})
	if err != nil {
		return nil, err
	}
	t := &trial{energy: answer.EnergyUsed, logs: readLogs(answer.Logs)}
	if len(answer.Constant) > 0 {
		if t.data, err = hex.DecodeString(answer.Constant[0]); err != nil {
			return nil, odd("the trial of a call is answered with no bytes")
		}
	}
	failed := len(answer.Transaction.Ret) > 0 && answer.Transaction.Ret[0].Ret == "FAILED"
	switch {
	case !answer.Result.Result && answer.Result.Code == "CONTRACT_VALIDATE_ERROR":
		return nil, fmt.Errorf("%w: %s", chains.ErrNoToken, said(answer.Result.Message))
	case !answer.Result.Result && answer.Result.Code == "":
		return nil, odd("the trial of a call has no result")
	case failed || !answer.Result.Result:
		if t.reverted = reasonOf(t.data); t.reverted == "" {
			t.reverted = said(answer.Result.Message)
		}
		if t.reverted == "" {
			t.reverted = "the contract refuses"
		}
	case t.energy < 0 || t.energy > 1<<40:
		return nil, odd("the trial of a call takes %d energy", t.energy)
	}
	return t, nil
}

// number reads an answer that is a number.
func (t *trial) number(of token) (*big.Int, error) {
	if t.reverted != "" || len(t.data) != common.HashLength {
		return nil, odd("the contract of %s tells no balance: %s", of.symbol, nodes.Words(t.reverted))
	}
	return new(big.Int).SetBytes(t.data), nil
}

// said reads a node's words, which it writes in hex or plainly.
func said(text string) string {
	if raw, err := hex.DecodeString(text); err == nil {
		text = string(raw)
	}
	return nodes.Words(text)
}

// selectorError is of Error(string), by which Solidity tells a reason.
var selectorError = []byte{0x08, 0xc3, 0x79, 0xa0}

// reasonOf reads the reason of a revert, "" where it has none.
func reasonOf(data []byte) string {
	const start = 4 + 2*common.HashLength
	if len(data) < start || string(data[:4]) != string(selectorError) {
		return ""
	}
	size := new(big.Int).SetBytes(data[start-common.HashLength : start])
	if !size.IsInt64() || size.Int64() > int64(len(data)-start) {
		return ""
	}
	return strings.TrimSpace(nodes.Words(string(data[start : start+int(size.Int64())])))
}
