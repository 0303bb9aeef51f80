package settlement

import (
	"context"
	"slices"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/ledger"
)

// OthersAt returns the other txids at a transaction's nonce of a hot wallet, now or before, from the transactions signed for its
// payout: ours, the last to take it unknown to our books, and a payer of the payout unknown to our books. Dead ones of other slots are
// among them.
func OthersAt(p *pay.Payout, signed []pay.SignedTransaction, address string, nonce int64, txid string) []string {
	var all []string
	for _, t := range signed {
		if (t.Address != address || t.Nonce != nonce) && t.State != pay.TxExpired {
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

// GasOf returns the ledger's subjects for the costs of transactions.
func GasOf(n *chains.Network, txids []string) []uuid.UUID {
	out := make([]uuid.UUID, len(txids))
	for i, txid := range txids {
		out[i] = ledger.Gas(n.Name, txid)
	}
	return out
}

// CostOf returns the entries for the cost of a final transaction. A transaction made final again after a reorganisation may cost
// something else now: its booked cost stays, and reconciliation shows the difference. Costs booked for others of its nonce are given
// back, since they have cost nothing.
func CostOf(n *chains.Network, txid string, fee decimal.Decimal, others []string, booked map[uuid.UUID]store.BookedGas) (entries []ledger.Entry) {
	entries = GivenBack(n, others, booked)
	if own := booked[ledger.Gas(n.Name, txid)]; own.Times == 0 || own.Cost.IsZero() && !fee.IsZero() {
		entries = append(entries, ledger.GasSpent(n.Name, n.Coin, txid, own.Times, fee))
	}
	return entries
}

// GivenBack returns entries to take back the booked costs of transactions, since these have cost nothing.
func GivenBack(n *chains.Network, txids []string, booked map[uuid.UUID]store.BookedGas) (entries []ledger.Entry) {
	for _, txid := range txids {
		if was := booked[ledger.Gas(n.Name, txid)]; !was.Cost.IsZero() {
			entries = append(entries, ledger.GasGivenBack(n.Name, n.Coin, txid, was.Times, was.Cost))
		}
	}
	return entries
}

// GiveBack takes back what is booked as the costs of transactions that are dead.
func GiveBack(ctx context.Context, tx *store.Store, n *chains.Network, txids []string) error {
	booked, err := tx.GasBooked(ctx, GasOf(n, txids))
	if err != nil {
		return err
	}
	_, err = ledger.Post(ctx, tx.Q, GivenBack(n, txids, booked)...)
	return err
}
