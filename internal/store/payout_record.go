package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/internal/pg"
)

// PayoutItem is one payout to be recorded. HoldDigest is the digest of its ledger entry, ledger.PayoutHeld; DailyLimit
// and USD are set when its key has a daily limit.
type PayoutItem struct {
	Payout     *pay.Payout
	HoldDigest []byte
	DailyLimit *decimal.Decimal
	USD        *decimal.Decimal
}

// PayoutOutcome is the database's decision of one item: created, insufficient_balance, daily_payout_limit_unavailable,
// daily_payout_limit_exceeded, or duplicate with the original.
type PayoutOutcome struct {
	Ord               int // position in the items, from 0
	Outcome           string
	Available         decimal.Decimal // the balance when the item was decided
	OriginalID        *uuid.UUID
	OriginalStatus    *string // as the wire names it
	OriginalCreatedAt *time.Time
}

// Duplicate reports whether an earlier payout has the reference.
func (o PayoutOutcome) Duplicate() bool { return o.OriginalID != nil }

// RecordPayouts decides items each on its own and writes the accepted ones with their entries and jobs, in one call.
// If a reference is taken between the look for it and the insert, nothing is written: IsRace(err) says try again.
func (s *Store) RecordPayouts(ctx context.Context, items []PayoutItem) ([]PayoutOutcome, error) {
	return s.decidePayouts(ctx, items, false)
}

// RehearsePayouts returns the decisions that RecordPayouts would make now, from a read-only transaction. A payout
// answered as created is not there.
func (s *Store) RehearsePayouts(ctx context.Context, items []PayoutItem) (out []PayoutOutcome, err error) {
	if len(items) == 0 {
		return nil, nil
	}
	err = s.Snapshot(ctx, func(tx *Store) error {
		out, err = tx.decidePayouts(ctx, items, true)
		return err
	})
	return out, err
}

func (s *Store) decidePayouts(ctx context.Context, items []PayoutItem, rehearsal bool) (out []PayoutOutcome, err error) {
	out = make([]PayoutOutcome, 0, len(items))
	err = pg.Rows(ctx, s.Q, "record payouts", func(row *sql.Rows) error {
		var o PayoutOutcome
		if err := row.Scan(&o.Ord, &o.Outcome, &o.Available, &o.OriginalID, &o.OriginalStatus, &o.OriginalCreatedAt); err != nil {
			return err
		}
		out = append(out, o)
		return nil
	}, recordPayouts, payoutArgs(items, rehearsal)...)
	if err != nil {
		return nil, taken(err)
	}
	return out, nil
}

// taken makes a race of the refusal of a reference: the same call had looked for it before.
func taken(err error) error {
	if Violates(err, "payouts_merchant_id_reference_id_key") {
		return fmt.Errorf("%w: %v", errTaken, err) //nolint:errorlint // the refusal itself would mean that trying again is in vain
	}
	return err
}

// RecordedPayouts returns those of the given payouts already recorded.
func (s *Store) RecordedPayouts(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]bool, error) {
	found := make(map[uuid.UUID]bool, len(ids))
	if len(ids) == 0 {
		return found, nil
	}
	var rows []uuid.UUID
	if err := s.Q.NewRaw("select id from payouts where id = any(?::uuid[])", pg.Array(pg.Texts(ids))).Scan(ctx, &rows); err != nil {
		return nil, fmt.Errorf("look for payouts: %w", err)
	}
	for _, id := range rows {
		found[id] = true
	}
	return found, nil
}
