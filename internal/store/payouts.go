package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/uptrace/bun"

	"causeway/internal/pay"
	"causeway/internal/pg"
)

// wholePayout are the columns of p, a row of payouts, as scanPayout reads them.
const wholePayout = `p.id, p.merchant_id, p.key_id, p.reference_id, p.wallet, p.memo, p.token, p.asset, p.network, p.process_by, p.amount,
	p.debit, p.rate_fee, p.network_fee, p.pays_network_fee, p.fee_from_amount, p.percent_rate, p.fiat_currency, p.fiat_amount, p.price,
	p.customer_info, p.webhook_url, p.seal, p.status, p.cancelling, p.reason, p.txid, p.created_at, p.updated_at`

// scanPayout reads the columns before wholePayout into first, and then a payout.
func scanPayout(rows *sql.Rows, first ...any) (*pay.Payout, error) {
	p := new(pay.Payout)
	err := rows.Scan(append(first, &p.ID, &p.MerchantID, &p.KeyID, &p.ReferenceID, &p.Wallet, &p.Memo, &p.Token, &p.Asset, &p.Network, &p.ProcessBy,
		&p.Amount, &p.Debit, &p.RateFee, &p.NetworkFee, &p.PaysNetworkFee, &p.FeeFromAmount, &p.PercentRate, &p.FiatCurrency, &p.FiatAmount,
		&p.Price, &p.CustomerInfo, &p.WebhookURL, &p.Seal, &p.Status, &p.Cancelling, &p.Reason, &p.Txid, &p.CreatedAt, &p.UpdatedAt)...)
	return p, err
}

// Payout reads a payout by its id.
func (s *Store) Payout(ctx context.Context, id uuid.UUID) (*pay.Payout, error) {
	p := new(pay.Payout)
	err := s.Q.NewSelect().Model(p).Where("id = ?", id).Scan(ctx)
	return p, one(err, "payout "+id.String())
}

// PanelPayouts reads the payouts that the panel has recorded for a merchant, by their references.
func (s *Store) PanelPayouts(ctx context.Context, merchant uuid.UUID, references []string) (map[string]*pay.Payout, error) {
	var rows []*pay.Payout
	err := s.Q.NewSelect().Model(&rows).Where("merchant_id = ? and reference_id = any(?::text[]) and key_id like 'panel:%'", merchant, pg.Array(references)).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read payouts of the panel: %w", err)
	}
	out := make(map[string]*pay.Payout, len(rows))
	for _, p := range rows {
		out[p.ReferenceID] = p
	}
	return out, nil
}

// PayoutForUpdate reads a payout and keeps it from changing until the transaction ends.
func (s *Store) PayoutForUpdate(ctx context.Context, id uuid.UUID) (*pay.Payout, error) {
	p := new(pay.Payout)
	err := s.Q.NewSelect().Model(p).Where("id = ?", id).For("update").Scan(ctx)
	return p, one(err, "payout "+id.String())
}

// PayoutsOf reads payouts by id.
func (s *Store) PayoutsOf(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]*pay.Payout, error) {
	out := make(map[uuid.UUID]*pay.Payout, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	err := pg.Rows(ctx, s.Q, "read payouts", func(rows *sql.Rows) error {
		p, err := scanPayout(rows)
		if err != nil {
			return err
		}
		out[p.ID] = p
		return nil
	}, "select "+wholePayout+" from payouts_of($1) p", ids)
	return out, err
}

// PayoutsCalled returns the payouts called by a word: one by its id, or those of any merchant by their reference_id, at
// most limit.
func (s *Store) PayoutsCalled(ctx context.Context, word string, limit int) ([]pay.Payout, error) {
	var out []pay.Payout
	if err := called(s.Q.NewSelect().Model(&out), "payouts", word, limit).Scan(ctx); err != nil {
		return nil, fmt.Errorf("read payouts: %w", err)
	}
	return out, nil
}

// called selects the payouts or payins called by a word. References are looked up merchant by merchant, as their index
// has them.
func called(q *bun.SelectQuery, table, word string, limit int) *bun.SelectQuery {
	id, _ := uuid.Parse(word)
	return q.Where(`id in (select ?0::uuid union all select r.id from merchants m
		cross join lateral (select id from ?1 where merchant_id = m.id and reference_id = ?2) r)`, id, bun.Ident(table), word).
		Order("id").Limit(int64(limit))
}

// OpenPayoutsLike returns the open payouts of a network for exactly this amount of a token, the oldest first.
func (s *Store) OpenPayoutsLike(ctx context.Context, network, token string, amount decimal.Decimal) ([]pay.Payout, error) {
	var out []pay.Payout
	err := s.Q.NewSelect().Model(&out).Where("network = ? and wire_status = 'pending'", network).
		Where("token = ? and amount = ?", token, amount).Order("created_at", "id").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read open payouts: %w", err)
	}
	return out, nil
}

// OpenPayoutsAfter returns open payouts of all networks after one in the order of their ids, at most limit, with the
// columns covered by their seals.
func (s *Store) OpenPayoutsAfter(ctx context.Context, after uuid.UUID, limit int) ([]pay.Payout, error) {
	var out []pay.Payout
	err := s.Q.NewSelect().Model(&out).Column("id", "merchant_id", "wallet", "memo", "token", "network", "amount", "debit", "seal", "status", "asset").
		Where("id > ? and wire_status = 'pending'", after).Order("id").Limit(int64(limit)).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read open payouts: %w", err)
	}
	return out, nil
}

// HasOpenPayouts reports whether a payout of a network is not completed or refunded.
func (s *Store) HasOpenPayouts(ctx context.Context, network string) (bool, error) {
	var found bool
	err := s.Q.NewRaw("select exists (select from payouts where network = ? and wire_status = 'pending')", network).Scan(ctx, &found)
	return found, one(err, "open payouts of "+network)
}

// Owned names a row by its id and by the merchant whose it must be.
type Owned struct{ Merchant, ID uuid.UUID }

// MerchantPayouts reads payouts in one statement. The answers are in the order of the asks, nil where the merchant has no
// payout of the id, or has it from the panel (api-v1 §GET /v1/check-payout). They have the fields of lists.Payouts.
func (s *Store) MerchantPayouts(ctx context.Context, asks []Owned) (found []*pay.Payout, err error) {
	merchants, ids := make([][16]byte, len(asks)), make([][16]byte, len(asks)) // the driver writes them fastest
	for i, a := range asks {
		merchants[i], ids[i] = a.Merchant, a.ID
	}
	found = make([]*pay.Payout, len(asks))
	place, read := 0, new(pay.Payout)
	into := append([]any{&place}, PayoutTargets(read)...)
	err = pg.Rows(ctx, s.Q, "read payouts of merchants", func(row *sql.Rows) error {
		if err := row.Scan(into...); err != nil {
			return err
		}
		own := *read
		found[place-1] = &own
		return nil
	}, merchantPayouts, merchants, ids)
	return found, err
}

// merchantPayouts looks each payout up by itself: a plan that joins could be made while the table is young, and read all of it.
const merchantPayouts = "select a.place, p.* from unnest($1::uuid[], $2::uuid[]) with ordinality as a(merchant_id, id, place), " +
	"lateral (select " + PayoutColumns + " from payouts where payouts.id = a.id and payouts.merchant_id = a.merchant_id and key_id not like 'panel:%' limit 1) p"
