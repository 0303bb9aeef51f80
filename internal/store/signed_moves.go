package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/pg"
)

// MarkSigned sets where a signed transaction stands, if it still stands at from. Height is nil while it is in no block.
func (s *Store) MarkSigned(ctx context.Context, network, txid string, from, to pay.SignedState, height *int64) (bool, error) {
	res, err := s.Q.NewRaw(`update signed_transactions
		set state = ?, height = ?, block = null, sent_at = case when ? = 'sent' then coalesce(sent_at, now()) else sent_at end
		where network = ? and txid = ? and state = ?`, to, height, to, network, txid, from).Exec(ctx)
	return changed(res, err, "mark transaction")
}

// SignedMove moves a signed transaction, if it still stands at From. Height is nil while it is in no block. Block is
// nil unless it is in a block not yet final.
type SignedMove struct {
	Txid     string
	From, To pay.SignedState
	Height   *int64
	Block    *uuid.UUID
}

// MarkAllSigned moves signed transactions of a network as MarkSigned does, and returns the txids of the moved ones.
// Rows are locked in the order of their txids.
func (s *Store) MarkAllSigned(ctx context.Context, network string, moves []SignedMove) (map[string]bool, error) {
	out := make(map[string]bool, len(moves))
	if len(moves) == 0 {
		return out, nil
	}
	txids, froms, tos, heights := make([]string, len(moves)), make([]string, len(moves)), make([]string, len(moves)), make([]*int64, len(moves))
	blocks := make([]*uuid.UUID, len(moves))
	for i, m := range moves {
		txids[i], froms[i], tos[i], heights[i], blocks[i] = m.Txid, string(m.From), string(m.To), m.Height, m.Block
	}
	err := pg.Rows(ctx, s.Q, "mark transactions of "+network, func(rows *sql.Rows) error {
		var txid string
		if err := rows.Scan(&txid); err != nil {
			return err
		}
		out[txid] = true
		return nil
	}, "select mark_signed($1, $2, $3, $4, $5, $6)", network, txids, froms, tos, heights, blocks)
	return out, err
}

// MarkAllReplaced marks the other transactions of payouts with the same nonces of the same hot wallets as replaced by
// the final ones. A transaction signed by another wallet may still be mined.
func (s *Store) MarkAllReplaced(ctx context.Context, network string, final []*pay.SignedTransaction) error {
	payouts, nonces := make([]uuid.UUID, len(final)), make([]int64, len(final))
	hots, txids := make([]string, len(final)), make([]string, len(final))
	for i, t := range final {
		payouts[i], hots[i], nonces[i], txids[i] = t.PayoutID, t.Address, t.Nonce, t.Txid
	}
	_, err := pg.Exec(ctx, s.Q, "mark replaced", "select mark_replaced($1, $2, $3, $4, $5)", network, payouts, hots, nonces, txids)
	return err
}

// ReplaceSignedOf marks the open transactions of a payout as replaced by one unknown to our books, and returns how many
// there were. By is the taker of their nonce, and height of its block: UnmineSigned makes them open again when it is
// undone. Rows are locked in the order of their txids. Coins of a slot without open transactions are free again.
func (s *Store) ReplaceSignedOf(ctx context.Context, payout uuid.UUID, by string, height int64) (int64, error) {
	res, err := s.Q.NewRaw(`with its as materialized (
			select network, txid, place from signed_transactions where payout_id = ? and state in ('signed', 'sent', 'rejected') order by txid for update)
		update signed_transactions t set state = 'replaced', taken_height = ?, taken_by = ?
		from its where t.network = its.network and t.txid = its.txid and t.place = its.place`, payout, height, by).Exec(ctx)
	if err != nil {
		return 0, fmt.Errorf("mark replaced: %w", err)
	}
	if _, err := s.Q.NewRaw(`update coins c set slot = null, place = null from (select distinct network, address, nonce from signed_transactions where payout_id = ?) t
		where c.network = t.network and c.address = t.address and c.slot = t.nonce and c.spent_by is null
		and not exists (select from signed_transactions o where o.network = t.network and o.address = t.address and o.nonce = t.nonce and o.open)`,
		payout).Exec(ctx); err != nil {
		return 0, fmt.Errorf("free the coins of a slot: %w", err)
	}
	return res.RowsAffected()
}

// UnmineSigned moves the transactions in blocks above a height back to sent, since a reorganisation has undone these
// blocks: those that died by them, too. With them it moves the transactions they had replaced in the same slot, since these may be mined now, and
// the transactions whose nonce another one had taken above the height. Their waiting times count anew. It returns the
// payouts and the moves with transactions in these blocks, or with nonces lost there: their bytes are to be sent again.
func (s *Store) UnmineSigned(ctx context.Context, network string, above int64) (payouts, moves []uuid.UUID, err error) {
	var rows []pay.SignedTransaction
	err = s.Q.NewRaw(`with undone as materialized (
			select txid, payout_id, address, nonce from signed_transactions
			where network = ?0 and (height > ?1 and state in ('mined', 'final', 'reverted', 'expired') or taken_height > ?1 and state = 'replaced')),
		others as materialized (
			select t.txid from undone u, lateral (select * from signed_transactions t where t.payout_id = u.payout_id offset 0) t
			where t.network = ?0 and t.address = u.address and t.nonce = u.nonce and t.state = 'replaced'),
		these as materialized (
			select txid, payout_id, purpose, state, taken_height from signed_transactions
			where network = ?0 and txid in (select txid from undone union all select txid from others)
				and (height > ?1 and state in ('mined', 'final', 'reverted', 'expired') or state = 'replaced')
			order by txid, place for update),
		fitting as (delete from contrary_transactions c using these t where c.network = ?0 and c.txid = t.txid),
		open as (update signed_transactions t set state = 'sent', sent_at = now(), height = null, taken_height = null, block = null
			from these where t.network = ?0 and t.txid = these.txid)
		select payout_id, purpose from these where state <> 'replaced' or taken_height > ?1`, network, above).Scan(ctx, &rows)
	if err != nil {
		return nil, nil, fmt.Errorf("unmine transactions: %w", err)
	}
	for i := range rows {
		if t := &rows[i]; t.OfMove() {
			moves = append(moves, t.PayoutID)
		} else {
			payouts = append(payouts, t.PayoutID)
		}
	}
	return payouts, moves, nil
}
