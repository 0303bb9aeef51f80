package settlement

import (
	"slices"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/ledger"
)

// OthersAt returns what else has, or had, the nonce of a hot wallet that is a transaction's, by what was signed for its payout: of ours,
// and of those that our books did not know, what had taken it last, and what had paid the payout.
func OthersAt(p *pay.Payout, signed []pay.SignedTransaction, address string, nonce int64, txid string) []string {
	var all []string
	for _, t := range signed {
		if t.Address != address || t.Nonce != nonce {
			continue
		}
		if all = append(all, t.Txid); t.TakenBy != nil {
			all = append(all, *t.TakenBy)
		}
	}
	if p.Txid != nil && !slices.ContainsFunc(signed, func(t pay.SignedTransaction) bool { return t.Txid == *p.Txid }) {
		all = append(all, *p.Txid)
	}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(other string) bool { return other == txid })
}

// GasOf returns the subjects under which the costs of transactions are booked.
func GasOf(n *chains.Network, txids []string) []uuid.UUID {
	out := make([]uuid.UUID, len(txids))
	for i, txid := range txids {
		out[i] = ledger.Gas(n.Name, txid)
	}
	return out
}

// CostOf returns the entries for what a final transaction has cost. One that was final once and was undone by a reorganisation may
// cost something else now: what is booked stays, and reconciliation says what that is wrong by. What is booked for others of its nonce
// is given back, since they have cost nothing.
func CostOf(n *chains.Network, txid string, fee decimal.Decimal, others []string, booked map[uuid.UUID]store.BookedGas) (entries []ledger.Entry) {
	for _, other := range others {
		if was := booked[ledger.Gas(n.Name, other)]; !was.Cost.IsZero() {
			entries = append(entries, ledger.GasGivenBack(n.Name, n.Coin, other, was.Times, was.Cost))
		}
	}
	if own := booked[ledger.Gas(n.Name, txid)]; own.Times == 0 || own.Cost.IsZero() && !fee.IsZero() {
		entries = append(entries, ledger.GasSpent(n.Name, n.Coin, txid, own.Times, fee))
	}
	return entries
}
