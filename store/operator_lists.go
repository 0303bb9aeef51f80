package store

import (
	"context"
	"fmt"

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
