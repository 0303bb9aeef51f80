package lists

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"causeway/internal/pay"
	"causeway/internal/pg"
	"causeway/internal/store"
)

// AcrossFilter selects rows of several merchants for the operator, newest first; zero fields do not filter. The ids of
// the rows begin with the time, so a page goes on below the last id of the one before it.
type AcrossFilter struct {
	Merchants []uuid.UUID // their lists are merged; none means all merchants
	Statuses  []string
	Network   string
	Token     string
	Reference string    // the beginning of a reference_id: the list is in the order of references then
	Customer  string    // customer_info, all of it
	From      time.Time // made then or later
	Until     time.Time // made before
	Before    uuid.UUID
	Limit     int
}

// skew is how far the time of an id may be from the created_at of its row: two clocks and a transaction lie between.
const skew = 10 * time.Minute

// across reads the rows of a filter, each way by a range of one index: those of references by their beginning, those of a customer
// and of everybody by their ids, and those of merchants by the newest of each.
func across(ctx context.Context, s *store.Store, f AcrossFilter, q *bun.SelectQuery, table string) error {
	f.Limit = max(f.Limit, 1)
	switch {
	case f.Reference != "":
		ids, err := byReference(ctx, s, f, table)
		if err != nil {
			return err
		}
		return q.Where("id in (?)", ids).Order("reference_id", "merchant_id").Scan(ctx)
	case f.Customer == "" && len(f.Merchants) > 0:
		return q.Where("id in (?)", newestOfEach(s, f, table)).Order("created_at DESC", "id DESC").Scan(ctx)
	default:
		if f.Before != uuid.Nil {
			q = q.Where("id < ?", f.Before)
		}
		if len(f.Merchants) > 0 {
			q = q.Where("merchant_id = any(?::uuid[])", pg.Array(f.Merchants))
		}
		return f.made(f.fits(q)).Order("id DESC").Limit(int64(f.Limit)).Scan(ctx)
	}
}

// fits writes the conditions on single columns.
func (f *AcrossFilter) fits(q *bun.SelectQuery) *bun.SelectQuery {
	for _, one := range [][2]string{{"network", f.Network}, {"token", f.Token}, {"customer_info", f.Customer}} {
		if one[1] != "" {
			q = q.Where("? = ?", bun.Ident(one[0]), one[1])
		}
	}
	if len(f.Statuses) > 0 {
		q = q.Where("status = any(?::text[])", pg.Array(f.Statuses))
	}
	if !f.From.IsZero() {
		q = q.Where("created_at >= ?", f.From)
	}
	if !f.Until.IsZero() {
		q = q.Where("created_at < ?", f.Until)
	}
	return q
}

// made is the range of ids of the asked time: outside of it nothing was made then.
func (f *AcrossFilter) made(q *bun.SelectQuery) *bun.SelectQuery {
	if !f.From.IsZero() {
		q = q.Where("id >= ?", store.FirstIDAt(f.From.Add(-skew)))
	}
	if !f.Until.IsZero() {
		q = q.Where("id < ?", store.FirstIDAt(f.Until.Add(skew)))
	}
	return q
}

// newestOfEach merges the newest rows of each merchant, and answers the ids of the newest of all.
func newestOfEach(s *store.Store, f AcrossFilter, table string) *bun.SelectQuery {
	of := f.fits(s.Q.NewSelect().TableExpr("?", bun.Ident(table)).Column("id", "created_at").Where("merchant_id = m.id"))
	if f.Before != uuid.Nil {
		of = of.Where("(created_at, id) < (select created_at, id from ? where id = ?)", bun.Ident(table), f.Before)
	}
	of = of.Order("created_at DESC", "id DESC").Limit(int64(f.Limit))
	return s.Q.NewSelect().TableExpr("unnest(?::uuid[]) AS m(id)", pg.Array(f.Merchants)).Join("CROSS JOIN LATERAL (?) AS p", of).
		ColumnExpr("p.id").OrderExpr("p.created_at DESC, p.id DESC").Limit(int64(f.Limit))
}

// byReference answers the ids of the first rows in the order of their references, each merchant's a range of its references.
func byReference(ctx context.Context, s *store.Store, f AcrossFilter, table string) (*bun.SelectQuery, error) {
	low := f.Reference
	of := f.fits(s.Q.NewSelect().TableExpr("?", bun.Ident(table)).Column("id", "reference_id", "merchant_id").Where("merchant_id = m.id"))
	if f.Before != uuid.Nil {
		var last uuid.UUID
		err := s.Q.NewSelect().TableExpr("?", bun.Ident(table)).Column("reference_id", "merchant_id").Where("id = ?", f.Before).Scan(ctx, &low, &last)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return nil, fmt.Errorf("the row before the page: %w", pay.ErrNotFound)
		case err != nil:
			return nil, fmt.Errorf("read the row before the page: %w", err)
		}
		of = of.Where("(reference_id, merchant_id) > (?, ?)", low, last)
	}
	of = of.Where("reference_id between ? and ?", max(low, f.Reference), f.Reference+string(utf8.MaxRune)).
		Order("reference_id").Limit(int64(f.Limit))
	whose := s.Q.NewSelect().TableExpr("merchants").Column("id")
	if len(f.Merchants) > 0 {
		whose = s.Q.NewSelect().ColumnExpr("unnest(?::uuid[]) AS id", pg.Array(f.Merchants))
	}
	return s.Q.NewSelect().TableExpr("(?) AS m", whose).Join("CROSS JOIN LATERAL (?) AS p", of).
		ColumnExpr("p.id").OrderExpr("p.reference_id, p.merchant_id").Limit(int64(f.Limit)), nil
}

// PayoutsAcross lists payouts of several merchants.
func PayoutsAcross(ctx context.Context, s *store.Store, f AcrossFilter) ([]pay.Payout, error) {
	return reading(ctx, s, func(s *store.Store) ([]pay.Payout, error) { return payoutsAcross(ctx, s, f) })
}

func payoutsAcross(ctx context.Context, s *store.Store, f AcrossFilter) ([]pay.Payout, error) {
	var out []pay.Payout
	if err := across(ctx, s, f, s.Q.NewSelect().Model(&out), "payouts"); err != nil {
		return nil, fmt.Errorf("list payouts: %w", err)
	}
	return out, nil
}

// PayinsAcross lists payins of several merchants.
func PayinsAcross(ctx context.Context, s *store.Store, f AcrossFilter) ([]pay.Payin, error) {
	return reading(ctx, s, func(s *store.Store) ([]pay.Payin, error) { return payinsAcross(ctx, s, f) })
}

func payinsAcross(ctx context.Context, s *store.Store, f AcrossFilter) ([]pay.Payin, error) {
	var out []pay.Payin
	if err := across(ctx, s, f, s.Q.NewSelect().Model(&out), "payins"); err != nil {
		return nil, fmt.Errorf("list payins: %w", err)
	}
	return out, nil
}

// WalletsAcross lists fixed wallets of several merchants. They have no network, token or reference.
func WalletsAcross(ctx context.Context, s *store.Store, f AcrossFilter) ([]pay.Wallet, error) {
	return reading(ctx, s, func(s *store.Store) ([]pay.Wallet, error) { return walletsAcross(ctx, s, f) })
}

func walletsAcross(ctx context.Context, s *store.Store, f AcrossFilter) ([]pay.Wallet, error) {
	var out []pay.Wallet
	f.Network, f.Token, f.Reference = "", "", ""
	if err := across(ctx, s, f, s.Q.NewSelect().Model(&out), "wallets"); err != nil {
		return nil, fmt.Errorf("list wallets: %w", err)
	}
	return out, nil
}
