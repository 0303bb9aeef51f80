package main

// headline are the figures for the bar of docs/reliability.md, each the number of findings of some checks. They are on
// every report, zeros included.
var headline = []struct {
	what   string
	checks []string
}{
	{"sent twice", []string{checkTwice, checkRefunded, checkElse, checkUnsaved, checkMovedTwice, checkMovedElse}},
	{"lost", []string{checkEnd, checkThere, checkCompleted, checkAnswered}},
	{"sums of the ledger that are not zero", []string{checkSum, checkHeld}},
	{"drift between ledger and networks", []string{checkHoldings, checkReconcile, checkModel, checkStatement, checkMoveCost}},
	{"payments not credited once", []string{checkCredited, checkClaimed, checkOnChain, checkMoveCredited}},
	{"nonce gaps", []string{checkNonce}},
	{"webhooks undelivered", []string{checkDelivered, checkTaken, checkTold}},
}

// The checks added up by the headline. Each is a sentence meant to be true.
const (
	checkTwice     = "nothing is sent twice"
	checkRefunded  = "what is refunded was not sent"
	checkElse      = "nothing is sent to anybody else"
	checkUnsaved   = "what is sent was saved before"
	checkEnd       = "every payout has come to its end"
	checkThere     = "what was answered as created is there"
	checkCompleted = "what is completed was sent"
	checkAnswered  = "every client is answered"
	checkSum       = "the ledger sums to zero"
	checkHeld      = "nothing is held at the end"
	checkHoldings  = "the ledger equals the chains"
	checkReconcile = "causeway reconcile finds no difference"
	checkModel     = "balances equal an independent model"
	checkStatement = "statements end at the balance"
	checkCredited  = "every payment is credited once"
	checkClaimed   = "every payment finds its payin"
	checkOnChain   = "what is credited is on its chain"
	checkNonce     = "every nonce is spent once"
	checkDelivered = "every webhook is delivered"
	checkTaken     = "what is called delivered was taken"
	checkTold      = "every change is told once"

	checkMovedTwice   = "no move between our addresses is made twice"
	checkMovedElse    = "a move goes to where it was planned"
	checkMoveCredited = "no move between our addresses is a transfer"
	checkMoveCost     = "a move costs what its transaction does"

	checkFlat = "nothing grows under a steady load"
)

// headlines counts the findings behind each figure.
func (r *report) headlines() map[string]int {
	found := map[string]int{}
	for _, h := range headline {
		found[h.what] = 0
		for _, check := range h.checks {
			if i, known := r.position[check]; known {
				found[h.what] += r.Wrong[i].Times
			}
		}
	}
	return found
}
