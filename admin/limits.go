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
