package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/pg"
)

// PayoutLimit is an amount of an asset, or worth in a fiat: a merchant's payouts above it wait for an operator.
type PayoutLimit struct {
	MerchantID uuid.UUID       `bun:",pk" json:"merchant_id"`
	Unit       string          `bun:",pk" json:"unit"`
	Per        string          `bun:",pk" json:"per"`         // PerPayout, PerHour or PerDay
	PerAddress bool            `bun:",pk" json:"per_address"` // of an hour or a day: of payouts to one address
	Above      decimal.Decimal `json:"above"`
}

// A limit is for one payout, or for the sum signed in the last hour or day without an approval.
const (
	PerPayout = "payout"
	PerHour   = "hour"
	PerDay    = "day"
)

// PayoutLimits lists a merchant's limits.
func (s *Store) PayoutLimits(ctx context.Context, merchant uuid.UUID) ([]PayoutLimit, error) {
	out := []PayoutLimit{}
	err := s.Q.NewSelect().Model(&out).Where("merchant_id = ?", merchant).OrderExpr("unit, per desc, per_address").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read payout limits: %w", err)
	}
	return out, nil
}

// SavePayoutLimit sets a limit, and replaces the old one of the same unit, time and addresses.
func (s *Store) SavePayoutLimit(ctx context.Context, l *PayoutLimit) error {
	_, err := s.Q.NewInsert().Model(l).On("conflict (merchant_id, unit, per, per_address) do update").Set("above = excluded.above").Exec(ctx)
	if err != nil {
		return fmt.Errorf("save payout limit: %w", err)
	}
	return nil
}

// DropPayoutLimit removes a limit; false when there was none.
func (s *Store) DropPayoutLimit(ctx context.Context, l *PayoutLimit) (bool, error) {
	res, err := s.Q.NewDelete().Model(l).WherePK().Exec(ctx)
	return changed(res, err, "drop payout limit")
}

// HoldNonces keeps anything from being signed until the transaction ends. A signer compares payouts with limits after
// locking the nonce of its hot wallet, so limits changed meanwhile hold for every later signature.
func (s *Store) HoldNonces(ctx context.Context) error {
	if _, err := s.Q.NewRaw("select from signing_nonces order by network, address for update").Exec(ctx); err != nil {
		return fmt.Errorf("hold the nonces: %w", err)
	}
	return nil
}

// RecountWindows counts anew, by a merchant's limits of now, its payouts signed in the last day without an approval.
// Each payout held above one of the limits may be compared again. It counts payouts requested within a week. The caller
// has called HoldNonces.
func (s *Store) RecountWindows(ctx context.Context, merchant uuid.UUID) error {
	for _, statement := range []string{
		"delete from payout_windows where merchant_id = ?0",
		`insert into payout_windows (merchant_id, unit, place, minute, spent)
			select p.merchant_id, l.unit, l.place, date_trunc('minute', t.at), sum(w.worth)
			from payouts p
				cross join lateral (select min(signed_at) as at from signed_transactions where payout_id = p.id and purpose = 'pay') t
				cross join lateral (select distinct l.unit, case when l.per_address then lower(p.wallet) else '' end as place
					from window_limits l where l.merchant_id = p.merchant_id) l
				cross join lateral (select payout_worth(p, l.unit) as worth) w
			where p.merchant_id = ?0 and p.created_at > now() - interval '7 days' and p.updated_at > now() - interval '1441 minutes'
				and p.status <> 'queued' and t.at > now() - interval '1441 minutes' and w.worth < 'Infinity'
				and not exists (select from payout_approvals a where a.payout_id = p.id and a.decision = 'approved' and a.seal = p.seal)
			group by 1, 2, 3, 4`,
		`update payout_approvals a set held = false from payouts p
			where p.id = a.payout_id and a.held and a.decision is null and p.merchant_id = ?0`,
	} {
		if _, err := s.Q.NewRaw(statement, merchant).Exec(ctx); err != nil {
			return fmt.Errorf("count what was signed lately: %w", err)
		}
	}
	return nil
}

// Over is why a payout waits for approval.
type Over struct {
	Why      string
	Windowed bool // a limit of an hour or a day: it waits for a decision, however much time goes by
}

// LimitedMerchants returns the merchants with payouts that may wait for approval: they have a limit, are suspended, or
// owe. While two people approve large payouts, uuid.Nil is among them and means every merchant.
func (s *Store) LimitedMerchants(ctx context.Context) (map[uuid.UUID]bool, error) {
	var rows []uuid.UUID
	err := s.Q.NewRaw(`select merchant_id from payout_limits union select id from merchants where suspended
		union select merchant_id from debts where owed > 0 union select ?::uuid from two_people`, uuid.Nil).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("read limited merchants: %w", err)
	}
	out := make(map[uuid.UUID]bool, len(rows))
	for _, id := range rows {
		out[id] = true
	}
	return out, nil
}

// OverLimits returns for payouts the limit they are above without an operator's approval. Payouts waiting for none are
// missing, for example one to be stopped. A place stands for all spellings of an address, in small letters. For
// signatures the answer of BeginSigning counts.
func (s *Store) OverLimits(ctx context.Context, payouts []uuid.UUID, places []string) (map[uuid.UUID]Over, error) {
	out := map[uuid.UUID]Over{}
	err := pg.Rows(ctx, s.Q, "compare payouts with their limits", func(rows *sql.Rows) error {
		var id uuid.UUID
		var over Over
		if err := rows.Scan(&id, &over.Why, &over.Windowed); err != nil {
			return err
		}
		out[id] = over
		return nil
	}, "select id, why, windowed from payouts_over_limits($1, $2, false)", payouts, places)
	return out, err
}
