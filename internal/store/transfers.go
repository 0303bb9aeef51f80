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

// transferColumns are the columns of t, a row of transfers, as scanTransfer reads them after first.
const transferColumns = `t.id, t.network, t.txid, t.token, t.position, t.sender, t.address, t.memo, t.amount, t.payin_id, t.status, t.height, t.credit_after,
	t.credits, t.credited, t.rate_fee, t.network_fee, t.counted, t.reason, t.worth, t.weight, t.mined_at, t.seen_at, t.updated_at`

func scanTransfer(rows *sql.Rows, first ...any) (t pay.Transfer, err error) {
	err = rows.Scan(append(first, &t.ID, &t.Network, &t.Txid, &t.Token, &t.Position, &t.Sender, &t.Address, &t.Memo, pg.Amount(&t.Amount),
		&t.PayinID, (*string)(&t.Status), &t.Height, (*int)(&t.CreditAfter),
		&t.Credits, pg.Amount(&t.Credited), pg.Amount(&t.RateFee), pg.Amount(&t.NetworkFee), pg.Amount(&t.Counted), &t.Reason, pg.NullAmount(&t.Worth),
		pg.NullAmount(&t.Weight), &t.MinedAt, &t.SeenAt, &t.UpdatedAt)...)
	return t, err
}

// transfers runs a prepared query for transferColumns.
func (s *Store) transfers(ctx context.Context, what, query string, args ...any) (out []pay.Transfer, err error) {
	err = pg.Rows(ctx, s.Q, what, func(rows *sql.Rows) error {
		t, err := scanTransfer(rows)
		if err != nil {
			return err
		}
		out = append(out, t)
		return nil
	}, "select "+transferColumns+" from "+query, args...)
	return out, err
}

// TransfersByTxid returns the known transfers of transactions on a network, locked until the transaction ends.
func (s *Store) TransfersByTxid(ctx context.Context, network string, txids []string) ([]pay.Transfer, error) {
	if len(txids) == 0 {
		return nil, nil
	}
	return s.transfers(ctx, "read transfers", "transfers_by_txid($1, $2) t", network, txids)
}

// Transfer reads a transfer.
func (s *Store) Transfer(ctx context.Context, id uuid.UUID) (*pay.Transfer, error) {
	t := new(pay.Transfer)
	return t, one(s.Q.NewSelect().Model(t).Where("id = ?", id).Scan(ctx), "transfer "+id.String())
}

// TransferForUpdate reads a transfer and keeps it from changing until the transaction ends.
func (s *Store) TransferForUpdate(ctx context.Context, id uuid.UUID) (*pay.Transfer, error) {
	t := new(pay.Transfer)
	err := s.Q.NewSelect().Model(t).Where("id = ?", id).For("update").Scan(ctx)
	return t, one(err, "transfer "+id.String())
}

// SaveTransfers writes transfers whole, new or known.
func (s *Store) SaveTransfers(ctx context.Context, transfers []pay.Transfer) error {
	if len(transfers) == 0 {
		return nil
	}
	n := len(transfers)
	ids, payins, mined := make([]uuid.UUID, n), make([]*uuid.UUID, n), make([]*time.Time, n)
	positions, credits, heights, depths := make([]int, n), make([]int, n), make([]*int64, n), make([]int, n)
	var texts [15][]*string
	for i := range transfers {
		t := &transfers[i]
		ids[i], payins[i], positions[i], credits[i], heights[i], depths[i] = t.ID, t.PayinID, t.Position, t.Credits, t.Height, int(t.CreditAfter)
		mined[i] = t.MinedAt
		status := string(t.Status)
		for j, text := range [...]*string{&t.Network, &t.Txid, &t.Token, &t.Sender, &t.Address, &t.Memo, pg.AmountText(t.Amount), &status,
			pg.AmountText(t.Credited), pg.AmountText(t.RateFee), pg.AmountText(t.NetworkFee), pg.AmountText(t.Counted), t.Reason, pg.NullAmountText(t.Worth), pg.NullAmountText(t.Weight)} {
			texts[j] = append(texts[j], text)
		}
	}
	args := []any{ids, payins, positions, credits, heights}
	for _, list := range texts {
		args = append(args, list)
	}
	args = append(args, depths, mined)
	_, err := pg.Exec(ctx, s.Q, "save transfers",
		"select save_transfers($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)", args...)
	return err
}

// CreditTransfers writes the columns of locked transfers changed by crediting: status, credits, reason and amounts.
func (s *Store) CreditTransfers(ctx context.Context, transfers []pay.Transfer) error {
	if len(transfers) == 0 {
		return nil
	}
	n := len(transfers)
	ids, statuses, credits, reasons := make([]uuid.UUID, n), make([]string, n), make([]int, n), make([]*string, n)
	var sums [4][]string
	worths, weights := make([]*string, n), make([]*string, n)
	for i := range transfers {
		t := &transfers[i]
		ids[i], statuses[i], credits[i], reasons[i] = t.ID, string(t.Status), t.Credits, t.Reason
		worths[i], weights[i] = pg.NullAmountText(t.Worth), pg.NullAmountText(t.Weight)
		for j, sum := range [...]decimal.Decimal{t.Credited, t.RateFee, t.NetworkFee, t.Counted} {
			sums[j] = append(sums[j], sum.String())
		}
	}
	_, err := pg.Exec(ctx, s.Q, "credit transfers", "select credit_transfers($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
		ids, statuses, credits, sums[0], sums[1], sums[2], sums[3], reasons, worths, weights)
	return err
}

// DueTransfer is a transfer now creditable or final.
type DueTransfer struct {
	pay.Transfer
	MerchantID *uuid.UUID // of its payin
	Muted      bool       // its merchant gets no payment_updated
	Late       pay.LateTerms
}

// CreditTerms are a merchant's terms for crediting.
type CreditTerms struct {
	Muted bool // no payment_updated
	Late  pay.LateTerms
}

// CreditTerms returns the terms of merchants. It also returns the time of the transaction: its new transfers were seen then.
func (s *Store) CreditTerms(ctx context.Context, merchants []uuid.UUID) (out map[uuid.UUID]CreditTerms, now time.Time, err error) {
	out = make(map[uuid.UUID]CreditTerms, len(merchants))
	err = pg.Rows(ctx, s.Q, "read merchants' terms", func(rows *sql.Rows) error {
		var id uuid.UUID
		var terms CreditTerms
		if err := rows.Scan(&id, &terms.Muted, &terms.Late.Grace, pg.NullAmount(&terms.Late.Bound), &now); err != nil {
			return err
		}
		out[id] = terms
		return nil
	}, "select merchant, muted, grace, bound, now() from credit_terms($1)", merchants)
	return out, now, err
}

// EarlyHeights are the heights for crediting small transfers before the network's rule does.
type EarlyHeights struct {
	Safe, Finalized int64 // the last blocks with these, for transfers asking for them
	Counted         int64 // the block to count confirmations from
	Agreed          int64 // the last block for which those count
}

// DueTransfers returns transfers now creditable or final: seen at or below credit, or at a height allowed by their
// CreditAfter, and credited at or below final. They are locked until the transaction ends.
func (s *Store) DueTransfers(ctx context.Context, network string, credit, final int64, early EarlyHeights, limit int) (out []DueTransfer, err error) {
	err = pg.Rows(ctx, s.Q, "read due transfers", func(rows *sql.Rows) error {
		var d DueTransfer
		t, err := scanTransfer(rows, &d.MerchantID, &d.Muted, &d.Late.Grace, pg.NullAmount(&d.Late.Bound))
		if err != nil {
			return err
		}
		d.Transfer = t
		out = append(out, d)
		return nil
	}, "select d.merchant, d.muted, d.grace, d.bound, "+transferColumns+" from due_transfers($1, $2, $3, $4, $5, $6, $7, $8) d, lateral (select (d.due).*) t",
		network, credit, final, early.Safe, early.Finalized, early.Counted, early.Agreed, limit)
	return out, err
}

// TransfersAbove returns the transfers in blocks above a height, locked until the transaction ends: the chain has undone them.
func (s *Store) TransfersAbove(ctx context.Context, network string, above int64) ([]pay.Transfer, error) {
	var out []pay.Transfer
	err := s.Q.NewSelect().Model(&out).Where("network = ?0 and height > ?1 and open or network = ?0 and height > ?1 and not open", network,
		above).Order("id").For("update").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read undone transfers: %w", err)
	}
	return out, nil
}

// DroppedCredits returns dropped transfers of transactions on a network once credited to payins, by txid.
func (s *Store) DroppedCredits(ctx context.Context, network string, txids []string) (map[string][]pay.Transfer, error) {
	var rows []pay.Transfer
	err := s.Q.NewSelect().Model(&rows).Where("network = ? and txid = any(?::text[])", network, pg.Array(txids)).
		Where("status = 'dropped' and credited > 0 and payin_id is not null").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read dropped credits: %w", err)
	}
	out := map[string][]pay.Transfer{}
	for _, t := range rows {
		out[t.Txid] = append(out[t.Txid], t)
	}
	return out, nil
}

// MempoolTransfers returns the seen transfers of a network in no block.
func (s *Store) MempoolTransfers(ctx context.Context, network string) ([]pay.Transfer, error) {
	return s.transfers(ctx, "read mempool transfers", "mempool_transfers($1) t", network)
}

// TransfersOf returns the transfers of payins, in the order they were seen, and the sums of those beyond pay.MostShown.
// Each payin has an entry.
func (s *Store) TransfersOf(ctx context.Context, payins ...uuid.UUID) (map[uuid.UUID]*pay.PayinTransfers, error) {
	out := make(map[uuid.UUID]*pay.PayinTransfers, len(payins))
	if len(payins) == 0 {
		return out, nil
	}
	for _, id := range payins {
		out[id] = new(pay.PayinTransfers)
	}
	rows, err := s.transfers(ctx, "read transfers of payins", "transfers_of($1, 0, $2) t", payins, pay.MostShown)
	if err != nil {
		return nil, err
	}
	for _, t := range rows {
		of := out[*t.PayinID]
		of.Shown = append(of.Shown, t)
	}
	for id, of := range out {
		if len(of.Shown) < pay.MostShown {
			continue
		}
		if of.Rest, err = s.otherTransfers(ctx, id); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// PaidBesides returns the payins with more transfers than the number held, each by its place. It also returns the time of the transaction: its new
// transfers were seen then.
func (s *Store) PaidBesides(ctx context.Context, payins []uuid.UUID, held []int) (more map[uuid.UUID]bool, now time.Time, err error) {
	more = map[uuid.UUID]bool{}
	err = pg.Rows(ctx, s.Q, "look for other transfers", func(rows *sql.Rows) error {
		var id *uuid.UUID // nil in the only row when there are none
		if err := rows.Scan(&now, &id); err != nil || id == nil {
			return err
		}
		more[*id] = true
		return nil
	}, "select now(), p.id from (values (true)) one left join paid_besides($1, $2) p(id) on true", payins, held)
	return more, now, err
}

// otherTransfers sums the transfers of a payin beyond pay.MostShown.
func (s *Store) otherTransfers(ctx context.Context, payin uuid.UUID) (rest pay.OtherTransfers, err error) {
	err = s.Q.NewRaw(`select count(*) filter (where status = 'credited') as credited, count(*) filter (where status = 'final') as final,
			coalesce(sum(counted) filter (where credited_now), 0) as counted,
			coalesce(sum(coalesce(weight, counted)) filter (where credited_now), 0) as weight,
			coalesce(bool_or(credited_now and late), false) as late, coalesce(sum(worth) filter (where credited_now and late), 0) as worth,
			coalesce(bool_or(credited_now and late and worth is null), false) as unpriced,
			coalesce(sum(rate_fee) filter (where credited_now and own), 0) as rate_fee,
			coalesce(sum(network_fee) filter (where credited_now and own), 0) as network_fee,
			count(*) filter (where status = 'seen') as seen, coalesce(sum(amount) filter (where status = 'seen' and own), 0) as coming,
			count(*) filter (where status = 'seen' and not own) as other_tokens
		from (select r.*, r.status in ('credited', 'final') as credited_now, r.token = p.token as own,
				least(r.seen_at, r.mined_at) > p.expires_at as late
			from payins p, transfers_of(array[p.id], ?1, null) r where p.id = ?0) t`, payin, pay.MostShown).Scan(ctx, &rest)
	if err != nil {
		return rest, fmt.Errorf("sum the transfers of payin %s: %w", payin, err)
	}
	return rest, nil
}

// UnclaimedTransfers lists transfers waiting for the operator, oldest first (addendum §8). It begins after a transfer,
// whether or not this still waits, or at the first where after is uuid.Nil.
func (s *Store) UnclaimedTransfers(ctx context.Context, after uuid.UUID, limit int) ([]pay.Transfer, error) {
	var out []pay.Transfer
	q := s.Q.NewSelect().Model(&out).Where("unclaimed").Order("seen_at", "id").Limit(int64(limit))
	if after != uuid.Nil {
		q = q.Where("(seen_at, id) > (select seen_at, id from transfers where id = ?)", after)
	}
	if err := q.Scan(ctx); err != nil {
		return nil, fmt.Errorf("list unclaimed transfers: %w", err)
	}
	return out, nil
}
