package client

import (
	"errors"
	"strings"
)

// Verdict is a node's word on a sent transaction.
type Verdict int

// The verdicts. Unsure is everything else: refused now, for a reason that proves nothing.
const (
	Unsure      Verdict = iota
	Taken               // it is in the mempool or in a block, now or already before
	CoinSpent           // a coin of it is spent in a block, or is not there
	Conflicting         // a coin of it is spent in the mempool, and this node replaces nothing
	Underpriced         // it offers too little
)

// Sent reads the answer to sendrawtransaction. Each node has its own words for the same (docs/networks.md).
func Sent(err error) Verdict {
	var e *Error
	if err == nil {
		return Taken
	}
	if !errors.As(err, &e) || !e.Answer {
		return Unsure
	}
	text := strings.ToLower(e.Text)
	switch {
	case e.Code == codeAlreadyThere,
		e.Code == codeRejected && says(text, "txn-already-known", "txn-already-in-mempool", "txn-same-nonwitness-data-in-mempool"):
		return Taken
	case e.Code == codeVerify && says(text, "missing inputs", "missingorspent"),
		e.Code == codeRejected && says(text, "missingorspent", "missing-inputs", "bad-txns-inputs-spent"):
		return CoinSpent
	case e.Code == codeRejected && says(text, "txn-mempool-conflict"):
		return Conflicting
	case e.Code == codeRejected && says(text, "insufficient fee", "min relay fee not met", "mempool min fee not met", "insufficient priority",
		"mempool full", "min-fee-not-met"):
		return Underpriced
	default:
		return Unsure
	}
}
