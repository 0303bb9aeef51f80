package lists

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"causeway/internal/pay"
	"causeway/internal/pg"
	"causeway/internal/store"
)

// deliveryReach is how many deliveries a list of them has at most: the newest matching ones. So no page costs more than
// this.
const deliveryReach = 10_000

// DeliveryFilter selects a page of a merchant's deliveries.
type DeliveryFilter struct {
	Merchant      uuid.UUID
	Statuses      []string
	Events        []pay.Event
	Subjects      []uuid.UUID // nil: of any payin or payout
	Page, PerPage int         // from 1
	above, below  int64       // bounds of their numbers; 0 is no bound
	made          AcrossFilter
}

// Deliveries returns a page of the newest deliveryReach matching deliveries, newest first, and how many they are.
func Deliveries(ctx context.Context, s *store.Store, f DeliveryFilter) (page []pay.Delivery, total int, err error) {
	err = s.Reading(ctx, func(s *store.Store) error {
		page, total, err = deliveries(ctx, s, f)
		return err
	})
	return page, total, err
}

func deliveries(ctx context.Context, s *store.Store, f DeliveryFilter) (page []pay.Delivery, total int, err error) {
	err = s.Snapshot(ctx, func(tx *store.Store) error {
		counted := f.fitting(tx, deliveryReach).Limit(deliveryReach)
		if err := tx.Q.NewSelect().TableExpr("(?) AS counted", counted).ColumnExpr("count(*)").Scan(ctx, &total); err != nil {
			return err
		}
		skip := min((f.Page-1)*f.PerPage, total)
		take := min(f.PerPage, total-skip)
		if take == 0 {
			return nil
		}
		places := f.fitting(tx, skip+take).Order("seq DESC").Offset(int64(skip)).Limit(int64(take))
		return tx.Q.NewSelect().Model(&page).Where("merchant_id = ? and (status, event, seq) in (?)", f.Merchant, places).Order("seq DESC").Scan(ctx)
	})
	if err != nil {
		return nil, 0, fmt.Errorf("list deliveries: %w", err)
	}
	return page, total, nil
}

// ofMerchant selects all deliveries of a merchant.
func ofMerchant(id uuid.UUID) *DeliveryFilter {
	return &DeliveryFilter{Merchant: id, Statuses: pay.DeliveryStatuses, Events: pay.Events}
}

// fitting are the places of matching deliveries in the index deliveries_listed, at least the newest so many. Without
// subjects it takes the newest of each status and event, since the index has these in order. Zero is all.
func (f *DeliveryFilter) fitting(s *store.Store, most int) *bun.SelectQuery {
	of := s.Q.NewSelect().TableExpr("deliveries").Column("status", "event", "seq").Where("merchant_id = ?", f.Merchant)
	if f.above > 0 {
		of = of.Where("seq > ?", f.above)
	}
	if f.below > 0 {
		of = of.Where("seq < ?", f.below)
	}
	of = f.made.fits(of)
	if f.Subjects != nil {
		return of.Where("subject = any(?::uuid[]) and status = any(?::text[]) and event = any(?::text[])",
			pg.Array(f.Subjects), pg.Array(f.Statuses), pg.Array(f.Events))
	}
	kinds := s.Q.NewSelect().TableExpr("unnest(?::text[]) AS status, unnest(?::text[]) AS event", pg.Array(f.Statuses), pg.Array(f.Events)).
		Column("status", "event")
	newest := of.Where("status = kind.status and event = kind.event").Order("seq DESC").Limit(int64(most))
	return s.Q.NewSelect().TableExpr("(?) AS kind", kinds).Join("CROSS JOIN LATERAL (?) AS newest", newest).ColumnExpr("newest.*")
}
