package admin

import (
	"bytes"
	"context"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/store"
)

// Waiting lists all payouts waiting for approval, longest first.
func (a *Admin) Waiting(ctx context.Context) ([]store.WaitingPayout, error) {
	return allRows(func(after uuid.UUID) ([]store.WaitingPayout, error) {
		return a.Store.WaitingPayouts(ctx, after, perPiece)
	},
		func(p *store.WaitingPayout) uuid.UUID { return p.ID })
}

// decision is an operator's decision on a payout, for the audit row.
type decision struct {
	payoutState
	Approval string `json:"approval"`
}

// ApprovePayout lets a payout be signed although it is above a limit of its merchant, or its merchant is suspended, or its account
// owes. It may be called before the approval was asked for. With TwoPeople the payout goes on waiting after the first approval: its
// Approval says so.
func (a *Admin) ApprovePayout(ctx context.Context, ref string) (*Payout, error) {
	return a.decide(ctx, "payout.approve", store.Approved, ref, func(*store.Store, *pay.Payout) error { return nil })
}

// ApproveSealed is ApprovePayout for a payout seen before with this seal. It refuses a payout with another seal now.
func (a *Admin) ApproveSealed(ctx context.Context, ref string, seal []byte) (*Payout, error) {
	return a.decide(ctx, "payout.approve", store.Approved, ref, func(_ *store.Store, p *pay.Payout) error {
		if !bytes.Equal(p.Seal, seal) {
			return refuse("payout %s has changed since you opened it: reload the page and check it again", p.ID)
		}
		return nil
	})
}

// DeclinePayout stops a payout waiting for approval: it fails and is refunded.
func (a *Admin) DeclinePayout(ctx context.Context, ref string) (*Payout, error) {
	return a.decide(ctx, "payout.decline", store.Declined, ref, func(tx *store.Store, p *pay.Payout) error {
		p.Cancelling = true
		_, err := tx.CancelPayout(ctx, p.ID)
		return err
	})
}

// decide notes a decision on a payout not signed yet, and makes its job due. The payout's row is locked: it is signed before the
// decision or after it.
func (a *Admin) decide(ctx context.Context, action, verdict, ref string, work func(*store.Store, *pay.Payout) error) (*Payout, error) {
	return a.changePayout(ctx, action, ref, func(tx *store.Store, p *pay.Payout) (before, after any, err error) {
		if err := undecided(ctx, tx, p); err != nil {
			return nil, nil, err
		}
		was := decision{stateOf(p), "waits"}
		if err := work(tx, p); err != nil {
			return nil, nil, err
		}
		if verdict == store.Approved {
			if first, err := a.isFirst(ctx, tx, p); err != nil || first {
				return was, decision{stateOf(p), "approved by the first of two people"}, err
			}
		}
		return was, decision{stateOf(p), verdict}, tx.Decide(ctx, p, verdict, a.Actor)
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
