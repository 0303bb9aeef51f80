package client

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"causeway/chains"
	"causeway/chains/nodes"
)

// Error is a failure of a question. It wraps chains.ErrDown.
type Error struct {
	Method string
	Text   string // the node's words, cut and without control characters
	Code   int    // of HTTP; 0 where no proper answer came
	// Answer says that the node itself refused the question.
	Answer bool

	after  time.Duration
	ours   bool // the fault is no node's
	unread bool // the answer is larger than what is read, or has no cell where one should be
}

// Error implements error.
func (e *Error) Error() string { return e.Method + ": " + e.Text }

// Unwrap returns chains.ErrDown.
func (e *Error) Unwrap() error { return chains.ErrDown }

// Refusal returns the words with which the node itself refused a question, and false where it did not.
func Refusal(err error) (string, bool) {
	var e *Error
	if errors.As(err, &e) && e.Answer {
		return e.Text, true
	}
	return "", false
}

// Lacks reports whether a node refused a question since it does not have what was asked for, now or any more.
func Lacks(err error) bool {
	text, refused := Refusal(err)
	text = strings.ToLower(text)
	return refused && (strings.Contains(text, "not found") || strings.Contains(text, "notready") || strings.Contains(text, "not in db") ||
		strings.Contains(text, "cannot find") || strings.Contains(text, "cannot locate") || strings.Contains(text, "cannot load"))
}

// Unread reports whether an answer was larger than what is read, or had no cell where one should be.
func Unread(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.unread
}

// FaultOf says what an error means for its node. A node without something may be in order: another one is asked for it. One that refuses with HTTP
// 500 for another reason is not: the API stands before a node, and says so of what the node does not answer.
func FaultOf(err error) nodes.Fault {
	var e *Error
	switch {
	case !errors.As(err, &e):
		down := errors.Is(err, chains.ErrDown)
		return nodes.Fault{Leave: down, Next: down}
	case !e.Answer:
		return nodes.Fault{Leave: !e.ours, Next: !e.ours, Rest: e.after, Silent: e.Code == 0}
	default:
		return nodes.Fault{Leave: e.Code >= http.StatusInternalServerError && !Lacks(err), Next: true}
	}
}
