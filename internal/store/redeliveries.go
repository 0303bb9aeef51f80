package store

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"causeway/internal/pay"
)

// PendingRedelivery returns the pending repetition of a delivery, or pay.ErrNotFound.
func (s *Store) PendingRedelivery(ctx context.Context, d *pay.Delivery) (*pay.Delivery, error) {
	again := new(pay.Delivery)
	err := s.Q.NewSelect().Model(again).Where("subject = ? and redelivery_of = ? and status = 'pending'", d.Subject, d.ID).
		Order("seq").Limit(1).Scan(ctx)
	return again, one(err, "redelivery of "+d.ID.String())
}

// RedeliveryWait returns how long a merchant has to wait until it has had fewer than most repetitions in a window before now;
// zero when it has. The caller holds the merchant's row.
func (s *Store) RedeliveryWait(ctx context.Context, merchant uuid.UUID, most int, window time.Duration) (time.Duration, error) {
	var micros int64
	err := s.Q.NewRaw(`select (extract(epoch from created_at - now()) * 1000000)::bigint + ?2 from deliveries
		where merchant_id = ?0 and redelivery_of is not null and created_at > now() - ?2 * interval '1 microsecond'
		order by created_at desc offset ?1 limit 1`, merchant, most-1, window.Microseconds()).Scan(ctx, &micros)
	if err := one(err, "redeliveries"); err != nil && !errors.Is(err, pay.ErrNotFound) {
		return 0, err
	}
	return time.Duration(micros) * time.Microsecond, nil
}

// Redeliver records a delivery once more with another body, as one of its own with a job of its own. The first pending
// delivery of its subject becomes due now, since none goes before it.
func (s *Store) Redeliver(ctx context.Context, d *pay.Delivery, body []byte, kind string) (*pay.Delivery, error) {
	again := *d
	again.ID, again.Body, again.CreatedAt, again.RedeliveryOf = uuid.Must(uuid.NewV7()), body, time.Time{}, &d.ID
	if err := s.AddDeliveries(ctx, []pay.Delivery{again}); err != nil {
		return nil, err
	}
	first, err := s.firstPending(ctx, d.Subject)
	if err != nil {
		return nil, err
	}
	for _, due := range []uuid.UUID{again.ID, first} {
		if err := s.AddJob(ctx, kind, due, 0); err != nil {
			return nil, err
		}
	}
	return s.Delivery(ctx, again.ID)
}
