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
	err := s.Q.NewSelect().Model(&out).ExcludeColumn("raw").ColumnExpr(bytesOf).ColumnExpr(sentAgo+" as sent").Where("payout_id = ?", payout).
		Order("signed_at", "txid").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read signed transactions: %w", err)
	}
	return out, nil
}

// bytesOf are the bytes of a transaction: its first row has them.
const bytesOf = `coalesce(raw, (select f.raw from signed_transactions f
	where f.network = ?TableAlias.network and f.txid = ?TableAlias.txid and f.place = 0)) as raw`

// LockSlot returns every transaction ever signed for the slot of a payout, oldest first, each with a row for each of its payouts, and
// locks them until this transaction ends. They are locked before the payouts, as following does. A row locked by another
// transaction is not waited for, since settling a slot locks its transactions in another order: all is false then.
func (s *Store) LockSlot(ctx context.Context, payout uuid.UUID) (rows []pay.SignedTransaction, all bool, err error) {
	const its = `(network, txid) in (select network, txid from signed_transactions where payout_id = ?)`
	err = s.Q.NewSelect().Model(&rows).ExcludeColumn("raw").ColumnExpr(bytesOf).ColumnExpr(sentAgo+" as sent").Where(its, payout).
		Order("signed_at", "txid", "place").For("update skip locked").Scan(ctx)
	if err != nil {
		return nil, false, fmt.Errorf("lock signed transactions: %w", err)
	}
	var count int
	if err = s.Q.NewRaw("select count(*) from signed_transactions where "+its, payout).Scan(ctx, &count); err != nil {
		return nil, false, fmt.Errorf("count signed transactions: %w", err)
	}
	return rows, len(rows) == count, nil
}

// SignedWith returns the rows of one transaction, one for each of its payouts, without its bytes.
func (s *Store) SignedWith(ctx context.Context, network, txid string) ([]pay.SignedTransaction, error) {
	var rows []pay.SignedTransaction
	err := s.Q.NewSelect().Model(&rows).ExcludeColumn("raw").Where("network = ? and txid = ?", network, txid).Order("place").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read transaction %s: %w", txid, err)
	}
	return rows, nil
}

// OpenPayoutsAt returns the payouts of open transactions signed for a slot of a hot wallet, by id.
func (s *Store) OpenPayoutsAt(ctx context.Context, network, address string, nonce int64) ([]uuid.UUID, error) {
	var payouts []uuid.UUID
	err := s.Q.NewRaw("select distinct payout_id from signed_transactions where network = ? and address = ? and nonce = ? and open order by 1",
		network, address, nonce).Scan(ctx, &payouts)
	if err != nil {
		return nil, fmt.Errorf("read the open payouts at nonce %d of %s: %w", nonce, address, err)
	}
	return payouts, nil
}

// OpenSigned returns the open transactions of a network whose fate may have changed, oldest first. It leaves out
// transactions in blocks above final: nothing new can be said of them while these blocks are there.
func (s *Store) OpenSigned(ctx context.Context, network string, final int64, limit int) ([]pay.SignedTransaction, error) {
	var out []pay.SignedTransaction
	err := pg.Rows(ctx, s.Q, "read open transactions", func(rows *sql.Rows) error {
		var t pay.SignedTransaction
		if err := rows.Scan(&t.Network, &t.Txid, &t.PayoutID, &t.Purpose, &t.Address, &t.Nonce, &t.Fee, &t.State, &t.Height, &t.Block,
			&t.SignedAt, &t.SentAt, &t.Place, &t.Until, &t.Sent); err != nil {
			return err
		}
		out = append(out, t)
		return nil
	}, "select network, txid, payout_id, purpose, address, nonce, fee, state, height, block, signed_at, sent_at, place, until, "+sentAgo+" from open_signed($1, $2, $3)",
		network, final, limit)
	return out, err
}

// UndoneDead returns the dead transactions of a network that had completed their payouts, or ended their moves at a cost, before a
// reorganisation undid them.
func (s *Store) UndoneDead(ctx context.Context, network string) ([]pay.SignedTransaction, error) {
	var dead []pay.SignedTransaction
	err := s.Q.NewSelect().Model(&dead).ExcludeColumn("raw").Where("network = ? and state = 'expired'", network).
		Where(`exists (select from payouts p where p.id = payout_id and p.status = 'completed' and p.txid = ?TableAlias.txid)
			or exists (select from treasury_moves m where m.id = payout_id and m.cost is not null and m.txid = ?TableAlias.txid)`).Order("txid", "place").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the dead transactions of %s: %w", network, err)
	}
	return dead, nil
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
	return s.among(ctx, "look up signed transactions", "select * from signed_among($1, $2)", network, txids)
}

// HadSlots returns those of the given addresses that have ever had a slot of ours on a network: the hot wallet, former ones, and
// deposit addresses that were swept.
func (s *Store) HadSlots(ctx context.Context, network string, addresses []string) (map[string]bool, error) {
	return s.among(ctx, "look up who has signed", "select * from had_slots($1, $2)", network, addresses)
}

func (s *Store) among(ctx context.Context, act, query, network string, of []string) (map[string]bool, error) {
	out := make(map[string]bool, len(of))
	err := pg.Rows(ctx, s.Q, act, func(rows *sql.Rows) error {
		var one string
		if err := rows.Scan(&one); err != nil {
			return err
		}
		out[one] = true
		return nil
	}, query, network, of)
	return out, err
}

// AddSigned keeps a transaction signed for a slot given out before, in a row for each payout; only after the commit may it be sent.
// The row of the slots is locked until then. It says from where on BeginSigning looks for transactions signed and not sent.
func (s *Store) AddSigned(ctx context.Context, rows []*pay.SignedTransaction) error {
	t := rows[0]
	if _, err := s.Q.NewRaw("update signing_nonces set unsent_from = least(unsent_from, ?) where network = ? and address = ?",
		t.Nonce, t.Network, t.Address).Exec(ctx); err != nil {
		return fmt.Errorf("keep signed transaction %s: %w", t.Txid, err)
	}
	return s.AddAllSigned(ctx, rows)
}

// AddAllSigned keeps signed transactions; only after the commit may they be sent.
func (s *Store) AddAllSigned(ctx context.Context, all []*pay.SignedTransaction) error {
	var networks, txids, purposes, addresses, fees, states []string
	var payouts []uuid.UUID
	var nonces []int64
	raws := make([][]byte, 0, len(all))
	places, untils := make([]int, len(all)), make([]*int64, len(all))
	for i, t := range all {
		places[i], untils[i] = t.Place, t.Until
		networks, txids, payouts, purposes = append(networks, t.Network), append(txids, t.Txid), append(payouts,
			t.PayoutID), append(purposes, t.Purpose)
		addresses, nonces, raws = append(addresses, t.Address), append(nonces, t.Nonce), append(raws, t.Raw)
		fees, states = append(fees, t.Fee.String()), append(states, string(t.State))
	}
	_, err := pg.Exec(ctx, s.Q, "keep signed transactions", `insert into signed_transactions
			(network, txid, payout_id, purpose, address, nonce, raw, fee, state, place, until)
		select network, txid, payout_id, purpose, address, nonce, raw, fee::numeric, state, place, until
		from unnest($1::text[], $2::text[], $3::uuid[], $4::text[], $5::text[], $6::bigint[], $7::bytea[], $8::text[], $9::text[],
				$10::smallint[], $11::bigint[])
			as t(network, txid, payout_id, purpose, address, nonce, raw, fee, state, place, until)`,
		networks, txids, payouts, purposes, addresses, nonces, raws, fees, states, places, untils)
	return err
}
