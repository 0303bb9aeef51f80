package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/pg"
)

// StartPayouts starts one or more jobs of payouts (see StartJob) and reads the payouts, in one statement. A payout is
// missing if its job has another attempt by now.
func (s *Store) StartPayouts(ctx context.Context, jobs []DueJob, visibility time.Duration) (map[DueJob]*pay.Payout, error) {
	out := make(map[DueJob]*pay.Payout, len(jobs))
	kind, refs, attempts := jobArrays(jobs)
	err := pg.Rows(ctx, s.Q, "start payouts", func(rows *sql.Rows) error {
		var attempt int
		p, err := scanPayout(rows, &attempt)
		if err != nil {
			return err
		}
		out[DueJob{kind, p.ID, attempt}] = p
		return nil
	}, `with started as materialized (select * from start_jobs($1, $2, $3, $4 * interval '1 microsecond'))
		select started.attempt, `+wholePayout+` from payouts_of(array(select ref from started)) p join started on started.ref = p.id`,
		kind, refs, attempts, visibility.Microseconds())
	return out, err
}

// MovePayout changes the status of a payout if it is still as it was read; false when it is not. Txid and Reason are
// written where p has them.
func (s *Store) MovePayout(ctx context.Context, p *pay.Payout, next pay.PayoutStatus) (bool, error) {
	if !p.Status.May(next) {
		return false, fmt.Errorf("payout %s may not move from %s to %s", p.ID, p.Status, next)
	}
	res, err := s.Q.NewRaw(`update payouts set status = ?, txid = coalesce(?, txid), reason = coalesce(?, reason), updated_at = now()
		where id = ? and status = ?`, next, p.Txid, p.Reason, p.ID, p.Status).Exec(ctx)
	moved, err := changed(res, err, "move payout")
	if moved {
		p.Status = next
	}
	return moved, err
}

// MovePayouts changes the status of the payouts still in the status they were read with, and returns how many. Txid is
// written where a payout has one. Holds are the digests of the payouts' holds: a payout without its debit held in the
// ledger is not moved, and its id is returned. Nil holds are not compared. The values in payouts are not changed.
func (s *Store) MovePayouts(ctx context.Context, payouts []*pay.Payout, next pay.PayoutStatus, holds [][]byte) (moved int, unheld []uuid.UUID, err error) {
	if len(payouts) == 0 {
		return 0, nil, nil
	}
	ids, statuses, txids, err := movable(payouts, next)
	if err != nil {
		return 0, nil, err
	}
	err = pg.Rows(ctx, s.Q, "move payouts", func(rows *sql.Rows) error {
		var id *uuid.UUID
		if err := rows.Scan(&moved, &id); err != nil || id == nil {
			return err
		}
		unheld = append(unheld, *id)
		return nil
	}, "select moved, id from move_payouts($1, $2, $3, $4, $5) left join lateral unnest(unheld) as id on true", ids, statuses, txids, string(next), holds)
	return moved, unheld, err
}

// Unheld returns the payouts without their debit held in the ledger, by the digests of their holds. Ended is the kind
// of the entry by which the holds ended; empty: they are open.
func (s *Store) Unheld(ctx context.Context, payouts []*pay.Payout, holds [][]byte, ended string) (unheld []uuid.UUID, err error) {
	ids := make([]uuid.UUID, len(payouts))
	for i, p := range payouts {
		ids[i] = p.ID
	}
	err = pg.Rows(ctx, s.Q, "look up holds", func(rows *sql.Rows) error {
		var id uuid.UUID
		err := rows.Scan(&id)
		unheld = append(unheld, id)
		return err
	}, "select * from payouts_unheld($1, $2, nullif($3, '')::entry_kind)", ids, holds, ended)
	return unheld, err
}

// movable writes payouts as arrays, or returns an error if one may not move.
func movable(payouts []*pay.Payout, next pay.PayoutStatus) (ids []uuid.UUID, statuses []string, txids []*string, err error) {
	ids, statuses, txids = make([]uuid.UUID, len(payouts)), make([]string, len(payouts)), make([]*string, len(payouts))
	for i, p := range payouts {
		if !p.Status.May(next) {
			return nil, nil, nil, fmt.Errorf("payout %s may not move from %s to %s", p.ID, p.Status, next)
		}
		ids[i], statuses[i], txids[i] = p.ID, string(p.Status), p.Txid
	}
	return ids, statuses, txids, nil
}

// CancelWithdrawal marks a payout that a merchant has from the panel as to be stopped; false when there is none of which nothing is signed.
func (s *Store) CancelWithdrawal(ctx context.Context, merchant, id uuid.UUID) (done bool, err error) {
	if err := s.Q.NewRaw("select cancel_withdrawal(?, ?)", merchant, id).Scan(ctx, &done); err != nil {
		return false, fmt.Errorf("cancel withdrawal: %w", err)
	}
	return done, nil
}

// CancelPayout marks an open payout as to be stopped by the operator; false when it is not open.
func (s *Store) CancelPayout(ctx context.Context, id uuid.UUID) (bool, error) {
	res, err := s.Q.NewRaw(`update payouts set cancelling = true, updated_at = now()
		where id = ? and status in ('queued', 'signed', 'sent')`, id).Exec(ctx)
	return changed(res, err, "cancel payout")
}
