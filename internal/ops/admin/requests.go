package admin

import (
	"context"

	"github.com/google/uuid"

	"causeway/internal/store"
)

// EndLink ends a merchant's payment link for good. Requests that payers have made by it go on.
func (a *Admin) EndLink(ctx context.Context, merchant, link uuid.UUID) error {
	return a.Change(ctx, "link.end", "merchant:"+merchant.String(), func(tx *store.Store) (before, after any, err error) {
		ended, err := tx.EndPaymentLink(ctx, merchant, link)
		if err == nil && !ended {
			err = refuse("this payment link has ended already")
		}
		return nil, map[string]any{"merchant_id": merchant, "link_id": link}, err
	})
}

// EndRequest ends the choices of a merchant's payment request. What was chosen before can still be paid.
func (a *Admin) EndRequest(ctx context.Context, merchant, request uuid.UUID) error {
	return a.Change(ctx, "request.end", "merchant:"+merchant.String(), func(tx *store.Store) (before, after any, err error) {
		ended, err := tx.EndPaymentRequest(ctx, merchant, request)
		if err == nil && !ended {
			err = refuse("this payment request is over already")
		}
		return nil, map[string]any{"merchant_id": merchant, "request_id": request}, err
	})
}
