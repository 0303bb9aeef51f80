package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"causeway/internal/pay"
)

// AddPaymentRequest records a payment request; false when the merchant has the reference already.
func (s *Store) AddPaymentRequest(ctx context.Context, r *pay.PaymentRequest) (bool, error) {
	res, err := s.Q.NewInsert().Model(r).On("conflict (merchant_id, reference_id) do nothing").Returning("created_at").Exec(ctx)
	return changed(res, err, "add payment request")
}

// PaymentRequest reads a payment request by its id.
func (s *Store) PaymentRequest(ctx context.Context, id uuid.UUID) (*pay.PaymentRequest, error) {
	r := new(pay.PaymentRequest)
	err := s.Q.NewSelect().Model(r).Where("id = ?", id).Scan(ctx)
	return r, one(err, "payment request "+id.String())
}

// LockPaymentRequest keeps others from choosing until the transaction ends.
func (s *Store) LockPaymentRequest(ctx context.Context, id uuid.UUID) error {
	r := new(pay.PaymentRequest)
	err := s.Q.NewSelect().Model(r).Column("id").Where("id = ?", id).For("update").Scan(ctx)
	return one(err, "payment request "+id.String())
}

// MerchantPaymentRequest reads a request of a merchant by its id, or by the merchant's reference.
func (s *Store) MerchantPaymentRequest(ctx context.Context, merchant, id uuid.UUID, reference string) (*pay.PaymentRequest, error) {
	r := new(pay.PaymentRequest)
	err := s.Q.NewSelect().Model(r).Where("merchant_id = ?", merchant).Where("id = ? or reference_id = ?", id, reference).
		OrderExpr("id = ? desc", id).Limit(1).Scan(ctx)
	return r, one(err, "payment request "+reference)
}

// AddChoice notes that a payin was chosen for a request.
func (s *Store) AddChoice(ctx context.Context, request, payin uuid.UUID) error {
	if _, err := s.Q.NewRaw("insert into payment_choices (request_id, payin_id) values (?, ?)", request, payin).Exec(ctx); err != nil {
		return fmt.Errorf("add choice: %w", err)
	}
	return nil
}

// Choices returns the payins of a request, oldest first.
func (s *Store) Choices(ctx context.Context, request uuid.UUID) (out []pay.Choice, err error) {
	err = s.Q.NewRaw(`select p.id as payin_id, p.reference_id as reference, p.token, p.network, p.status, p.expires_at,
			exists (select from transfers t where t.payin_id = p.id and t.status <> 'dropped') as touched
		from payment_choices c join payins p on p.id = c.payin_id where c.request_id = ? order by p.id`, request).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("read choices: %w", err)
	}
	return out, nil
}
