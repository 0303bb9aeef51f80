// Package settlement turns the states of a payout's transactions into its next steps: the one to be sent next, its end, and its
// costs. It completes, fails and refunds.
package settlement

import (
	"context"
	"fmt"

	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/ledger"
)

// Unheld says that the ledger does not hold the debit of a payout, by the payout's id. Nothing is signed, settled or refunded for
// such a payout: its row was not written by the service, or changed since.
type Unheld string

// Error implements error.
func (u Unheld) Error() string {
	return fmt.Sprintf("the ledger does not hold the debit of payout %s: it is neither paid nor refunded before a person has looked at it", string(u))
}

// HoldsOf returns the digests of the entries holding the debits of payouts.
func HoldsOf(payouts []*pay.Payout) [][]byte {
	holds := make([][]byte, len(payouts))
	for i, p := range payouts {
		holds[i] = ledger.PayoutHeld(p).Digest
	}
	return holds
}

// Held fails with Unheld unless the ledger holds the debits of payouts, and nothing has ended a hold.
func Held(ctx context.Context, tx *store.Store, payouts ...*pay.Payout) error {
	not, err := tx.Unheld(ctx, payouts, HoldsOf(payouts), "")
	if err == nil && len(not) > 0 {
		err = Unheld(not[0].String())
	}
	return err
}

// WasHeld is Held for another payment of a payout, possibly completed before its network undid the completion.
func WasHeld(ctx context.Context, tx *store.Store, p *pay.Payout) error {
	if p.Status != pay.PayoutCompleted {
		return Held(ctx, tx, p)
	}
	not, err := tx.Unheld(ctx, []*pay.Payout{p}, HoldsOf([]*pay.Payout{p}), "payout_settled")
	if err == nil && len(not) > 0 {
		err = Unheld(not[0].String())
	}
	return err
}
