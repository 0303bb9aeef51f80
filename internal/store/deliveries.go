package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/pg"
)

// AddDeliveries records webhooks in the transaction of the changes they tell of.
func (s *Store) AddDeliveries(ctx context.Context, deliveries []pay.Delivery) error {
	if len(deliveries) == 0 {
		return nil
	}
	n := len(deliveries)
	ids, merchants, subjects, again := make([]uuid.UUID, n), make([]uuid.UUID, n), make([]uuid.UUID, n), make([]*uuid.UUID, n)
	events, urls, bodies := make([]string, n), make([]string, n), make([][]byte, n)
	for i, d := range deliveries {
		ids[i], merchants[i], subjects[i], again[i] = d.ID, d.MerchantID, d.Subject, d.RedeliveryOf
		events[i], urls[i], bodies[i] = string(d.Event), d.URL, d.Body
	}
	_, err := pg.Exec(ctx, s.Q, "record deliveries", `insert into deliveries (id, merchant_id, subject, event, url, body, redelivery_of)
		select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::bytea[], $7::uuid[])`,
		ids, merchants, subjects, events, urls, bodies, again)
	return err
}

// Delivery reads a delivery.
func (s *Store) Delivery(ctx context.Context, id uuid.UUID) (*pay.Delivery, error) {
	d := new(pay.Delivery)
	err := s.Q.NewSelect().Model(d).Where("id = ?", id).Scan(ctx)
	return d, one(err, "delivery "+id.String())
}

// DeliveriesOf returns the deliveries about a payin or payout, oldest first.
func (s *Store) DeliveriesOf(ctx context.Context, subject uuid.UUID) ([]pay.Delivery, error) {
	var out []pay.Delivery
	if err := s.Q.NewSelect().Model(&out).Where("subject = ?", subject).Order("seq").Scan(ctx); err != nil {
		return nil, fmt.Errorf("read deliveries: %w", err)
	}
	return out, nil
}

// EarlierPending reports whether an earlier delivery of the same subject is still to go out (addendum §11: in order).
func (s *Store) EarlierPending(ctx context.Context, d *pay.Delivery) (bool, error) {
	var found bool
	err := s.Q.NewRaw(`select exists (select from deliveries where subject = ? and seq < ? and status = 'pending')`,
		d.Subject, d.Seq).Scan(ctx, &found)
	if err != nil {
		return false, fmt.Errorf("look for earlier deliveries: %w", err)
	}
	return found, nil
}

// DeliveryAhead returns the first pending delivery before another of its subject; nil without one.
func (s *Store) DeliveryAhead(ctx context.Context, of *pay.Delivery) (*pay.Delivery, error) {
	var found []pay.Delivery
	err := s.Q.NewSelect().Model(&found).Where("subject = ? and seq < ? and status = 'pending'", of.Subject, of.Seq).Order("seq").Limit(1).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("look for the delivery ahead: %w", err)
	}
	if len(found) == 0 {
		return nil, nil
	}
	return &found[0], nil
}

// firstPending returns the next delivery of a subject to go out.
func (s *Store) firstPending(ctx context.Context, subject uuid.UUID) (uuid.UUID, error) {
	var id uuid.UUID
	err := s.Q.NewRaw(`select id from deliveries where subject = ? and status = 'pending' order by seq limit 1`, subject).Scan(ctx, &id)
	return id, one(err, "next delivery")
}

// Told returns for each of these events the subjects with a delivery of it. Of a payin's deleted deliveries, payment_detected stands for
// the events that come after it, too, and payment_failed for itself.
func (s *Store) Told(ctx context.Context, subjects []uuid.UUID, events ...pay.Event) (map[pay.Event]map[uuid.UUID]bool, error) {
	out, names := make(map[pay.Event]map[uuid.UUID]bool, len(events)), make([]string, len(events))
	for i, e := range events {
		out[e], names[i] = map[uuid.UUID]bool{}, string(e)
	}
	if len(subjects) == 0 {
		return out, nil
	}
	err := pg.Rows(ctx, s.Q, "look for deliveries", func(rows *sql.Rows) error {
		var event pay.Event
		var id uuid.UUID
		if err := rows.Scan(&id, &event); err != nil {
			return err
		}
		out[event][id] = true
		return nil
	}, "select about, told from told_of($1, $2)", subjects, names)
	return out, err
}

// MerchantDelivery reads a delivery of a merchant; another's is pay.ErrNotFound.
func (s *Store) MerchantDelivery(ctx context.Context, merchant, id uuid.UUID) (*pay.Delivery, error) {
	d := new(pay.Delivery)
	err := s.Q.NewSelect().Model(d).Where("id = ? and merchant_id = ?", id, merchant).Scan(ctx)
	return d, one(err, "delivery "+id.String())
}

// SubjectsCalled returns the payins and payouts of a merchant that a text names, by id or by the merchant's reference.
func (s *Store) SubjectsCalled(ctx context.Context, merchant uuid.UUID, text string) ([]uuid.UUID, error) {
	out := []uuid.UUID{}
	err := s.Q.NewRaw(`select id from payouts where merchant_id = ?0 and reference_id = ?1
		union all select id from payins where merchant_id = ?0 and reference_id = ?2`, merchant, text, pay.TrimmedReference(text)).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("look a reference up: %w", err)
	}
	if id, err := uuid.Parse(text); err == nil {
		out = append(out, id)
	}
	return out, nil
}
