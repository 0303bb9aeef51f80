package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/pay"
)

// PayoutsCalled answers the payouts that a word means: one by its id, or those of any merchant with that reference_id,
// at most limit.
func (s *Store) PayoutsCalled(ctx context.Context, word string, limit int) ([]pay.Payout, error) {
	var out []pay.Payout
	id, _ := uuid.Parse(word)
	err := s.Q.NewSelect().Model(&out).Where("id = ? or reference_id = ?", id, word).Order("id").Limit(int64(limit)).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read payouts: %w", err)
	}
	return out, nil
}

// JobRow is a job as it is recorded.
type JobRow struct {
	Kind      string    `json:"kind"`
	Ref       uuid.UUID `json:"ref"`
	RunAt     time.Time `json:"run_at"`
	Attempt   int       `json:"attempt"`
	LastError *string   `json:"last_error"`
}

// Job reads a job, nil when there is none.
func (s *Store) Job(ctx context.Context, kind string, ref uuid.UUID) (*JobRow, error) {
	var rows []JobRow
	err := s.Q.NewRaw("select kind, ref, run_at, attempt, last_error from jobs where kind = ? and ref = ?", kind, ref).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("read job %s: %w", kind, err)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	return &rows[0], nil
}

// TakeJob makes a job due, new or known, and takes it as the relay would, with a note in place of its last error: the
// attempt that ends well removes the note, the one that fails replaces it.
func (s *Store) TakeJob(ctx context.Context, kind string, ref uuid.UUID, visibility time.Duration, note string) (DueJob, error) {
	j := DueJob{Kind: kind, Ref: ref}
	err := s.Q.NewRaw(`insert into jobs as j (kind, ref, run_at, attempt, last_error) values (?, ?, now() + ? * interval '1 microsecond', 1, ?)
		on conflict (kind, ref) do update set run_at = excluded.run_at, attempt = j.attempt + 1, last_error = excluded.last_error
		returning attempt`, kind, ref, visibility.Microseconds(), note).Scan(ctx, &j.Attempt)
	return j, one(err, "job "+kind)
}

// PostingRow is one posting with its accounts and entry.
type PostingRow struct {
	Entry        int64               `json:"entry"` // its number: postings of one event share it
	Kind         string              `json:"kind"`  // of the event
	From         string              `bun:"from_name" json:"from"`
	To           string              `bun:"to_name" json:"to"`
	Asset        string              `json:"asset"`
	Amount       decimal.Decimal     `json:"amount"`
	Movement     *string             `json:"movement"`
	BalanceAfter decimal.NullDecimal `json:"balance_after"`
	CreatedAt    time.Time           `json:"created_at"`
}

// PostingsOf answers the postings of entries about these payouts, transfers and others (ledger.Reference), oldest first.
func (s *Store) PostingsOf(ctx context.Context, subjects []uuid.UUID) ([]PostingRow, error) {
	out := []PostingRow{}
	err := s.Q.NewRaw(`select e.id as entry, e.kind, f.name as from_name, t.name as to_name, p.asset, p.amount, p.movement, p.balance_after, p.created_at
		from entries e join postings p on p.id between e.id * 16 and e.id * 16 + 15
		join accounts f on f.id = p.from_account join accounts t on t.id = p.to_account
		where e.subject = any(?) order by p.id`, pgArray(subjects)).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("read postings: %w", err)
	}
	return out, nil
}

// DeliveriesOf answers the deliveries about a payin or payout, oldest first.
func (s *Store) DeliveriesOf(ctx context.Context, subject uuid.UUID) ([]pay.Delivery, error) {
	var out []pay.Delivery
	if err := s.Q.NewSelect().Model(&out).Where("subject = ?", subject).Order("seq").Scan(ctx); err != nil {
		return nil, fmt.Errorf("read deliveries: %w", err)
	}
	return out, nil
}

// LastAttempts answers the newest try of each delivery that was tried.
func (s *Store) LastAttempts(ctx context.Context, deliveries []uuid.UUID) (map[uuid.UUID]pay.Attempt, error) {
	out := make(map[uuid.UUID]pay.Attempt, len(deliveries))
	if len(deliveries) == 0 {
		return out, nil
	}
	var rows []pay.Attempt
	err := s.Q.NewRaw(`select distinct on (delivery_id) * from delivery_attempts where delivery_id = any(?) order by delivery_id, attempt desc`,
		pgArray(deliveries)).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("read delivery attempts: %w", err)
	}
	for _, a := range rows {
		out[a.DeliveryID] = a
	}
	return out, nil
}
