package admin

import (
	"context"
	"strings"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/tasks"
)

// TwoPeople is an amount: payouts above it need the approval of two people.
type TwoPeople struct {
	AboveUSD decimal.NullDecimal `json:"above_usd"` // null = one person is enough for every payout
}

// TwoPeople shows the amount above which two people approve a payout.
func (a *Admin) TwoPeople(ctx context.Context) (*TwoPeople, error) {
	above, err := a.Store.TwoPeople(ctx)
	return &TwoPeople{above}, err
}

// SetTwoPeople sets an amount in USD: a payout worth more waits for the approval of two people, whatever limits its merchant has.
// The word "off" makes one person enough. It holds for payouts neither signed nor approved by anybody. No page of the console calls
// it: there, one admin could lower the amount.
func (a *Admin) SetTwoPeople(ctx context.Context, word string) (*TwoPeople, error) {
	var above decimal.NullDecimal
	if word != "off" {
		amount, err := number(word, limitScale)
		if err != nil {
			return nil, err
		}
		above = decimal.NewNullDecimal(amount)
	}
	err := a.Change(ctx, "two-people.set", "payouts", func(tx *store.Store) (before, after any, err error) {
		if err := tx.HoldNonces(ctx); err != nil {
			return nil, nil, err
		}
		was, err := tx.TwoPeople(ctx)
		if err != nil {
			return nil, nil, err
		}
		if err := tx.SetTwoPeople(ctx, above); err != nil {
			return nil, nil, err
		}
		return TwoPeople{was}, TwoPeople{above}, tx.WakeWaiting(ctx, string(tasks.BroadcastPayout), uuid.Nil)
	})
	return &TwoPeople{above}, err
}

// OneIsNotTwo refuses an act while large payouts need two people, if the act would let one person approve as two.
func (a *Admin) OneIsNotTwo(ctx context.Context, act, command string) error {
	above, err := a.Store.TwoPeople(ctx)
	if err == nil && above.Valid {
		err = refuse("while two people approve large payouts, nobody %s in the console: use `causeway admin %s`", act, command)
	}
	return err
}

// isFirst reports whether a payout needs two people and this is the first of them. It notes the first, and refuses the same person
// as the second.
func (a *Admin) isFirst(ctx context.Context, tx *store.Store, p *pay.Payout) (bool, error) {
	by, err := tx.ApproversOf(ctx, p)
	switch {
	case err != nil || !by.TwoPeople:
		return false, err
	case by.Approved:
		return false, refuse("payout %s is approved already", p.ID)
	case by.FirstBy == nil:
		return true, tx.ApproveFirst(ctx, p, a.Actor)
	case strings.EqualFold(*by.FirstBy, a.Actor):
		return false, refuse("payout %s needs a second person: %s has approved it already", p.ID, *by.FirstBy)
	default:
		return false, nil
	}
}
