package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

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

// LimitSum is a kind of sum kept for limits of an hour and a day: of a merchant's payouts in a unit, of all or to each
// address.
type LimitSum struct {
	Unit       string
	PerAddress bool
}

// LimitSums returns the sums needed by a merchant's limits of now.
func (s *Store) LimitSums(ctx context.Context, merchant uuid.UUID) ([]LimitSum, error) {
	var out []LimitSum
	err := s.Q.NewRaw("select distinct unit, per_address from window_limits where merchant_id = ?", merchant).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("read which sums limits need: %w", err)
	}
	return out, nil
}

// RecountWindows keeps the sums of a merchant needed by its limits both before a change and now. It counts the other sums
// anew, of the payouts signed in the last day without an approval, and forgets those needed no more. A payout without a
// price makes its sums infinite, and these are counted anew each time. Each payout held above one of the limits may be
// compared again. Place returns one form for all spellings of an address, in small letters. The caller has called
// HoldNonces before it read and changed the limits.
func (s *Store) RecountWindows(ctx context.Context, merchant uuid.UUID, before []LimitSum, place func(network, wallet string) string) error {
	now, err := s.LimitSums(ctx, merchant)
	if err != nil {
		return err
	}
	unpriced, err := s.unpricedWindows(ctx, merchant)
	if err != nil {
		return err
	}
	kept := slices.DeleteFunc(slices.Clone(now), func(w LimitSum) bool { return !slices.Contains(before, w) || slices.Contains(unpriced, w) })
	fresh := slices.DeleteFunc(now, func(w LimitSum) bool { return slices.Contains(kept, w) })
	units, perAddress := columnsOf(kept)
	if _, err := s.Q.NewRaw(`delete from payout_windows where merchant_id = ?
		and (unit, place <> '') not in (select * from unnest(?::text[], ?::boolean[]))`, merchant, pg.Array(units), pg.Array(perAddress)).Exec(ctx); err != nil {
		return fmt.Errorf("forget sums of what was signed: %w", err)
	}
	if len(fresh) > 0 {
		if err := s.countLately(ctx, merchant, fresh, place); err != nil {
			return err
		}
	}
	if _, err := s.Q.NewRaw(`update payout_approvals a set held = false from payouts p
		where p.id = a.payout_id and a.held and a.decision is null and p.merchant_id = ?`, merchant).Exec(ctx); err != nil {
		return fmt.Errorf("let payouts be compared again: %w", err)
	}
	return nil
}

// unpricedWindows returns the kinds of a merchant's sums with a payout without a price.
func (s *Store) unpricedWindows(ctx context.Context, merchant uuid.UUID) (out []LimitSum, err error) {
	err = s.Q.NewRaw(`select distinct unit, place <> '' as per_address from payout_windows
		where merchant_id = ? and spent = 'Infinity'`, merchant).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("read sums without a price: %w", err)
	}
	return out, nil
}

func columnsOf(windows []LimitSum) (units []string, perAddress []bool) {
	for _, w := range windows {
		units, perAddress = append(units, w.Unit), append(perAddress, w.PerAddress)
	}
	return units, perAddress
}

// signedLately are the payouts p of a merchant with a first signature, at s.at, in the last day, whatever their rows say now.
const signedLately = `(select t.payout_id as id, min(t.signed_at) as at from signed_transactions t
		where t.purpose = 'pay' and t.payout_id in (
			select l.payout_id from signed_transactions l where l.purpose = 'pay' and l.signed_at > now() - interval '1441 minutes')
		group by 1 having min(t.signed_at) > now() - interval '1441 minutes') s
	join payouts p on p.id = s.id and p.merchant_id = ?0`

// countLately counts payouts signed in the last day without an approval.
func (s *Store) countLately(ctx context.Context, merchant uuid.UUID, windows []LimitSum, place func(network, wallet string) string) error {
	var to []struct{ Network, Wallet string }
	if err := s.Q.NewRaw("select distinct p.network, p.wallet from "+signedLately, merchant).Scan(ctx, &to); err != nil {
		return fmt.Errorf("read where payouts went lately: %w", err)
	}
	var networks, wallets, places []string
	for _, w := range to {
		networks, wallets, places = append(networks, w.Network), append(wallets, w.Wallet), append(places, place(w.Network, w.Wallet))
	}
	units, perAddress := columnsOf(windows)
	_, err := s.Q.NewRaw(`insert into payout_windows (merchant_id, unit, place, minute, spent)
		select p.merchant_id, l.unit, case when l.per_address then w.place else '' end, date_trunc('minute', s.at), sum(payout_worth(p, l.unit))
		from `+signedLately+`
			join unnest(?1::text[], ?2::text[], ?3::text[]) as w(network, wallet, place) on w.network = p.network and w.wallet = p.wallet
			cross join unnest(?4::text[], ?5::boolean[]) as l(unit, per_address)
		where payout_worth(p, l.unit) is not null
			and not exists (select from payout_approvals a where a.payout_id = p.id and a.decision = 'approved' and a.seal = p.seal)
		group by 1, 2, 3, 4`,
		merchant, pg.Array(networks), pg.Array(wallets), pg.Array(places), pg.Array(units), pg.Array(perAddress)).Exec(ctx)
	if err != nil {
		return fmt.Errorf("count what was signed lately: %w", err)
	}
	return nil
}

// Over is why a payout waits for approval.
type Over struct {
	Why      string
	Windowed bool // a limit of an hour or a day: it waits for a decision, however much time goes by
}

// LimitedMerchants returns the merchants with payouts that may wait for approval: they have a limit, are suspended, or
// owe, or a second person of theirs confirms one. While two people approve large payouts, uuid.Nil is among them and means every merchant.
func (s *Store) LimitedMerchants(ctx context.Context) (map[uuid.UUID]bool, error) {
	var rows []uuid.UUID
	err := s.Q.NewRaw(`select merchant_id from payout_limits union select id from merchants where suspended
		union select merchant_id from debts where owed > 0 union select ?::uuid from two_people
		union select merchant_id from panel_seconds where confirmed_at is null and asked_at > now() - interval '8 days'`, uuid.Nil).Scan(ctx, &rows)
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
