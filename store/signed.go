package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/uptrace/bun"

	"causeway/pay"
)

// NextNonce answers the nonce that BeginSigning would hand out next, or pay.ErrNotFound before OpenNonces.
func (s *Store) NextNonce(ctx context.Context, network, address string) (int64, error) {
	var next int64
	err := s.Q.NewRaw("select next from signing_nonces where network = ? and address = ?", network, address).Scan(ctx, &next)
	return next, one(err, "nonce of "+address)
}

// OpenNonces starts the nonces of a hot wallet at what its chain says, once.
func (s *Store) OpenNonces(ctx context.Context, network, address string, next int64) error {
	_, err := s.Q.NewRaw("insert into signing_nonces (network, address, next) values (?, ?, ?) on conflict do nothing",
		network, address, next).Exec(ctx)
	if err != nil {
		return fmt.Errorf("open nonces of %s: %w", address, err)
	}
	return nil
}

// AddSigned keeps a transaction that replaces others of its nonce; only after the commit may it be sent. The row of the
// nonces is locked until then, and says from where on BeginSigning looks for what is signed and not sent.
func (s *Store) AddSigned(ctx context.Context, t *pay.SignedTransaction) error {
	_, err := s.Q.NewInsert().Model(t).ExcludeColumn("signed_at").Exec(ctx)
	if err == nil {
		_, err = s.Q.NewRaw("update signing_nonces set unsent_from = least(unsent_from, ?) where network = ? and address = ?",
			t.Nonce, t.Network, t.Address).Exec(ctx)
	}
	if err != nil {
		return fmt.Errorf("keep signed transaction %s: %w", t.Txid, err)
	}
	return nil
}

// sentAgo is for how long a transaction has been sent, in nanoseconds: a process compares no time of its own with the database's.
const sentAgo = "coalesce(extract(epoch from now() - sent_at) * 1000000000, 0)::bigint"

// SignedOf answers every transaction ever signed for a payout, oldest first.
func (s *Store) SignedOf(ctx context.Context, payout uuid.UUID) ([]pay.SignedTransaction, error) {
	var out []pay.SignedTransaction
	err := s.Q.NewSelect().Model(&out).ColumnExpr("?TableColumns").ColumnExpr(sentAgo+" as sent").Where("payout_id = ?", payout).Order("signed_at", "txid").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read signed transactions: %w", err)
	}
	return out, nil
}

// OpenPayoutAt answers the payout for which an open transaction at a nonce of a hot wallet was signed, or pay.ErrNotFound.
func (s *Store) OpenPayoutAt(ctx context.Context, network, address string, nonce int64) (uuid.UUID, error) {
	var payout uuid.UUID
	err := s.Q.NewRaw("select payout_id from signed_transactions where network = ? and address = ? and nonce = ? and open limit 1",
		network, address, nonce).Scan(ctx, &payout)
	return payout, one(err, fmt.Sprintf("open payout at nonce %d of %s", nonce, address))
}

// OpenSigned answers the transactions of a network whose fate is open and may have changed, oldest first: not those in
// blocks above final, of which nothing new can be said while these blocks are there.
func (s *Store) OpenSigned(ctx context.Context, network string, final int64, limit int) ([]pay.SignedTransaction, error) {
	var out []pay.SignedTransaction
	err := s.preparedRows(ctx, "read open transactions", func(rows *sql.Rows) error {
		var t pay.SignedTransaction
		err := rows.Scan(&t.Network, &t.Txid, &t.PayoutID, &t.Purpose, &t.Address, &t.Nonce, &t.Fee, &t.State, &t.Height, &t.SignedAt, &t.SentAt, &t.Sent)
		out = append(out, t)
		return err
	}, "select network, txid, payout_id, purpose, address, nonce, fee, state, height, signed_at, sent_at, "+sentAgo+" from open_signed($1, $2, $3)",
		network, final, limit)
	return out, err
}

// Unmined answers those of the given payouts of which no transaction is in a block.
func (s *Store) Unmined(ctx context.Context, payouts []uuid.UUID) ([]uuid.UUID, error) {
	if len(payouts) == 0 {
		return nil, nil
	}
	var out []uuid.UUID
	err := s.Q.NewRaw(`select id from unnest(array[?]::uuid[]) as w(id)
		where not exists (select from (select state from signed_transactions where payout_id = w.id offset 0) t where t.state = 'mined')`, bun.List(payouts)).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("look for mined transactions: %w", err)
	}
	return out, nil
}

// MarkSigned sets where a signed transaction stands, if it still stands at from. Height is nil while it is in no block.
func (s *Store) MarkSigned(ctx context.Context, network, txid string, from, to pay.SignedState, height *int64) (bool, error) {
	res, err := s.Q.NewRaw(`update signed_transactions
		set state = ?, height = ?, sent_at = case when ? = 'sent' then coalesce(sent_at, now()) else sent_at end
		where network = ? and txid = ? and state = ?`, to, height, to, network, txid, from).Exec(ctx)
	return changed(res, err, "mark transaction")
}

// UnmineSigned returns transactions that were in blocks above height to sent: the chain has undone them. It answers
// their payouts, whose bytes are to be sent again.
func (s *Store) UnmineSigned(ctx context.Context, network string, above int64) ([]uuid.UUID, error) {
	var out []uuid.UUID
	err := s.Q.NewRaw(`with undone as materialized (
			select txid from signed_transactions where network = ?0 and height > ?1 and state in ('mined', 'final', 'reverted') order by txid for update)
		update signed_transactions t set state = 'sent', height = null from undone u
		where t.network = ?0 and t.txid = u.txid returning t.payout_id`, network, above).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("unmine transactions: %w", err)
	}
	return out, nil
}

// GasBooked answers what the ledger says that transactions have cost, by the subjects under which it is booked (ledger.Gas);
// those that were never final are missing.
func (s *Store) GasBooked(ctx context.Context, subjects []uuid.UUID) (map[uuid.UUID]decimal.Decimal, error) {
	out := map[uuid.UUID]decimal.Decimal{}
	if len(subjects) == 0 {
		return out, nil
	}
	var rows []struct {
		Subject uuid.UUID
		Cost    decimal.Decimal
	}
	err := s.Q.NewRaw(`select e.subject, coalesce(sum(p.amount), 0) as cost from entries e
		left join postings p on p.id between e.id * 16 and e.id * 16 + 15
		where e.subject = any(?) and e.kind = 'gas_spent' group by 1`, pgArray(subjects)).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("read booked gas: %w", err)
	}
	for _, r := range rows {
		out[r.Subject] = r.Cost
	}
	return out, nil
}

// PayoutsOf reads payouts by id.
func (s *Store) PayoutsOf(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]*pay.Payout, error) {
	out := make(map[uuid.UUID]*pay.Payout, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	err := s.preparedRows(ctx, "read payouts", func(rows *sql.Rows) error {
		p, err := scanPayout(rows)
		out[p.ID] = p
		return err
	}, "select "+wholePayout+" from payouts_of($1) p", ids)
	return out, err
}
