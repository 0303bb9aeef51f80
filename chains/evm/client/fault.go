package client

import (
	"errors"
	"strings"

	"causeway/chains"
	"causeway/chains/nodes"
)

// faultOf says what an error means for its node: whether the node is left alone, and whether the next one is asked the same. An
// answer out of time to a question for much says nothing of the node: its caller asks for less.
func faultOf(err error) nodes.Fault {
	var e *Error
	if !errors.As(err, &e) {
		down := errors.Is(err, chains.ErrDown)
		return nodes.Fault{Leave: down, Next: down}
	}
	switch e.Class {
	case Busy:
		return nodes.Fault{Leave: true, Next: true, Rest: e.after}
	case Late:
		return nodes.Fault{Leave: !heavy(e.Method), Next: !heavy(e.Method), Rest: e.after}
	case Down:
		return nodes.Fault{Leave: !e.ours && (!e.Answer || keptOut(e.Text)), Next: true, Rest: e.after}
	default:
		return nodes.Fault{Rest: e.after}
	}
}

// keptOut reports whether a node's words mean that it answers nothing at all: it is not synced, or does not accept its user.
func keptOut(text string) bool {
	return says(strings.ToLower(text), "sync", "authent", "unauthori", "api key", "apikey", "project id", "forbidden", "denied", "quota", "suspended")
}

// heavy reports whether the answer of a method may be large.
func heavy(method string) bool {
	return strings.HasPrefix(method, "debug_trace") || method == "eth_getBlockReceipts" || method == "eth_getLogs"
}
