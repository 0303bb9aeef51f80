package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/pg"
)

// AddPaymentRequest records a payment request; false when the merchant has the reference already, or somebody the id.
func (s *Store) AddPaymentRequest(ctx context.Context, r *pay.PaymentRequest) (bool, error) {
	res, err := s.Q.NewInsert().Model(r).On("conflict do nothing").Returning("created_at").Exec(ctx)
	return changed(res, err, "add payment request")
}

// PaymentRequest reads a payment request by its id.
func (s *Store) PaymentRequest(ctx context.Context, id uuid.UUID) (*pay.PaymentRequest, error) {
	r := new(pay.PaymentRequest)
	err := s.Q.NewSelect().Model(r).Where("id = ?", id).Scan(ctx)
	return r, one(err, "payment request "+id.String())
}

// LockPaymentRequest keeps others from choosing until the transaction ends, and returns until when choices are made.
func (s *Store) LockPaymentRequest(ctx context.Context, id uuid.UUID) (until time.Time, err error) {
	r := new(pay.PaymentRequest)
	err = s.Q.NewSelect().Model(r).Column("id", "expires_at").Where("id = ?", id).For("update").Scan(ctx)
	return r.ExpiresAt, one(err, "payment request "+id.String())
}

// EndPaymentRequest ends the choices of a merchant's request now; false when there is none of which they go on.
func (s *Store) EndPaymentRequest(ctx context.Context, merchant, id uuid.UUID) (bool, error) {
	res, err := s.Q.NewRaw("update payment_requests set expires_at = now() where id = ? and merchant_id = ? and expires_at > now()", id, merchant).Exec(ctx)
	return changed(res, err, "end payment request")
}

// PaymentRequestsOf returns the requests of a merchant below one, newest first.
func (s *Store) PaymentRequestsOf(ctx context.Context, merchant, below uuid.UUID, limit int) ([]pay.PaymentRequest, error) {
	var out []pay.PaymentRequest
	q := s.Q.NewSelect().Model(&out).Where("merchant_id = ?", merchant).Order("id desc").Limit(int64(limit))
	if below != uuid.Nil {
		q = q.Where("id < ?", below)
	}
	if err := q.Scan(ctx); err != nil {
		return nil, fmt.Errorf("read payment requests: %w", err)
	}
	return out, nil
}

// MerchantPaymentRequest reads a request that a program of a merchant made, by its id, or by the merchant's reference.
func (s *Store) MerchantPaymentRequest(ctx context.Context, merchant, id uuid.UUID, reference string) (*pay.PaymentRequest, error) {
	r := new(pay.PaymentRequest)
	err := s.Q.NewSelect().Model(r).Where("merchant_id = ? and key_id not like 'panel:%'", merchant).Where("id = ? or reference_id = ?", id, reference).
		OrderExpr("id = ? desc", id).Limit(1).Scan(ctx)
	return r, one(err, "payment request "+reference)
}

// AddChoice notes that a payin was chosen for a request, on a page in a language; empty for no page.
func (s *Store) AddChoice(ctx context.Context, request, payin uuid.UUID, lang string) error {
	if _, err := s.Q.NewRaw("insert into payment_choices (request_id, payin_id, lang) values (?, ?, ?)", request, payin, lang).Exec(ctx); err != nil {
		return fmt.Errorf("add choice: %w", err)
	}
	return nil
}

// Choices returns the payins of a request, oldest first.
func (s *Store) Choices(ctx context.Context, request uuid.UUID) ([]pay.Choice, error) {
	found, err := s.ChoicesOf(ctx, request)
	return found[request], err
}

// ChoicesOf returns the payins of requests, oldest first.
func (s *Store) ChoicesOf(ctx context.Context, requests ...uuid.UUID) (map[uuid.UUID][]pay.Choice, error) {
	var rows []struct {
		RequestID uuid.UUID
		pay.Choice
	}
	err := s.Q.NewRaw(`select c.request_id, p.id as payin_id, p.reference_id as reference, p.token, p.network, p.status, p.expires_at,
			exists (select from transfers t where t.payin_id = p.id and t.status <> 'dropped') as touched
		from payment_choices c join payins p on p.id = c.payin_id where c.request_id = any(?::uuid[]) order by p.id`, pg.Array(pg.Texts(requests))).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("read choices: %w", err)
	}
	out := map[uuid.UUID][]pay.Choice{}
	for _, row := range rows {
		out[row.RequestID] = append(out[row.RequestID], row.Choice)
	}
	return out, nil
}
