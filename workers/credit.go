package workers

import (
	"context"
	"slices"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/ledger"
	"causeway/pay"
	"causeway/pricing"
	"causeway/store"
)

// credit books the transfers that have come to be creditable, and makes final those that cannot vanish any more. It
// answers the payins that were credited, locked, and whether there is more to do at once.
func (w *Workers) credit(ctx context.Context, tx *store.Store, s *step) (held map[uuid.UUID]*pay.Payin, more bool, err error) {
	due, err := tx.DueTransfers(ctx, s.network.Name, s.head.Credit, s.head.Final, transfersAtOnce)
	if err != nil || len(due) == 0 {
		return nil, false, err
	}
	transfers := make([]pay.Transfer, len(due))
	var seen []pay.Transfer
	for i := range due {
		if transfers[i] = due[i].Transfer; due[i].Status == pay.TransferSeen {
			seen = append(seen, transfers[i])
		}
	}
	if held, err = tx.PayinsForUpdate(ctx, payinIDs(seen)); err != nil {
		return nil, false, err
	}
	for i := range transfers {
		t := &transfers[i]
		if t.Status == pay.TransferSeen {
			s.entries = append(s.entries, book(t, held, s.catalogue, s.network.Hot))
			if err := w.creditedAgain(ctx, tx, t, held, s.catalogue); err != nil {
				return nil, false, err
			}
		}
		if t.Status == pay.TransferCredited && *t.Height <= s.head.Final {
			s.entries = append(s.entries, ledger.PayinFinalised(*due[i].MerchantID, s.catalogue.asset(t.Token, t.Network), t))
			t.Status = pay.TransferFinal
		}
	}
	return held, len(due) == transfersAtOnce, tx.CreditTransfers(ctx, transfers)
}

// book decides what a creditable transfer is: the merchant's, the operator's own, or unclaimed.
func book(t *pay.Transfer, payins map[uuid.UUID]*pay.Payin, cat *tokenTable, hot string) ledger.Entry {
	asset := cat.asset(t.Token, t.Network)
	t.Credits++
	if t.PayinID == nil {
		if t.Address == hot {
			t.Status = pay.TransferTreasury
			return ledger.TreasuryFunded(asset, t)
		}
		t.Status = pay.TransferUnclaimed
		return ledger.UnclaimedHeld(asset, t)
	}
	p, precision := payins[*t.PayinID], ledger.Places
	if token := cat.token(t.Token, t.Network); token != nil {
		precision = token.Precision
	}
	t.Status, t.Credited = pay.TransferCredited, pricing.Cut(t.Amount, precision)
	t.RateFee, t.NetworkFee = ledger.CreditFees(t.Credited, p.PercentRate, p.NetworkFee, precision)
	t.Counted, t.Reason = countedFor(t, p, cat), nil
	if t.Counted.IsZero() {
		because(t, "credited, and counted as nothing: there was no price of "+t.Token+" in "+p.Token)
	}
	return ledger.PayinCredited(p.MerchantID, asset, t)
}

// creditedAgain takes a credit off the reversal of its payin when it gives back what a reorganisation undid.
func (w *Workers) creditedAgain(ctx context.Context, tx *store.Store, t *pay.Transfer, payins map[uuid.UUID]*pay.Payin, cat *tokenTable) error {
	if !t.OnBalance() || payins[*t.PayinID].ReversedAt == nil {
		return nil
	}
	if again, err := givesBack(ctx, tx, t); err != nil || !again {
		return err
	}
	p := payins[*t.PayinID]
	if err := regain(p, cat.asset(t.Token, t.Network), t.Net()); err != nil {
		return err
	}
	return tx.SavePayin(ctx, p)
}

// givesBack tells whether a credit repeats one that was undone: of the same transfer, or of another that its transaction made
// for the payin before it was mined again and did something else.
func givesBack(ctx context.Context, tx *store.Store, t *pay.Transfer) (bool, error) {
	if t.Credits > 1 {
		return true, nil
	}
	all, err := tx.TransfersOf(ctx, *t.PayinID)
	return slices.ContainsFunc(all[*t.PayinID], func(other pay.Transfer) bool {
		return other.Status == pay.TransferDropped && other.Credits > 0 && other.Network == t.Network && other.Txid == t.Txid && other.Token == t.Token
	}), err
}

// countedFor is what a credit counts towards the payin, in the payin's token: converted at the current price when another
// token was paid, nothing when there is no price (addendum §8).
func countedFor(t *pay.Transfer, p *pay.Payin, cat *tokenTable) decimal.Decimal {
	if t.Token == p.Token {
		return t.Credited
	}
	quote, ok := cat.book.Price(t.Token, p.Token)
	if !ok {
		return decimal.Zero
	}
	return pricing.Cut(t.Credited.Mul(quote.Price), ledger.Places)
}

// countedOf sums what a payin has received, in its token.
func countedOf(transfers []pay.Transfer) decimal.Decimal {
	sum := decimal.Zero
	for i := range transfers {
		if transfers[i].OnBalance() {
			sum = sum.Add(transfers[i].Counted)
		}
	}
	return sum
}
