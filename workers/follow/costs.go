package follow

import (
	"context"

	"github.com/google/uuid"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/ledger"
	"causeway/workers/settlement"
)

// othersOf returns the txids with the same nonce, now or before, as each final transaction whose payout had ended before a
// reorganisation, by its txid. All but the final one have cost nothing, and moved nothing.
// Where a payout may be signed again after a death, it also names the final ones: two are never final, unless final blocks were undone.
func othersOf(ctx context.Context, tx *store.Store, n *chains.Network, f *finals) (others map[string][]string, final map[string]bool, err error) {
	var before []uuid.UUID
	for _, t := range f.transactions {
		if f.payouts[t.PayoutID].Status.Ended() {
			before = append(before, t.PayoutID)
		}
	}
	signed, err := tx.Nonces(ctx, n.Name, before)
	if err != nil {
		return nil, nil, err
	}
	others, final = map[string][]string{}, map[string]bool{}
	for _, rows := range signed {
		for i := range rows {
			if n.Exclusion != chains.ByNumber && rows[i].State == pay.TxFinal {
				final[rows[i].Txid] = true
			}
		}
	}
	for _, t := range f.transactions {
		if !f.payouts[t.PayoutID].Status.Ended() {
			continue
		}
		others[t.Txid] = settlement.OthersAt(f.payouts[t.PayoutID], signed[t.PayoutID], t.Address, t.Nonce, t.Txid)
	}
	return others, final, nil
}

// costs returns the entries for the costs of final transactions.
func costs(ctx context.Context, tx *store.Store, r *reading, f *finals) ([]ledger.Entry, error) {
	var again []string
	for txid, of := range f.others {
		again = append(append(again, txid), of...)
	}
	booked, err := tx.GasBooked(ctx, settlement.GasOf(r.network, again))
	if err != nil {
		return nil, err
	}
	var entries []ledger.Entry
	for i, t := range f.transactions {
		if i > 0 && f.transactions[i-1].Txid == t.Txid { // a transaction of several payouts costs once
			continue
		}
		entries = append(entries, settlement.CostOf(r.network, t.Txid, r.status[t.Txid].Fee, f.others[t.Txid], booked)...)
	}
	return entries, nil
}
