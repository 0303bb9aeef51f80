package api

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/internal/pricing"
	"causeway/internal/store"
)

// mostUnpaid bounds the unpaid requests of strangers by one link within unpaidWithin: each may take an address.
const (
	mostUnpaid   = 500
	unpaidWithin = time.Hour
)

var (
	errLinkOver = pay.E(pay.Invalid, "payment_link_ended", "The link has ended, or is not usable now.")
	errLinkBusy = pay.E(pay.Invalid, "payment_link_busy", "Too many payers of this link have paid nothing yet.")
	errLinkSum  = pay.E(pay.Invalid, "payment_link_amount", "The link does not take this amount.")
)

// of reads a link with the terms of its maker.
func (l *Links) of(ctx context.Context, slug string) (*pay.PaymentLink, *store.Caller, error) {
	link, err := l.store().PaymentLinkCalled(ctx, slug)
	if err != nil {
		return nil, nil, err
	}
	by, err := l.Requests.maker(ctx, link.KeyID, link.MerchantID)
	if err != nil {
		return nil, nil, fmt.Errorf("key of payment link %s: %w", slug, err)
	}
	return link, by, nil
}

// Offered returns a link as its payer sees it, with what the amount comes to; null is the link's own. Pay.ErrNotFound is no link.
func (l *Links) Offered(ctx context.Context, slug string, amount decimal.NullDecimal) (*pay.OfferedLink, error) {
	link, by, err := l.of(ctx, slug)
	if err != nil {
		return nil, err
	}
	look, err := l.store().LookOf(ctx, link.MerchantID)
	if err != nil {
		return nil, err
	}
	out := &pay.OfferedLink{Link: link, Merchant: by.Merchant.Name, Look: look.With(link.Colour, link.Support), Open: link.EndedAt == nil && receives(by)}
	if !amount.Valid {
		amount = link.Amount
	}
	if !out.Open || !amount.Valid || !link.Takes(amount.Decimal) {
		return out, nil
	}
	cat, err := l.Requests.Payins.Catalogues.Since(ctx, by.Catalogue)
	if err != nil {
		return nil, err
	}
	if out.Tokens, err = offers(by, cat, link.Request(uuid.Nil, amount.Decimal)); errors.Is(err, errNothingOffered) {
		err = nil
	}
	return out, err
}

// Take makes a payment request of one payer, and its payin in a token. Before is the last request of this payer, or uuid.Nil: while
// nothing was paid for it and it asks for the same, it is used again. A *pay.Error says why there is none.
func (l *Links) Take(ctx context.Context, slug string, amount decimal.Decimal, o pay.Offer, before uuid.UUID) (request, payin uuid.UUID, err error) {
	link, by, err := l.of(ctx, slug)
	if err != nil {
		return uuid.Nil, uuid.Nil, err
	}
	if link.EndedAt != nil || !receives(by) {
		return uuid.Nil, uuid.Nil, errLinkOver
	}
	if amount = pricing.Cut(amount, pricing.FiatPlaces); !link.Takes(amount) {
		return uuid.Nil, uuid.Nil, errLinkSum
	}
	again, err := l.again(ctx, link, amount, before)
	if err != nil {
		return uuid.Nil, uuid.Nil, err
	}
	if request = before; !again {
		if request, err = l.begin(link, amount); err != nil { //nolint:contextcheck // a payer who leaves ends nothing half way
			return uuid.Nil, uuid.Nil, err
		}
	}
	payin, err = l.Requests.Choose(ctx, request, o, "") // nobody is sent a receipt
	return request, payin, err
}

// again reports whether a payer goes on with their last request.
func (l *Links) again(ctx context.Context, link *pay.PaymentLink, amount decimal.Decimal, before uuid.UUID) (bool, error) {
	if before == uuid.Nil {
		return false, nil
	}
	q, err := l.store().PaymentRequest(ctx, before)
	if errors.Is(err, pay.ErrNotFound) || err == nil && (q.LinkID == nil || *q.LinkID != link.ID || !q.Amount.Equal(amount)) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	choices, now, err := l.Requests.choices(ctx, l.store(), before)
	return err == nil && q.Status(choices, now) == pay.RequestOpen, err
}

// begin records the request of one payer, unless the link has ended or has too many unpaid ones.
func (l *Links) begin(link *pay.PaymentLink, amount decimal.Decimal) (uuid.UUID, error) {
	q := link.Request(uuid.Must(uuid.NewV7()), amount)
	return q.ID, certainly(l.store(), func(ctx context.Context) error {
		return l.store().InTx(ctx, func(tx *store.Store) error {
			works, err := tx.LockPaymentLink(ctx, link.ID)
			if err != nil {
				return err
			}
			if _, err := tx.PaymentRequest(ctx, q.ID); !errors.Is(err, pay.ErrNotFound) {
				return err // an earlier try has recorded it
			}
			unpaid, err := tx.UnpaidOfLink(ctx, link.ID, unpaidWithin)
			switch {
			case err != nil:
				return err
			case !works:
				return errLinkOver
			case unpaid >= mostUnpaid:
				return errLinkBusy
			}
			now, err := tx.Now(ctx)
			if err != nil {
				return err
			}
			q.CreatedAt, q.ExpiresAt = now, now.Add(pay.LinkLifetime)
			added, err := tx.AddPaymentRequest(ctx, q)
			if err == nil && !added {
				err = errDuplicateRequest
			}
			return err
		})
	})
}
