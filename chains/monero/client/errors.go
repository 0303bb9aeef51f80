package client

import (
	"errors"
	"fmt"
	"time"

	"causeway/chains"
	"causeway/chains/nodes"
)

// Error is a failure of a question. It wraps chains.ErrDown.
type Error struct {
	Method string
	Code   int    // of the server's error; 0 where it has answered none
	Text   string // its words, cut and without control characters
	// Answer says that the server itself refused the question.
	Answer bool

	after  time.Duration
	ours   bool // the fault is no server's
	busy   bool // the server is not ready
	pruned bool // the node has not kept all that it was asked for
}

// Error implements error.
func (e *Error) Error() string {
	if e.Code != 0 {
		return fmt.Sprintf("%s: %s (%d)", e.Method, e.Text, e.Code)
	}
	return e.Method + ": " + e.Text
}

// Unwrap returns chains.ErrDown.
func (e *Error) Unwrap() error { return chains.ErrDown }

// Answered reports whether err is an answer of the server itself, and not the lack of a proper one.
func Answered(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Answer
}

// codeTooHigh is a node's error for a height above its best block (core_rpc_server_error_codes.h).
const codeTooHigh = -2

// Missing reports whether err says that a node has no block at a height.
func Missing(err error) bool { return Code(err) == codeTooHigh }

// Pruned reports whether err says that a node has not kept all bytes of a transaction.
func Pruned(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.pruned
}

// Code returns the code of a server's error, 0 for none.
func Code(err error) int {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return 0
}

// FaultOf says what an error means for its node. A node without a block may be in order: another one is asked for it.
func FaultOf(err error) nodes.Fault {
	var e *Error
	switch {
	case !errors.As(err, &e):
		down := errors.Is(err, chains.ErrDown)
		return nodes.Fault{Leave: down, Next: down}
	case !e.Answer:
		return nodes.Fault{Leave: !e.ours, Next: !e.ours, Rest: e.after, Silent: true}
	default:
		return nodes.Fault{Leave: e.busy, Next: true}
	}
}
