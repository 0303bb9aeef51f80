package admin

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/chains/addresses"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/tasks"
)

// PayoutLimits lists a merchant's limits. Payouts above them wait for approval.
func (a *Admin) PayoutLimits(ctx context.Context, merchant uuid.UUID) ([]store.PayoutLimit, error) {
	return a.Store.PayoutLimits(ctx, merchant)
}

// NewLimit makes a merchant's payouts above an amount wait for approval. The unit is an asset of the ledger or a fiat. Per is
// store.PerPayout (or empty), store.PerHour or store.PerDay.
type NewLimit struct {
	Unit, Above, Per string
	PerAddress       bool
}

// SetPayoutLimit makes payouts of a merchant wait for approval when they are above an amount: each by itself, or together with all
// signed in the last hour or day without an approval. Zero is every payout. It holds for every payout not signed yet.
func (a *Admin) SetPayoutLimit(ctx context.Context, merchant uuid.UUID, n NewLimit) ([]store.PayoutLimit, error) {
	value, err := number(n.Above, limitScale)
	if err != nil {
		return nil, err
	}
	l, err := n.limit(merchant, value)
	if err != nil {
		return nil, err
	}
	return a.changeLimits(ctx, "limit.set", merchant, func(tx *store.Store) error {
		if err := isUnit(ctx, tx, n.Unit); err != nil {
			return err
		}
		return tx.SavePayoutLimit(ctx, l)
	})
}

// ClearPayoutLimit removes a limit of any amount. Payouts waiting only for it go on by themselves.
func (a *Admin) ClearPayoutLimit(ctx context.Context, merchant uuid.UUID, n NewLimit) ([]store.PayoutLimit, error) {
	l, err := n.limit(merchant, decimal.Zero)
	if err != nil {
		return nil, err
	}
	return a.changeLimits(ctx, "limit.clear", merchant, func(tx *store.Store) error {
		there, err := tx.DropPayoutLimit(ctx, l)
		if err == nil && !there {
			err = refuse("there is no limit in %s of that kind", n.Unit)
		}
		return err
	})
}

// limit is the row of a limit, or a refusal when its kind makes no sense.
func (n NewLimit) limit(merchant uuid.UUID, above decimal.Decimal) (*store.PayoutLimit, error) {
	per := cmp.Or(n.Per, store.PerPayout)
	switch {
	case per != store.PerPayout && per != store.PerHour && per != store.PerDay:
		return nil, misread("a limit is per payout, per hour or per day, and not per %q", n.Per)
	case n.PerAddress && per == store.PerPayout:
		return nil, misread("a limit of one address is per hour or per day")
	}
	return &store.PayoutLimit{MerchantID: merchant, Unit: n.Unit, Per: per, PerAddress: n.PerAddress, Above: above}, nil
}

// isUnit refuses a unit other than an asset or a fiat of the catalogue.
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

// placeOf returns one form for all spellings of an address, as signers count payouts to it.
func placeOf(network, wallet string) string { return strings.ToLower(addresses.Match(network, wallet)) }

func (a *Admin) changeLimits(ctx context.Context, action string, merchant uuid.UUID, work func(*store.Store) error) ([]store.PayoutLimit, error) {
	var now []store.PayoutLimit
	err := a.Change(ctx, action, "merchant:"+merchant.String(), func(tx *store.Store) (before, after any, err error) {
		if _, err := tx.MerchantForUpdate(ctx, merchant); err != nil {
			return nil, nil, named(err, "merchant %s", merchant)
		}
		was, err := tx.PayoutLimits(ctx, merchant)
		if err != nil {
			return nil, nil, err
		}
		if err := tx.HoldNonces(ctx); err != nil {
			return nil, nil, err
		}
		counted, err := tx.LimitSums(ctx, merchant)
		if err != nil {
			return nil, nil, err
		}
		if err := work(tx); err != nil {
			return nil, nil, err
		}
		if err := tx.RecountWindows(ctx, merchant, counted, placeOf); err != nil {
			return nil, nil, err
		}
		if now, err = tx.PayoutLimits(ctx, merchant); err != nil {
			return nil, nil, err
		}
		return was, now, tx.WakeWaiting(ctx, string(tasks.BroadcastPayout), merchant)
	})
	return now, err
}
