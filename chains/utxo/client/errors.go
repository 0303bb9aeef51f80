package client

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"causeway/chains"
)

// Class says what a failure means for the caller.
type Class int

// The classes of failure.
const (
	Down        Class = iota // no useful answer: ask again later
	Limit                    // the answer is too large
	Unsupported              // the node does not know the method
	Missing                  // the node does not know the block or the transaction
	Pruned                   // the node had the block, and has thrown it away
	NoIndex                  // the node keeps no index of transactions, or has not finished it
	Scanning                 // the node is going through its coins for another question
	Starting                 // the node is not ready yet
	Late                     // there was no answer in time
)

// Error is a failure of a question. It wraps chains.ErrDown for callers without interest in its class.
type Error struct {
	Class  Class
	Method string
	Code   int
	Text   string // the node's words, cut and without control characters
	Answer bool   // the node itself said so; false when no proper answer came

	after  time.Duration // how long the node asks to wait, 0 where it does not say
	waited time.Duration // for the answer
}

// Error implements error.
func (e *Error) Error() string {
	text := fmt.Sprintf("%s: %s", e.Method, e.Text)
	if e.Code != 0 {
		text += fmt.Sprintf(" (%d)", e.Code)
	}
	switch e.Class {
	case Pruned:
		return "the node is pruned below what is needed: " + text
	case NoIndex:
		return "the node has no index of transactions (txindex=1): " + text
	case Starting:
		return "the node is starting: " + text
	default:
		return text
	}
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

// Lost reports whether err is the lack of an answer.
func Lost(err error) bool {
	var e *Error
	return errors.As(err, &e) && !e.Answer
}

// The codes of errors, as the nodes have them in common (protocol.h).
const (
	codeMisc         = -1
	codeUnknown      = -5
	codeParameter    = -8
	codeVerify       = -25
	codeRejected     = -26
	codeAlreadyThere = -27
	codeWarmup       = -28
	codeNoMethod     = -32601
)

// classify reads the code of an error, and its words where nodes have one code for several. Errors about a sent transaction are read by
// Sent.
func classify(method string, code int, message string) Class {
	text := strings.ToLower(message)
	switch {
	case code == codeNoMethod:
		return Unsupported
	case code == codeWarmup:
		return Starting
	case code == codeMisc && says(text, "pruned"):
		return Pruned
	case method == "getrawtransaction" && code == codeUnknown && says(text, "txindex", "being indexed", "use -txindex"):
		return NoIndex
	case method == "scantxoutset" && code == codeParameter && says(text, "already in progress"):
		return Scanning
	case code == codeUnknown, method == "getblockhash" && code == codeParameter:
		return Missing
	default:
		return Down
	}
}

func says(text string, words ...string) bool {
	for _, word := range words {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}
