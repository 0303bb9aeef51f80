package admin

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"causeway/pay"
	"causeway/store"
	"causeway/tasks"
)

// PayoutLimits lists a merchant's limits above which payouts wait for approval.
func (a *Admin) PayoutLimits(ctx context.Context, merchant uuid.UUID) ([]store.PayoutLimit, error) {
	return a.Store.PayoutLimits(ctx, merchant)
}

// SetPayoutLimit makes payouts of a merchant wait for approval when they are above an amount: of an asset of the ledger, or
// worth so much of a fiat. Zero is every payout. It holds for all of which nothing is signed yet.
func (a *Admin) SetPayoutLimit(ctx context.Context, merchant uuid.UUID, unit, above string) ([]store.PayoutLimit, error) {
	value, err := number(above, limitScale)
	if err != nil {
		return nil, err
	}
	return a.changeLimits(ctx, "limit.set", merchant, func(tx *store.Store) error {
		if err := isUnit(ctx, tx, unit); err != nil {
			return err
		}
		return tx.SavePayoutLimit(ctx, &store.PayoutLimit{MerchantID: merchant, Unit: unit, Above: value})
	})
}

// ClearPayoutLimit removes a limit: what waits only for it goes on by itself.
func (a *Admin) ClearPayoutLimit(ctx context.Context, merchant uuid.UUID, unit string) ([]store.PayoutLimit, error) {
	return a.changeLimits(ctx, "limit.clear", merchant, func(tx *store.Store) error {
		there, err := tx.DropPayoutLimit(ctx, merchant, unit)
		if err == nil && !there {
			err = refuse("there is no limit in %s", unit)
		}
		return err
	})
}

// isUnit makes sure that a limit can be said in a unit.
func isUnit(ctx context.Context, tx *store.Store, unit string) error {
	cat, err := tx.Catalogue(ctx)
	if err != nil {
		return err
	}
	asset := slices.ContainsFunc(cat.Tokens, func(t pay.Token) bool { return t.BalanceKey == unit })
	if !asset && !slices.ContainsFunc(cat.Fiats, func(f pay.Fiat) bool { return f.Code == unit }) {
		return refuse("%q is neither an asset nor a fiat of the catalogue", strings.TrimSpace(unit))
	}
	return nil
}

func (a *Admin) changeLimits(ctx context.Context, action string, merchant uuid.UUID, work func(*store.Store) error) ([]store.PayoutLimit, error) {
	var now []store.PayoutLimit
	err := a.change(ctx, action, "merchant:"+merchant.String(), func(tx *store.Store) (before, after any, err error) {
		if _, err := tx.MerchantForUpdate(ctx, merchant); err != nil {
			return nil, nil, named(err, "merchant %s", merchant)
		}
		was, err := tx.PayoutLimits(ctx, merchant)
		if err != nil {
			return nil, nil, err
		}
		if err := work(tx); err != nil {
			return nil, nil, err
		}
		if now, err = tx.PayoutLimits(ctx, merchant); err != nil {
			return nil, nil, err
		}
		return was, now, tx.WakeWaiting(ctx, string(tasks.BroadcastPayout), merchant)
	})
	return now, err
}

// Waiting lists all payouts that wait for approval, longest first.
func (a *Admin) Waiting(ctx context.Context) ([]store.WaitingPayout, error) {
	return allRows(func(after uuid.UUID) ([]store.WaitingPayout, error) {
		return a.Store.WaitingPayouts(ctx, after, perPiece)
	},
		func(p *store.WaitingPayout) uuid.UUID { return p.ID })
}

// decision is what an operator decided of a payout, for the audit row.
type decision struct {
	payoutState
	Approval string `json:"approval"`
}

// ApprovePayout lets a payout be signed that is above a limit of its merchant, or of a suspended one, now or before it was asked for.
func (a *Admin) ApprovePayout(ctx context.Context, ref string) (*Payout, error) {
	return a.decide(ctx, "payout.approve", store.Approved, ref, func(*store.Store, *pay.Payout) error { return nil })
}

// DeclinePayout stops a payout that waits for approval: it fails and is refunded.
func (a *Admin) DeclinePayout(ctx context.Context, ref string) (*Payout, error) {
	return a.decide(ctx, "payout.decline", store.Declined, ref, func(tx *store.Store, p *pay.Payout) error {
		p.Cancelling = true
		_, err := tx.CancelPayout(ctx, p.ID)
		return err
	})
}

// decide notes a decision of a payout of which nothing is signed, and has a worker look at it. The payout's row is locked:
// it is signed before the decision or after it.
func (a *Admin) decide(ctx context.Context, action, verdict, ref string, work func(*store.Store, *pay.Payout) error) (*Payout, error) {
	return a.changePayout(ctx, action, ref, func(tx *store.Store, p *pay.Payout) (before, after any, err error) {
		if err := undecided(ctx, tx, p); err != nil {
			return nil, nil, err
		}
		was := decision{stateOf(p), "waits"}
		if err := work(tx, p); err != nil {
			return nil, nil, err
		}
		return was, decision{stateOf(p), verdict}, tx.Decide(ctx, p.ID, verdict, a.Actor)
	})
}

// undecided returns why nothing is left to decide of a payout: it is signed, or over, or was stopped before.
func undecided(ctx context.Context, tx *store.Store, p *pay.Payout) error {
	if p.Status != pay.PayoutQueued {
		return refuse("payout %s does not wait for approval: it is %s", p.ID, p.Status)
	}
	if !p.Cancelling {
		return nil
	}
	approval, err := tx.ApprovalOf(ctx, p.ID)
	if err != nil {
		return err
	}
	if approval != nil && approval.Decision != nil && *approval.Decision == store.Declined {
		return refuse("payout %s does not wait for approval: it was declined by %s", p.ID, *approval.DecidedBy)
	}
	return refuse("payout %s does not wait for approval: it is cancelled", p.ID)
}
