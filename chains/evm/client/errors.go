package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"

	"causeway/chains"
)

// Class says what a failure means for the caller.
type Class int

// The classes of failure.
const (
	Down        Class = iota // no useful answer: ask again later
	Limit                    // too much was asked for at once
	Unsupported              // the node does not know the method
	NoBlock                  // the node does not know the block or the tag
	Reverted                 // the contract reverts the call
	Short                    // the sender cannot pay for the call
	Exhausted                // the call takes all the gas allowed by the node for one
	Late                     // there was no answer in time, and there may be one to less
	Busy                     // the node, or a proxy before it, takes no question at this moment
)

// Error is a failure of a question. It wraps chains.ErrDown for callers without interest in its class.
type Error struct {
	Class  Class
	Method string
	Code   int
	Text   string // the node's words, cut and without control characters
	Data   []byte // the contract's answer to a reverted call
	Answer bool   // the node itself said so; false when no proper answer came

	after time.Duration // how long the node asks to wait, 0 where it does not say
	ours  bool          // the node was not asked
}

// Error implements error.
func (e *Error) Error() string {
	text := fmt.Sprintf("%s: %s", e.Method, e.Text)
	if e.Code != 0 {
		text += fmt.Sprintf(" (%d)", e.Code)
	}
	return text
}

// Unwrap returns chains.ErrDown.
func (e *Error) Unwrap() error { return chains.ErrDown }

// IsClass reports whether err is an Error of the class.
func IsClass(err error, class Class) bool {
	var e *Error
	return errors.As(err, &e) && e.Class == class
}

// Answered reports whether err is an answer of the node itself, and not the lack of a proper one.
func Answered(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Answer
}

// classify reads the words of nodes, except about a sent transaction (see Sent). Limits are looked for in answers about logs
// only: elsewhere their words mean gas. Nodes end traces and receipts if they take too long.
func classify(method string, code int, message string) Class {
	text := strings.ToLower(message)
	switch {
	case code == http.StatusTooManyRequests, code != -32601 && says(text, "rate limit", "rate-limit", "ratelimit", "rate exceeded", "too many requests", "per second", "requests limit",
		"request limit", "compute units"):
		return Busy
	case method == "eth_getLogs" && code != -32601 && says(text, "limit", "range", "more than", "too many results", "too many logs",
		"too large", "too big", "too wide", "too many blocks", "exceed", "query timeout"):
		return Limit
	case method == "" && says(text, "batch"), says(text, "response size", "response is too", "response too large", "batch too large", "batch size"):
		return Limit
	case (strings.HasPrefix(method, "debug_trace") || method == "eth_getBlockReceipts") && says(text, "timeout", "timed out", "time limit", "deadline"):
		return Late
	case (method == "eth_call" || method == "eth_estimateGas") && says(text, "out of gas", "outofgas", "gas required exceeds", "gas spent exceeded"):
		return Exhausted
	case code == 3, says(text, "revert", "vm execution error", "vm exception", "invalid opcode"):
		return Reverted
	case says(text, "insufficient funds", "insufficient balance", "exceeds balance", "exceeds account balance", "outofbalance"):
		return Short
	case code == -32601, says(text, "method not found", "does not exist", "not supported", "unsupported", "not available",
		"method not"):
		return Unsupported
	case code == -39001, says(text, "unknown block", "not found", "invalid block", "invalid argument", "invalid params"):
		return NoBlock
	default:
		return Down
	}
}

func says(text string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// revertData reads the bytes of a contract's answer: a hex string, or an object or text with one inside.
func revertData(raw json.RawMessage) []byte {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		var object struct{ Data string }
		if json.Unmarshal(raw, &object) != nil {
			return nil
		}
		text = object.Data
	}
	text = strings.TrimPrefix(text, "Reverted ")
	data, err := hexutil.Decode(text)
	if err != nil || len(data) > 4<<10 {
		return nil
	}
	return data
}
