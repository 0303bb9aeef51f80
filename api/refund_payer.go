package api

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/internal/store"
)

// Promised returns the refund of a link as its payer sees it, or pay.ErrNotFound.
func (r *Refunds) Promised(ctx context.Context, link string) (*pay.Promised, error) {
	out, err := r.promise(ctx, link)
	if err != nil || out.Status != pay.RefundOpen {
		return out, err
	}
	switch _, err := r.maker(ctx, out.Refund); {
	case errors.Is(err, errRefundEnded):
		out.Status = pay.RefundRevoked
	case err != nil:
		return nil, err
	}
	return out, nil
}

// nameForPayer names the order of a payin as its payer has read it: a request of the panel has a name in place of its reference.
func nameForPayer(ctx context.Context, tx *store.Store, p *pay.Payin) (string, error) {
	seen, err := tx.PayerPayins(ctx, p.ID)
	if err != nil || len(seen) == 0 {
		return p.ReferenceID, err
	}
	return seen[0].ReferenceID, nil
}

// promise reads the refund of a link, in one moment.
func (r *Refunds) promise(ctx context.Context, link string) (*pay.Promised, error) {
	id, ours := r.Payouts.Seals.RefundOf(link)
	if !ours {
		return nil, pay.ErrNotFound
	}
	out := new(pay.Promised)
	err := r.Payouts.Store.Snapshot(ctx, func(tx *store.Store) error {
		q, err := tx.Refund(ctx, id)
		if err != nil {
			return err
		}
		payin, err := tx.Payin(ctx, q.PayinID)
		if err != nil {
			return err
		}
		m, err := tx.Merchant(ctx, q.MerchantID)
		if err != nil {
			return err
		}
		look, err := tx.LookOf(ctx, q.MerchantID)
		if err != nil {
			return err
		}
		order, err := nameForPayer(ctx, tx, payin)
		if err != nil {
			return err
		}
		payouts, now, err := paidBy(ctx, tx, []pay.Refund{*q})
		*out = pay.Promised{Refund: q, Merchant: m.Name, Look: look, Order: order, Payout: payoutOf(q, payouts)}
		out.Status = q.Status(out.Payout, now)
		return err
	})
	if err != nil {
		return nil, err
	}
	cat, err := r.catalogue(ctx)
	if err != nil {
		return nil, err
	}
	if t, there := cat.Token(out.Refund.Token, out.Refund.Network); there {
		out.Memo, out.Contract = t.Memo, t.Contract
	}
	return out, nil
}

func (r *Refunds) catalogue(ctx context.Context) (*Catalogue, error) {
	version, err := r.Payouts.Store.CatalogueVersion(ctx)
	if err != nil {
		return nil, err
	}
	return r.Payouts.Catalogues.Since(ctx, version)
}

// maker returns the checks of a refund's payout, by the rights that its maker has now. A link ends with them.
func (r *Refunds) maker(ctx context.Context, q *pay.Refund) (*payoutChecks, error) {
	if email, panel := pay.OfPanel(q.KeyID); panel {
		return r.person(ctx, q.MerchantID, email)
	}
	found, err := r.Payouts.Store.Callers(ctx, []store.Ask{{KeyID: q.KeyID}})
	if err != nil {
		return nil, err
	}
	if by := found[0]; by == nil || ended(&by.Key, time.Now()) || by.Merchant.Suspended || !by.Merchant.APIAccess || !by.Merchant.Verified {
		return nil, errRefundEnded
	}
	cat, err := r.catalogue(ctx)
	return &payoutChecks{caller: found[0], catalogue: cat, addresses: r.Payouts.Addresses}, err
}

// person returns the checks of a refund from the panel. While a merchant withdraws to its address book only, no payer says where to.
func (r *Refunds) person(ctx context.Context, merchant uuid.UUID, email string) (*payoutChecks, error) {
	may, err := r.mayPromise(ctx, merchant, email)
	if err != nil {
		return nil, err
	}
	if !may {
		return nil, errRefundEnded
	}
	checks, err := (&Withdrawals{r.Payouts}).checks(ctx, &pay.Withdrawal{Merchant: merchant, Email: email})
	if errors.Is(err, errWithdrawable) || err == nil && checks.book != nil {
		err = errRefundEnded
	}
	return checks, err
}

// mayPromise reports whether a person, or an operator, may let a payer say where to. An operator is no way around the second person of a
// merchant.
func (r *Refunds) mayPromise(ctx context.Context, merchant uuid.UUID, person string) (bool, error) {
	if pay.OfOperator(person) {
		rules, err := r.Payouts.Store.SecondRules(ctx, merchant)
		return len(rules) == 0, err
	}
	return r.Payouts.Store.MayWithdraw(ctx, merchant, person)
}

// Rehearse makes every check, and returns the payout that Give would record now. A *pay.Error says why there is none.
func (r *Refunds) Rehearse(ctx context.Context, link string, to pay.Destination) (*pay.Payout, error) {
	m, err := r.given(ctx, link, to)
	if err != nil {
		return nil, err
	}
	outcomes, err := r.Payouts.Store.RehearsePayouts(ctx, []store.PayoutItem{*m.item})
	if err != nil {
		return nil, err
	}
	return m.item.Payout, m.refused(&outcomes[0])
}

// Give records the payout of a link, once. Shown is what the payer was told that he gets: if it came to less now, nothing is recorded, and
// the error is ErrDearer. Any other *pay.Error says that nothing was recorded, too.
func (r *Refunds) Give(ctx context.Context, link string, to pay.Destination, shown decimal.Decimal) error {
	for {
		m, err := r.given(ctx, link, to)
		if err != nil {
			return err
		}
		if m.item.Payout.Amount.LessThan(shown) {
			return ErrDearer
		}
		if email, panel := pay.OfPanel(m.refund.KeyID); panel {
			if err := m.ask(ctx, m.refund.ID, email); err != nil {
				return err
			}
		}
		err = m.record()                   //nolint:contextcheck // a payer who leaves ends nothing half way
		if !errors.Is(err, errDuplicate) { // another payout has taken the reference meanwhile
			return err
		}
	}
}

// given makes the checks of a payout to where the payer says, but for those that need a lock.
func (r *Refunds) given(ctx context.Context, link string, to pay.Destination) (*makingRefund, error) {
	p, err := r.promise(ctx, link)
	if err != nil {
		return nil, err
	}
	if p.Status != pay.RefundOpen {
		return nil, errRefundEnded
	}
	checks, err := r.maker(ctx, p.Refund)
	if err != nil {
		return nil, err
	}
	m := &makingRefund{of: r, refund: p.Refund, promised: true, key: &checks.caller.Key}
	if m.draft, err = r.draft(ctx, checks, p.Refund, to.Wallet, to.Memo); err != nil {
		return nil, err
	}
	if m.draft.payout.ReferenceID, err = r.freeReference(ctx, p.Refund); err != nil {
		return nil, err
	}
	m.pays()
	if checks.panel {
		err = m.needsSecond(ctx, checks, p.Refund.ID)
	}
	return m, err
}

// freeReference is the refund's own reference, or, where a payout has taken it since, the same with a number behind it.
func (r *Refunds) freeReference(ctx context.Context, q *pay.Refund) (string, error) {
	reference := q.ReferenceID
	for place := 2; ; place++ {
		taken, err := r.Payouts.Store.HasPayout(ctx, q.MerchantID, reference)
		if err != nil || !taken {
			return reference, err
		}
		reference = fmt.Sprintf("%s~%d", q.ReferenceID, place)
	}
}
