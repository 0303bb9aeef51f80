package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"causeway/pay"
)

// AcrossFilter selects rows of all merchants for the operator, newest first; zero fields do not filter. The ids of what is
// listed begin with the time, so that a page goes on below the last id of the one before it.
type AcrossFilter struct {
	Merchant uuid.UUID
	Statuses []string
	Network  string
	Token    string
	Before   uuid.UUID
	Limit    int
}

// across writes a filter's conditions. One merchant's rows are read by the index of its lists, all others by their ids.
func (f AcrossFilter) across(q *bun.SelectQuery, table string) *bun.SelectQuery {
	if f.Merchant == uuid.Nil {
		q = q.Order("id DESC")
		if f.Before != uuid.Nil {
			q = q.Where("id < ?", f.Before)
		}
	} else {
		q = q.Where("merchant_id = ?", f.Merchant).Order("created_at DESC", "id DESC")
		if f.Before != uuid.Nil {
			q = q.Where("(created_at, id) < (select created_at, id from ? where id = ?)", bun.Ident(table), f.Before)
		}
	}
	if len(f.Statuses) > 0 {
		q = q.Where("status = any(?)", pgArray(f.Statuses))
	}
	if f.Network != "" {
		q = q.Where("network = ?", f.Network)
	}
	if f.Token != "" {
		q = q.Where("token = ?", f.Token)
	}
	return q.Limit(int64(max(f.Limit, 1)))
}

// PayoutsAcross lists payouts of all merchants.
func (s *Store) PayoutsAcross(ctx context.Context, f AcrossFilter) ([]pay.Payout, error) {
	var out []pay.Payout
	if err := f.across(s.Q.NewSelect().Model(&out), "payouts").Scan(ctx); err != nil {
		return nil, fmt.Errorf("list payouts: %w", err)
	}
	return out, nil
}

// PayinsAcross lists payins of all merchants.
func (s *Store) PayinsAcross(ctx context.Context, f AcrossFilter) ([]pay.Payin, error) {
	var out []pay.Payin
	if err := f.across(s.Q.NewSelect().Model(&out), "payins").Scan(ctx); err != nil {
		return nil, fmt.Errorf("list payins: %w", err)
	}
	return out, nil
}

// WalletsAcross lists fixed wallets of all merchants; the network is a family here, and there is no token.
func (s *Store) WalletsAcross(ctx context.Context, f AcrossFilter) ([]pay.Wallet, error) {
	var out []pay.Wallet
	family := f.Network
	f.Network, f.Token = "", ""
	q := f.across(s.Q.NewSelect().Model(&out), "wallets")
	if family != "" {
		q = q.Where("family = ?", family)
	}
	if err := q.Scan(ctx); err != nil {
		return nil, fmt.Errorf("list wallets: %w", err)
	}
	return out, nil
}

// MerchantNames answers the names of merchants.
func (s *Store) MerchantNames(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	out := make(map[uuid.UUID]string, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	var rows []struct {
		ID   uuid.UUID
		Name string
	}
	if err := s.Q.NewRaw("select id, name from merchants where id in (?)", bun.List(ids)).Scan(ctx, &rows); err != nil {
		return nil, fmt.Errorf("read names of merchants: %w", err)
	}
	for _, r := range rows {
		out[r.ID] = r.Name
	}
	return out, nil
}

// MerchantRow is a merchant in a list.
type MerchantRow struct {
	ID        uuid.UUID
	Name      string
	Email     string
	Verified  bool
	Suspended bool
	APIAccess bool `bun:"api_access"`
	pay.Terms `bun:"embed:"`
	Keys      int64 // that are not revoked
	Limits    int64
	CreatedAt time.Time
}

// MerchantsAcross lists merchants by name and then id, after one of them when it is not zero; word is a part of the name,
// of the address or the beginning of the id.
func (s *Store) MerchantsAcross(ctx context.Context, word string, after uuid.UUID, limit int) ([]MerchantRow, error) {
	out := []MerchantRow{}
	err := s.Q.NewRaw(`select m.id, m.name, m.email, m.verified, m.suspended, m.api_access, m.payment_rate, m.receipt_rate, m.deposit_rate,
			m.withdrawal_rate, m.user_pays_payment_network_fee, m.user_pays_receipt_network_fee, m.user_pays_deposit_network_fee,
			m.user_pays_withdrawal_network_fee, m.created_at,
			(select count(*) from keys k where k.merchant_id = m.id and k.revoked_at is null) as keys,
			(select count(*) from payout_limits l where l.merchant_id = m.id) as limits
		from merchants m
		where (?0 = '' or m.name ilike ?1 or m.email ilike ?1 or m.id::text like lower(?0) || '%')
			and (?2 = ?3 or (m.name, m.id) > (select name, id from merchants where id = ?2))
		order by m.name, m.id limit ?4`, word, "%"+likely(word)+"%", after, uuid.Nil, limit).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("list merchants: %w", err)
	}
	return out, nil
}

// WaitingCounts is what waits for an operator.
type WaitingCounts struct {
	Approvals int64
	Unclaimed int64
}

// WaitingCounts counts for the menu.
func (s *Store) WaitingCounts(ctx context.Context) (WaitingCounts, error) {
	var out WaitingCounts
	err := s.Q.NewRaw(`select
		(select count(*) from payout_approvals a join payouts p on p.id = a.payout_id
			where a.decision is null and p.status = 'queued' and not p.cancelling) as approvals,
		(select count(*) from transfers where unclaimed) as unclaimed`).Scan(ctx, &out)
	if err != nil {
		return out, fmt.Errorf("count what waits: %w", err)
	}
	return out, nil
}

// AttemptsOf lists every try of a delivery, oldest first.
func (s *Store) AttemptsOf(ctx context.Context, delivery uuid.UUID) ([]pay.Attempt, error) {
	var out []pay.Attempt
	if err := s.Q.NewSelect().Model(&out).ModelTableExpr("delivery_attempts AS attempt").Where("delivery_id = ?", delivery).Order("attempt").Scan(ctx); err != nil {
		return nil, fmt.Errorf("read attempts: %w", err)
	}
	return out, nil
}

// likely takes what means more than itself in a pattern out of a text.
func likely(word string) string {
	out := make([]rune, 0, len(word))
	for _, r := range word {
		if r == '%' || r == '_' || r == '\\' {
			out = append(out, '\\')
		}
		out = append(out, r)
	}
	return string(out)
}
