package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/google/uuid"

	"causeway/pay"
)

// StartPayouts starts one or more jobs of payouts (see StartJob) and reads the payouts, in one statement. Those whose
// attempt is no longer the job's are missing.
func (s *Store) StartPayouts(ctx context.Context, jobs []DueJob, visibility time.Duration) (map[DueJob]*pay.Payout, error) {
	out := make(map[DueJob]*pay.Payout, len(jobs))
	kind, refs, attempts := jobArrays(jobs)
	err := s.preparedRows(ctx, "start payouts", func(rows *sql.Rows) error {
		var attempt int
		p, err := scanPayout(rows, &attempt)
		out[DueJob{kind, p.ID, attempt}] = p
		return err
	}, `with started as materialized (select * from start_jobs($1, $2, $3, $4 * interval '1 microsecond'))
		select started.attempt, `+wholePayout+` from payouts_of(array(select ref from started)) p join started on started.ref = p.id`,
		kind, refs, attempts, visibility.Microseconds())
	return out, err
}

// MovePayouts changes the status of those payouts that are in the status they were read with, and answers how many. Txid is
// written where a payout has one. The payouts themselves are left as they are.
func (s *Store) MovePayouts(ctx context.Context, payouts []*pay.Payout, next pay.PayoutStatus) (int, error) {
	if len(payouts) == 0 {
		return 0, nil
	}
	ids, statuses, txids, err := movable(payouts, next)
	if err != nil {
		return 0, err
	}
	moved := 0
	err = s.preparedRows(ctx, "move payouts", func(rows *sql.Rows) error { return rows.Scan(&moved) },
		"select move_payouts($1, $2, $3, $4)", ids, statuses, txids, string(next))
	return moved, err
}

// movable writes payouts that may move as arrays.
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

// AddAllSigned keeps signed transactions; only after the commit may they be sent.
func (s *Store) AddAllSigned(ctx context.Context, all []*pay.SignedTransaction) error {
	var networks, txids, purposes, addresses, fees, states []string
	var payouts []uuid.UUID
	var nonces []int64
	var raws [][]byte
	for _, t := range all {
		networks, txids, payouts, purposes = append(networks, t.Network), append(txids, t.Txid), append(payouts, t.PayoutID), append(purposes, t.Purpose)
		addresses, nonces, raws = append(addresses, t.Address), append(nonces, t.Nonce), append(raws, t.Raw)
		fees, states = append(fees, t.Fee.String()), append(states, string(t.State))
	}
	_, err := s.preparedExec(ctx, "keep signed transactions", `insert into signed_transactions
			(network, txid, payout_id, purpose, address, nonce, raw, fee, state)
		select network, txid, payout_id, purpose, address, nonce, raw, fee::numeric, state
		from unnest($1::text[], $2::text[], $3::uuid[], $4::text[], $5::text[], $6::bigint[], $7::bytea[], $8::text[], $9::text[])
			as t(network, txid, payout_id, purpose, address, nonce, raw, fee, state)`,
		networks, txids, payouts, purposes, addresses, nonces, raws, fees, states)
	return err
}

// SignedMove is where a signed transaction is to stand, if it still stands at From. Height is nil while it is in no block.
type SignedMove struct {
	Txid     string
	From, To pay.SignedState
	Height   *int64
}

// MarkAllSigned moves signed transactions of a network as MarkSigned does, and answers the txids of those that moved. Rows
// are locked in the order of their txids.
func (s *Store) MarkAllSigned(ctx context.Context, network string, moves []SignedMove) (map[string]bool, error) {
	out := make(map[string]bool, len(moves))
	if len(moves) == 0 {
		return out, nil
	}
	txids, froms, tos, heights := make([]string, len(moves)), make([]string, len(moves)), make([]string, len(moves)), make([]*int64, len(moves))
	for i, m := range moves {
		txids[i], froms[i], tos[i], heights[i] = m.Txid, string(m.From), string(m.To), m.Height
	}
	err := s.preparedRows(ctx, "mark transactions of "+network, func(rows *sql.Rows) error {
		var txid string
		err := rows.Scan(&txid)
		out[txid] = true
		return err
	}, "select mark_signed($1, $2, $3, $4, $5)", network, txids, froms, tos, heights)
	return out, err
}

// MarkAllReplaced marks the other transactions of payouts, which have the same nonces, as replaced by the ones that are final.
func (s *Store) MarkAllReplaced(ctx context.Context, network string, final []*pay.SignedTransaction) error {
	payouts, nonces, txids := make([]uuid.UUID, len(final)), make([]int64, len(final)), make([]string, len(final))
	for i, t := range final {
		payouts[i], nonces[i], txids[i] = t.PayoutID, t.Nonce, t.Txid
	}
	_, err := s.preparedExec(ctx, "mark replaced", "select mark_replaced($1, $2, $3, $4)", network, payouts, nonces, txids)
	return err
}

// OverLimits answers OverLimit of payouts, for those that are above one.
func (s *Store) OverLimits(ctx context.Context, payouts []uuid.UUID) (map[uuid.UUID]string, error) {
	out := map[uuid.UUID]string{}
	err := s.preparedRows(ctx, "compare payouts with their limits", func(rows *sql.Rows) error {
		var id uuid.UUID
		var why string
		err := rows.Scan(&id, &why)
		out[id] = why
		return err
	}, "select id, why from payouts_over_limits($1)", payouts)
	return out, err
}
