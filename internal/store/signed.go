package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"causeway/internal/pay"
	"causeway/internal/pg"
)

// sentAgo is for how long a transaction has been sent, or signed while it was not, in nanoseconds: a process compares no time of its
// own with the database's.
const sentAgo = "(extract(epoch from now() - coalesce(sent_at, signed_at)) * 1000000000)::bigint"

// SignedOf returns every transaction ever signed for a payout, oldest first.
func (s *Store) SignedOf(ctx context.Context, payout uuid.UUID) ([]pay.SignedTransaction, error) {
	var out []pay.SignedTransaction
	err := s.Q.NewSelect().Model(&out).ColumnExpr("?TableColumns").ColumnExpr(sentAgo+" as sent").Where("payout_id = ?", payout).
		Order("signed_at", "txid").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read signed transactions: %w", err)
	}
	return out, nil
}

// StillOpen reports whether every transaction signed for a payout may still be taken, or was rejected, and locks them
// until this transaction ends. They are locked before the payout, as following does. A row locked by another
// transaction counts as no longer open, and is not waited for: settling a nonce locks its transactions in another
// order.
func (s *Store) StillOpen(ctx context.Context, payout uuid.UUID) (open bool, err error) {
	err = s.Q.NewRaw(`with its as materialized (select state from signed_transactions where payout_id = ?0 for update skip locked)
		select count(*) = (select count(*) from signed_transactions where payout_id = ?0) and coalesce(bool_and(state in ('signed', 'sent', 'rejected')), false)
		from its`, payout).Scan(ctx, &open)
	if err != nil {
		return false, fmt.Errorf("lock signed transactions: %w", err)
	}
	return open, nil
}

// OpenPayoutAt returns the payout of an open transaction signed at a nonce of a hot wallet, or pay.ErrNotFound.
func (s *Store) OpenPayoutAt(ctx context.Context, network, address string, nonce int64) (uuid.UUID, error) {
	var payout uuid.UUID
	err := s.Q.NewRaw("select payout_id from signed_transactions where network = ? and address = ? and nonce = ? and open limit 1",
		network, address, nonce).Scan(ctx, &payout)
	return payout, one(err, fmt.Sprintf("open payout at nonce %d of %s", nonce, address))
}

// OpenSigned returns the open transactions of a network whose fate may have changed, oldest first. It leaves out
// transactions in blocks above final: nothing new can be said of them while these blocks are there.
func (s *Store) OpenSigned(ctx context.Context, network string, final int64, limit int) ([]pay.SignedTransaction, error) {
	var out []pay.SignedTransaction
	err := pg.Rows(ctx, s.Q, "read open transactions", func(rows *sql.Rows) error {
		var t pay.SignedTransaction
		if err := rows.Scan(&t.Network, &t.Txid, &t.PayoutID, &t.Purpose, &t.Address, &t.Nonce, &t.Fee, &t.State, &t.Height, &t.Block,
			&t.SignedAt, &t.SentAt, &t.Sent); err != nil {
			return err
		}
		out = append(out, t)
		return nil
	}, "select network, txid, payout_id, purpose, address, nonce, fee, state, height, block, signed_at, sent_at, "+sentAgo+" from open_signed($1, $2, $3)",
		network, final, limit)
	return out, err
}

// Unmined returns the given payouts without a transaction in a block.
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

// SignedAmong returns those of the given transactions signed by us.
func (s *Store) SignedAmong(ctx context.Context, network string, txids []string) (map[string]bool, error) {
	out := make(map[string]bool, len(txids))
	err := pg.Rows(ctx, s.Q, "look up signed transactions", func(rows *sql.Rows) error {
		var txid string
		if err := rows.Scan(&txid); err != nil {
			return err
		}
		out[txid] = true
		return nil
	}, "select * from signed_among($1, $2)", network, txids)
	return out, err
}

// AddSigned keeps a transaction replacing others of its nonce; only after the commit may it be sent. The row of the
// nonces is locked until then. It says from where on BeginSigning looks for transactions signed and not sent.
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

// AddAllSigned keeps signed transactions; only after the commit may they be sent.
func (s *Store) AddAllSigned(ctx context.Context, all []*pay.SignedTransaction) error {
	var networks, txids, purposes, addresses, fees, states []string
	var payouts []uuid.UUID
	var nonces []int64
	var raws [][]byte
	for _, t := range all {
		networks, txids, payouts, purposes = append(networks, t.Network), append(txids, t.Txid), append(payouts,
			t.PayoutID), append(purposes, t.Purpose)
		addresses, nonces, raws = append(addresses, t.Address), append(nonces, t.Nonce), append(raws, t.Raw)
		fees, states = append(fees, t.Fee.String()), append(states, string(t.State))
	}
	_, err := pg.Exec(ctx, s.Q, "keep signed transactions", `insert into signed_transactions
			(network, txid, payout_id, purpose, address, nonce, raw, fee, state)
		select network, txid, payout_id, purpose, address, nonce, raw, fee::numeric, state
		from unnest($1::text[], $2::text[], $3::uuid[], $4::text[], $5::text[], $6::bigint[], $7::bytea[], $8::text[], $9::text[])
			as t(network, txid, payout_id, purpose, address, nonce, raw, fee, state)`,
		networks, txids, payouts, purposes, addresses, nonces, raws, fees, states)
	return err
}
