package console

import (
	"fmt"
	"strconv"

	"causeway/internal/ops/admin"
	"causeway/internal/ops/onchain"
)

// onChain has the acts on networks of the operator of a visit.
func (v *visit) onChain() *onchain.Operator { return v.console.OnChain.By(v.Admin) }

// resumeNetwork lets a halted network go on. The operator reads the whole error if it cannot, as the command prints it.
func resumeNetwork(v *visit) (outcome, error) {
	from, err := v.count("from")
	if err != nil {
		return outcome{}, err
	}
	network := clean(v.PathValue("network"))
	done, err := v.onChain().ResumeNetwork(v.Context(), network, from)
	if err != nil {
		return outcome{}, admin.Refuse(err.Error())
	}
	return said(fmt.Sprintf("%s was resumed from block %d. Undone above it: %d %s, and %d %s of ours.", network, from, done.Transfers,
		admin.Plural(int64(done.Transfers), "transfer"), done.Transactions, admin.Plural(int64(done.Transactions), "transaction")), nil)
}

// resumeWallet lets a stopped hot wallet sign again, likewise.
func resumeWallet(v *visit) (outcome, error) {
	unexplained, err := v.count("unexplained")
	if err != nil {
		return outcome{}, err
	}
	network := clean(v.PathValue("network"))
	done, err := v.onChain().ResumeWallet(v.Context(), network, unexplained, 0)
	if err != nil {
		return outcome{}, admin.Refuse(err.Error())
	}
	spends := len(done.Unknown)
	return said(fmt.Sprintf("The hot wallet of %s signs again. %d %s booked that %s not known.", network, spends,
		admin.Plural(int64(spends), "spend was", "spends were"), admin.Plural(int64(spends), "was", "were")), nil)
}

// bookSpend ends the payout with a nonce taken by somebody else's transaction, likewise, and goes to its page.
func bookSpend(v *visit) (outcome, error) {
	done, err := v.onChain().BookSpend(v.Context(), clean(v.PathValue("network")), v.given("txid"))
	if err != nil {
		return outcome{}, admin.Refuse(err.Error())
	}
	return outcome{said: "The nonce of this payout was taken by that transaction. The payout is now " + string(done.Status) + ".", to: "payouts/" + done.Payout.String()}, nil
}

// dismissSpend takes a spend undone by a reorganisation off the overview, likewise.
func dismissSpend(v *visit) (outcome, error) {
	if _, err := v.onChain().DismissSpend(v.Context(), clean(v.PathValue("network")), v.given("txid")); err != nil {
		return outcome{}, admin.Refuse(err.Error())
	}
	return outcome{said: "The transaction was removed from the overview. What was booked stays.", to: "treasury"}, nil
}

// count reads a whole number of at least zero.
func (v *visit) count(name string) (int64, error) {
	n, err := strconv.ParseInt(v.given(name), 10, 64)
	if err != nil || n < 0 {
		return 0, admin.Refuse(name + " must be a whole number, zero or more")
	}
	return n, nil
}
