package admin

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/tasks"
)

// SetSecondRule sets the worth above which a second person confirms a merchant's withdrawals, from now on; without an amount it lifts the
// rule. The rule before it holds for a day more.
func (a *Admin) SetSecondRule(ctx context.Context, merchant uuid.UUID, above, fiat string) error {
	var rule *store.SecondRule
	if above != "" {
		value, err := number(above, limitScale)
		if err != nil {
			return err
		}
		rule = &store.SecondRule{Above: value, Fiat: fiat}
	}
	return a.changeBook(ctx, "person.second-rule", merchant, map[string]any{"above": above, "fiat": fiat}, func(tx *store.Store) error {
		if rule != nil {
			if err := isFiat(ctx, tx, fiat); err != nil {
				return err
			}
		}
		if _, err := tx.MerchantForUpdate(ctx, merchant); err != nil {
			return err
		}
		return tx.SetSecondRule(ctx, merchant, rule)
	})
}

// isFiat refuses anything but a fiat of the catalogue.
func isFiat(ctx context.Context, tx *store.Store, code string) error {
	cat, err := tx.Catalogue(ctx)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(cat.Fiats, func(f pay.Fiat) bool { return f.Code == code }) {
		return refuse("%q is no fiat of the catalogue", strings.TrimSpace(code))
	}
	return nil
}

// ConfirmWithdrawals confirms the withdrawals of a form as its second person: all that wait, and they are the shown ones. The person has one
// of the roles, and so has the first one. The caller has asked for a code.
func (a *Admin) ConfirmWithdrawals(ctx context.Context, merchant, form uuid.UUID, email string, roles []string, shown []uuid.UUID) error {
	return a.changeBook(ctx, "person.confirm-withdrawal", merchant, map[string]any{"reference_id": pay.PanelReference(form, 0), "payouts": shown},
		func(tx *store.Store) error {
			done, err := tx.ConfirmSeconds(ctx, merchant, form, email, roles)
			if err != nil {
				return err
			}
			if !sameIDs(done, shown) {
				return refuse("nothing was confirmed: what waits has changed since you opened it, or the person who made it may not withdraw any more")
			}
			return setAllDue(ctx, tx, done)
		})
}

// DeclineWithdrawals cancels the withdrawals of a form that wait for a second person. Their debits come back.
func (a *Admin) DeclineWithdrawals(ctx context.Context, merchant, form uuid.UUID, waiting []uuid.UUID) error {
	return a.changeBook(ctx, "person.decline-withdrawal", merchant, map[string]any{"reference_id": pay.PanelReference(form, 0), "payouts": waiting},
		func(tx *store.Store) error {
			var done []uuid.UUID
			for _, id := range waiting {
				cancelled, err := tx.CancelWithdrawal(ctx, merchant, id)
				if err != nil {
					return err
				}
				if cancelled {
					done = append(done, id)
				}
			}
			if len(done) == 0 {
				return refuse("nothing of it waits any more")
			}
			return setAllDue(ctx, tx, done)
		})
}

// setAllDue wakes the jobs of payouts, in the order of their ids.
func setAllDue(ctx context.Context, tx *store.Store, payouts []uuid.UUID) error {
	for _, id := range store.Unique(payouts) {
		if err := tx.SetDue(ctx, string(tasks.BroadcastPayout), id); err != nil {
			return err
		}
	}
	return nil
}

// sameIDs reports whether two lists have the same ids, in any order.
func sameIDs(a, b []uuid.UUID) bool { return slices.Equal(store.Unique(a), store.Unique(b)) }
