package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"causeway/internal/pay"
	"causeway/internal/pg"
)

// AddPayin records a payin and its address; false when the merchant has the reference already.
func (s *Store) AddPayin(ctx context.Context, p *pay.Payin, a *pay.Address) (bool, error) {
	res, err := s.insertPayins(&[]*pay.Payin{p}).On("conflict (merchant_id, reference_id) do nothing").Exec(ctx)
	added, err := changed(res, err, "add payin")
	if err != nil || !added || a == nil {
		return added, err
	}
	return true, s.addAddress(ctx, a)
}

// payinsAtOnce is how many payins one statement records.
const payinsAtOnce = 1000

// AddPayins records payins of fixed wallets; their addresses are there already.
func (s *Store) AddPayins(ctx context.Context, payins []*pay.Payin) error {
	for some := range slices.Chunk(payins, payinsAtOnce) {
		if _, err := s.insertPayins(&some).Exec(ctx); err != nil {
			return fmt.Errorf("add payins: %w", err)
		}
	}
	return nil
}

// insertPayins is the statement for recording payins; the rest of a row is set by the database.
func (s *Store) insertPayins(payins *[]*pay.Payin) *bun.InsertQuery {
	return s.Q.NewInsert().Model(payins).ExcludeColumn("received", "reversed_at", "reversal", "created_at", "updated_at")
}

// MemoOfAnother reports whether a payin of another merchant at the same address has the same memo and was open, by the
// database's clock, so shortly ago that its payer may still pay.
func (s *Store) MemoOfAnother(ctx context.Context, p *pay.Payin, kept time.Duration) (taken bool, err error) {
	err = s.Q.NewRaw(`select exists (select from payins where wallet = ? and memo = ? and merchant_id <> ? and expires_at > now() - ? * interval '1 second')`,
		p.Wallet, p.Memo, p.MerchantID, kept.Seconds()).Scan(ctx, &taken)
	if err != nil {
		return false, fmt.Errorf("look for the memo: %w", err)
	}
	return taken, nil
}

// Payin reads a payin by its id.
func (s *Store) Payin(ctx context.Context, id uuid.UUID) (*pay.Payin, error) {
	p := new(pay.Payin)
	err := s.Q.NewSelect().Model(p).Where("id = ?", id).Scan(ctx)
	return p, one(err, "payin "+id.String())
}

// PayinsCalled returns the payins called by a word: one by its id, or those of any merchant by their reference_id, at
// most limit.
func (s *Store) PayinsCalled(ctx context.Context, word string, limit int) ([]pay.Payin, error) {
	var out []pay.Payin
	if err := called(s.Q.NewSelect().Model(&out), "payins", word, limit).Scan(ctx); err != nil {
		return nil, fmt.Errorf("read payins: %w", err)
	}
	return out, nil
}

// PayinsOf reads payins by their ids.
func (s *Store) PayinsOf(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]*pay.Payin, error) {
	var rows []*pay.Payin
	out := make(map[uuid.UUID]*pay.Payin, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	if err := s.Q.NewSelect().Model(&rows).Where("id = any(?::uuid[])", pg.Array(ids)).Scan(ctx); err != nil {
		return nil, fmt.Errorf("read payins: %w", err)
	}
	for _, p := range rows {
		out[p.ID] = p
	}
	return out, nil
}

// PayinsForUpdate reads payins in id order and keeps them from changing until the transaction ends.
func (s *Store) PayinsForUpdate(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]*pay.Payin, error) {
	out := make(map[uuid.UUID]*pay.Payin, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	err := pg.Rows(ctx, s.Q, "read payins", func(rows *sql.Rows) error {
		p := new(pay.Payin)
		if err := rows.Scan(PayinTargets(p)...); err != nil {
			return err
		}
		out[p.ID] = p
		return nil
	}, "select "+PayinColumns+" from lock_payins($1)", ids)
	return out, err
}

// SavePayin writes the columns changed by following a network: status, received, reversal. The caller holds the row.
func (s *Store) SavePayin(ctx context.Context, p *pay.Payin) error {
	_, err := s.Q.NewUpdate().Model(p).Column("status", "received", "reversed_at", "reversal").
		Set("undone = undone or ? = 'reversed', updated_at = now()", p.Status).WherePK().Exec(ctx)
	if err != nil {
		return fmt.Errorf("save payin: %w", err)
	}
	return nil
}

// SavePayins writes several payins as SavePayin does one. The caller holds the rows.
func (s *Store) SavePayins(ctx context.Context, payins []*pay.Payin) error {
	if len(payins) == 0 {
		return nil
	}
	n := len(payins)
	ids, statuses, received := make([]uuid.UUID, n), make([]string, n), make([]*string, n)
	reversed, reversals := make([]*time.Time, n), make([]*string, n)
	for i, p := range payins {
		ids[i], statuses[i], received[i], reversed[i] = p.ID, string(p.Status), pg.AmountText(p.Received), p.ReversedAt
		if len(p.Reversal) > 0 {
			text := string(p.Reversal)
			reversals[i] = &text
		}
	}
	_, err := pg.Exec(ctx, s.Q, "save payins", "select save_payins($1, $2, $3, $4, $5)", ids, statuses, received, reversed, reversals)
	return err
}

// DuePayins returns pending payins past their expiry and held by nothing, oldest first, and keeps them from changing
// until the transaction ends (addendum §8). A payin is held while its network is not followed past its expiry, and by a
// seen transfer. It is also held by an undone transfer on a network not followed past the expiry since then: the
// transfer may be in blocks still to be read. Only followed networks hold: the networks of this process, and those
// followed by another process in the last ten minutes, since this process may not know them yet while a version or a
// networks file is rolled out. Transfers and how far networks are followed are read at one moment, and a follower
// writes them at one.
func (s *Store) DuePayins(ctx context.Context, followed []string, limit int) ([]pay.Payin, error) {
	var out []pay.Payin
	err := s.Q.NewSelect().Model(&out).Join("left join followers f on f.network = payin.network").
		Where("payin.status = 'pending' and payin.expires_at <= now()").
		Where(`payin.expires_at <= f.passed_until
			or payin.network <> all(?) and coalesce(f.updated_at <= now() - interval '10 minutes', true)`, pg.Array(followed)).
		Where(`not exists (select from transfers t left join followers o on o.network = t.network where t.payin_id = payin.id
			and (t.status = 'seen' or t.status = 'dropped' and (payin.expires_at <= o.passed_until) is not true)
			and (t.network = any(?) or o.updated_at > now() - interval '10 minutes'))`, pg.Array(followed)).
		Order("payin.expires_at", "payin.id").Limit(int64(limit)).For("update of payin skip locked").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read due payins: %w", err)
	}
	return out, nil
}

// OpenPayins counts a merchant's payins with money not yet available: pending ones, and those with credits not yet
// final.
func (s *Store) OpenPayins(ctx context.Context, merchant uuid.UUID, references []string) (int, error) {
	var n int
	err := s.Q.NewRaw(`select count(*) from payins p where p.merchant_id = ? and p.reference_id = any(?::text[]) and (p.status = 'pending'
		or exists (select from transfers t where t.payin_id = p.id and t.status in ('seen', 'credited')))`, merchant, pg.Array(references)).Scan(ctx, &n)
	if err != nil {
		return 0, fmt.Errorf("count open payins: %w", err)
	}
	return n, nil
}

// MerchantPayin reads a payin of the merchant by its id or, with uuid.Nil, by the merchant's own reference.
func (s *Store) MerchantPayin(ctx context.Context, merchant, id uuid.UUID, reference string) (*pay.Payin, error) {
	p := new(pay.Payin)
	q := s.Q.NewSelect().Model(p).Where("merchant_id = ?", merchant)
	if id != uuid.Nil {
		q = q.Where("id = ?", id)
	} else {
		q = q.Where("reference_id = ?", reference)
	}
	return p, one(q.Scan(ctx), "payin of the merchant")
}
