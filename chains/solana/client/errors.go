package client

import (
	"errors"
	"time"

	"causeway/chains"
	"causeway/chains/nodes"
)

// The codes of a node's errors that are told apart.
const (
	Preflight    = -32002 // the trial of a transaction has failed
	badSignature = -32003
	unhealthy    = -32005 // the node is behind the cluster
	unreached    = -32016 // the node has not come to the slot of the question
)

// Error is a failure of a question. It wraps chains.ErrDown.
type Error struct {
	Method string
	Code   int    // of the node's answer; 0 without one
	Text   string // the node's words, cut and without control characters
	Data   []byte // of the node's answer

	after  time.Duration // how long the node asks to wait, 0 where it does not say
	waited time.Duration // for the answer
}

// Error implements error.
func (e *Error) Error() string { return e.Method + ": " + e.Text }

// Unwrap returns chains.ErrDown.
func (e *Error) Unwrap() error { return chains.ErrDown }

// Answered returns the answer of the node itself that err is, nil where no proper one came.
func Answered(err error) *Error {
	var e *Error
	if errors.As(err, &e) && e.Code != 0 {
		return e
	}
	return nil
}

// FaultOf says what an error means for its node. What a node refuses is asked of the next. It is left alone if it gave no answer, an
// impossible one, or stands behind.
func FaultOf(err error) nodes.Fault {
	var e *Error
	switch {
	case !errors.As(err, &e):
		down := errors.Is(err, chains.ErrDown)
		return nodes.Fault{Leave: down, Next: down}
	case e.Code == 0:
		return nodes.Fault{Leave: true, Next: true, Rest: e.after, Silent: true, Waited: e.waited}
	default:
		return nodes.Fault{Leave: e.Code == unhealthy || e.Code == unreached, Next: e.Code != badSignature, Rest: e.after, Waited: e.waited}
	}
}
