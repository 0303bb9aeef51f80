package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"causeway/internal/pay"
)

// AddPaymentLink records a link; false when its slug, or its id, is there already.
func (s *Store) AddPaymentLink(ctx context.Context, l *pay.PaymentLink) (bool, error) {
	res, err := s.Q.NewInsert().Model(l).On("conflict do nothing").Returning("created_at").Exec(ctx)
	return changed(res, err, "add payment link")
}

// PaymentLink reads a link by its id.
func (s *Store) PaymentLink(ctx context.Context, id uuid.UUID) (*pay.PaymentLink, error) {
	l := new(pay.PaymentLink)
	err := s.Q.NewSelect().Model(l).Where("id = ?", id).Scan(ctx)
	return l, one(err, "payment link "+id.String())
}

// PaymentLinkCalled reads a link by its slug.
func (s *Store) PaymentLinkCalled(ctx context.Context, slug string) (*pay.PaymentLink, error) {
	l := new(pay.PaymentLink)
	err := s.Q.NewSelect().Model(l).Where("slug = ?", slug).Scan(ctx)
	return l, one(err, "payment link "+slug)
}

// MerchantPaymentLink reads a link that a program of a merchant made, by its id, or else by its slug.
func (s *Store) MerchantPaymentLink(ctx context.Context, merchant, id uuid.UUID, slug string) (*pay.PaymentLink, error) {
	l := new(pay.PaymentLink)
	err := s.Q.NewSelect().Model(l).Where("merchant_id = ? and key_id not like 'panel:%'", merchant).Where("id = ? or slug = ?", id, slug).
		OrderExpr("id = ? desc", id).Limit(1).Scan(ctx)
	return l, one(err, "payment link "+slug)
}

// PaymentLinksOf returns the links of a merchant below one, newest first.
func (s *Store) PaymentLinksOf(ctx context.Context, merchant, below uuid.UUID, limit int) ([]pay.PaymentLink, error) {
	var out []pay.PaymentLink
	q := s.Q.NewSelect().Model(&out).Where("merchant_id = ?", merchant).Order("id desc").Limit(int64(limit))
	if below != uuid.Nil {
		q = q.Where("id < ?", below)
	}
	if err := q.Scan(ctx); err != nil {
		return nil, fmt.Errorf("read payment links: %w", err)
	}
	return out, nil
}

// EndPaymentLink ends a merchant's link now; false when none works.
func (s *Store) EndPaymentLink(ctx context.Context, merchant, id uuid.UUID) (bool, error) {
	res, err := s.Q.NewRaw("update payment_links set ended_at = now() where id = ? and merchant_id = ? and ended_at is null", id, merchant).Exec(ctx)
	return changed(res, err, "end payment link")
}

// LockPaymentLink keeps a link from being ended or used by others until the transaction ends; false when it is ended already.
func (s *Store) LockPaymentLink(ctx context.Context, id uuid.UUID) (works bool, err error) {
	l := new(pay.PaymentLink)
	err = s.Q.NewSelect().Model(l).Column("id", "ended_at").Where("id = ?", id).For("update").Scan(ctx)
	return l.EndedAt == nil, one(err, "payment link "+id.String())
}

// UnpaidOfLink counts the unpaid requests by a link of the last time.
func (s *Store) UnpaidOfLink(ctx context.Context, link uuid.UUID, within time.Duration) (n int, err error) {
	err = s.Q.NewRaw(`select count(*) from payment_requests r where r.link_id = ? and r.created_at > now() - ? * interval '1 second'
		and not exists (select from payment_choices c join transfers t on t.payin_id = c.payin_id where c.request_id = r.id)`,
		link, within.Seconds()).Scan(ctx, &n)
	if err != nil {
		return 0, fmt.Errorf("count requests of link %s: %w", link, err)
	}
	return n, nil
}
