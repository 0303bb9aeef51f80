package client

import (
	"errors"
	"time"

	"causeway/chains"
	"causeway/chains/nodes"
)

// Error is a failure of a question. It wraps chains.ErrDown.
type Error struct {
	Method string
	Word   string // the node's word for its error; "" where no proper answer came
	Text   string // the node's words, cut and without control characters
	// Answer says that the node itself refused the question.
	Answer bool

	after time.Duration
	ours  bool // the fault is no node's
}

// Error implements error.
func (e *Error) Error() string { return e.Method + ": " + e.Text }

// Unwrap returns chains.ErrDown.
func (e *Error) Unwrap() error { return chains.ErrDown }

// Answered reports whether err is an answer of the node itself, and not the lack of a proper one.
func Answered(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Answer
}

// Says reports whether err is a node's error with one of these words.
func Says(err error, words ...string) bool {
	var e *Error
	if !errors.As(err, &e) || !e.Answer {
		return false
	}
	for _, w := range words {
		if e.Word == w {
			return true
		}
	}
	return false
}

// FaultOf says what an error means for its node. A node without a ledger may be in order: another one is asked for it.
func FaultOf(err error) nodes.Fault {
	var e *Error
	switch {
	case !errors.As(err, &e):
		down := errors.Is(err, chains.ErrDown)
		return nodes.Fault{Leave: down, Next: down}
	case !e.Answer:
		return nodes.Fault{Leave: !e.ours, Next: !e.ours, Rest: e.after, Silent: true}
	case Says(err, "noNetwork", "noCurrent", "noClosed", "notReady", "notSynced", "amendmentBlocked", "expiredValidatorList", "tooBusy", "slowDown", "forbidden", "noPermission"):
		return nodes.Fault{Leave: true, Next: true}
	case Says(err, "lgrNotFound", "lgrIdxNotFound", "internal", "unknownCmd"):
		return nodes.Fault{Next: true}
	}
	return nodes.Fault{}
}
