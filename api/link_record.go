package api

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/store"
)

var errSlugTaken = pay.E(pay.Invalid, "slug_taken", "Another link has this slug.")

// record checks a link against the catalogue and writes it with what belongs to it, until the outcome is certain.
func (l *Links) record(ctx context.Context, by *store.Caller, order *linkOrder, also func(ctx context.Context, tx *store.Store) error) error {
	if !receives(by) {
		return errWithdrawable
	}
	cat, err := l.Requests.Payins.Catalogues.Since(ctx, by.Catalogue)
	if err != nil {
		return err
	}
	if err := order.known(cat); err != nil {
		return err
	}
	if order.Amount.Valid {
		if _, err := offers(by, cat, order.Request(uuid.Nil, order.Amount.Decimal)); err != nil {
			return err
		}
	}
	return certainly(l.store(), func(ctx context.Context) error { //nolint:contextcheck // a person who leaves ends nothing half way
		return l.store().InTx(ctx, func(tx *store.Store) error {
			added, err := tx.AddPaymentLink(ctx, &order.PaymentLink)
			if err != nil {
				return err
			}
			if added && also != nil {
				return also(ctx, tx)
			}
			known, err := tx.PaymentLink(ctx, order.ID)
			switch {
			case err == nil && known.MerchantID == order.MerchantID:
				order.PaymentLink = *known
				return nil
			case err != nil && !errors.Is(err, pay.ErrNotFound):
				return err
			}
			return errSlugTaken
		})
	})
}

// certainly tries until the outcome is certain. A *pay.Error says that nothing was recorded.
func certainly(s *store.Store, try func(ctx context.Context) error) error {
	err := untilCertain(s, func(ctx context.Context, _ bool) error { return try(ctx) })
	var refusal *pay.Error
	if err == nil || errors.As(err, &refusal) {
		return err
	}
	return errNotRecorded.Because(err)
}
