package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/pg"
)

// AddAttempt keeps one HTTP try and where the delivery stands after it.
func (s *Store) AddAttempt(ctx context.Context, d *pay.Delivery, a pay.Attempt, status string) error {
	_, err := s.Q.NewRaw(`with failed as (
			insert into failed_attempts (delivery_id, attempt, status, error, duration_ms, answer_head, answer_body)
			select ?0, ?1, ?2, ?3, ?4, ?6, ?7 where ?5 <> 'delivered' on conflict do nothing)
		update deliveries set attempts = greatest(attempts, ?1), status = ?5,
			finished_at = case when ?5 <> 'pending' then now() end,
			taken_status = case when ?5 = 'delivered' then ?2 end, taken_ms = case when ?5 = 'delivered' then ?4 end where id = ?0`,
		d.ID, a.Attempt, a.Status, a.Error, a.DurationMS, status, a.AnswerHead, a.AnswerBody).Exec(ctx)
	if err != nil {
		return fmt.Errorf("keep delivery attempt: %w", err)
	}
	return nil
}

// AttemptsOf lists every try of a delivery, oldest first.
func (s *Store) AttemptsOf(ctx context.Context, delivery uuid.UUID) ([]pay.Attempt, error) {
	var out []pay.Attempt
	if err := s.Q.NewSelect().Model(&out).ModelTableExpr("delivery_attempts AS attempt").Where("delivery_id = ?", delivery).
		Order("attempt").Scan(ctx); err != nil {
		return nil, fmt.Errorf("read attempts: %w", err)
	}
	return out, nil
}

// LastAttempts returns the newest try of each delivery with one, without the answer's head and body.
func (s *Store) LastAttempts(ctx context.Context, deliveries []uuid.UUID) (map[uuid.UUID]pay.Attempt, error) {
	out := make(map[uuid.UUID]pay.Attempt, len(deliveries))
	if len(deliveries) == 0 {
		return out, nil
	}
	var rows []pay.Attempt
	err := s.Q.NewRaw(`select distinct on (delivery_id) delivery_id, attempt, at, status, error, duration_ms from delivery_attempts where delivery_id = any(?) order by delivery_id, attempt desc`,
		pg.Array(deliveries)).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("read delivery attempts: %w", err)
	}
	for _, a := range rows {
		out[a.DeliveryID] = a
	}
	return out, nil
}

// FailingReceiver is a host failing to take webhooks.
type FailingReceiver struct {
	Host      string
	Waiting   int64 // deliveries tried in vain and not given up
	Exhausted int64 // deliveries given up in the last day
	Oldest    time.Time
	Last      string // the status or error of its newest try
}

// FailingReceivers lists hosts with failed deliveries of a merchant, the worst first. uuid.Nil is every merchant.
func (s *Store) FailingReceivers(ctx context.Context, now time.Time, merchant uuid.UUID, limit int) ([]FailingReceiver, error) {
	out := []FailingReceiver{}
	err := s.Q.NewRaw(`with failing as (
			select id, url, status, created_at from deliveries where status = 'pending' and attempts > 0 and (?2 = ?3 or merchant_id = ?2)
			union all
			select id, url, status, created_at from deliveries where id >= ?0 and status = 'exhausted' and (?2 = ?3 or merchant_id = ?2))
		select coalesce(substring(f.url from '^[a-z]+://([^/]+)'), f.url) as host, count(*) filter (where f.status = 'pending') as waiting,
			count(*) filter (where f.status = 'exhausted') as exhausted, min(f.created_at) as oldest,
			(array_agg(case when a.status > 0 then 'HTTP ' || a.status else a.error end order by a.at desc) filter (where a.at is not null))[1] as last
		from failing f
		left join lateral (select at, status, error from delivery_attempts where delivery_id = f.id order by attempt desc limit 1) a on true
		group by 1 order by 2 desc, 3 desc, 1 limit ?1`, FirstIDAt(now.Add(-24*time.Hour)), limit, merchant, uuid.Nil).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("look for failing receivers: %w", err)
	}
	return out, nil
}
