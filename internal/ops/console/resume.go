package console

import (
	"fmt"
	"strconv"

	"causeway/internal/ops/admin"
)

// resumeNetwork lets a halted network go on. Whatever keeps it from that is the operator's to read, as the command prints it.
func resumeNetwork(v *visit) (outcome, error) {
	from, err := v.count("from")
	if err != nil {
		return outcome{}, err
	}
	network := clean(v.PathValue("network"))
	transfers, transactions, err := v.console.ResumeNetwork(v.Context(), v.Name, network, from)
	if err != nil {
		return outcome{}, admin.Refuse(err.Error())
	}
	return said(fmt.Sprintf("%s goes on from block %d. Undone above it: %d %s, and %d %s of ours.", network, from, transfers,
		admin.Plural(int64(transfers), "transfer"), transactions, admin.Plural(int64(transactions), "transaction")), nil)
}

// resumeWallet lets a stopped hot wallet sign again, likewise.
func resumeWallet(v *visit) (outcome, error) {
	unexplained, err := v.count("unexplained")
	if err != nil {
		return outcome{}, err
	}
	network := clean(v.PathValue("network"))
	spends, err := v.console.ResumeWallet(v.Context(), v.Name, network, unexplained)
	if err != nil {
		return outcome{}, admin.Refuse(err.Error())
	}
	return said(fmt.Sprintf("The hot wallet of %s signs again. %d %s booked that %s not known.", network, spends,
		admin.Plural(int64(spends), "spend was", "spends were"), admin.Plural(int64(spends), "was", "were")), nil)
}

// bookSpend ends the payout whose nonce a transaction of somebody else has taken, likewise, and goes to its page.
func bookSpend(v *visit) (outcome, error) {
	payout, status, err := v.console.BookSpend(v.Context(), v.Name, clean(v.PathValue("network")), v.given("txid"))
	if err != nil {
		return outcome{}, admin.Refuse(err.Error())
	}
	return outcome{said: "The nonce of this payout was taken: it is " + string(status) + ".", to: "payouts/" + payout.String()}, nil
}

// dismissSpend takes what a reorganisation has undone off the overview, likewise.
func dismissSpend(v *visit) (outcome, error) {
	if err := v.console.DismissSpend(v.Context(), v.Name, clean(v.PathValue("network")), v.given("txid")); err != nil {
		return outcome{}, admin.Refuse(err.Error())
	}
	return outcome{said: "It is off the overview. What was booked stays.", to: "treasury"}, nil
}

// count reads a whole number that is not below zero.
func (v *visit) count(name string) (int64, error) {
	n, err := strconv.ParseInt(v.given(name), 10, 64)
	if err != nil || n < 0 {
		return 0, admin.Refuse(name + " is a whole number, not below zero")
	}
	return n, nil
}
