package lists

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/store"
)

// linkReach is how many payment links a list of them has at most: the newest fitting ones. So no page costs more than this.
const linkReach = 10_000

// LinkFilter selects a page of the payment links that a merchant's programs made.
type LinkFilter struct {
	Merchant      uuid.UUID
	Status        pay.LinkStatus // empty for both
	Page, PerPage int            // from 1
}

// Links returns a page of the newest linkReach fitting links, newest first, and how many they are.
func Links(ctx context.Context, s *store.Store, f LinkFilter) (page []pay.PaymentLink, total int, err error) {
	err = s.Reading(ctx, func(s *store.Store) error {
		page, total, err = links(ctx, s, f)
		return err
	})
	return page, total, err
}

func links(ctx context.Context, s *store.Store, f LinkFilter) (page []pay.PaymentLink, total int, err error) {
	err = s.Snapshot(ctx, func(tx *store.Store) error {
		fitting := tx.Q.NewSelect().TableExpr("payment_links").Column("id").Where("merchant_id = ? and key_id not like 'panel:%'", f.Merchant).
			Order("id desc").Limit(linkReach)
		switch f.Status {
		case pay.LinkOpen:
			fitting = fitting.Where("ended_at is null")
		case pay.LinkEnded:
			fitting = fitting.Where("ended_at is not null")
		}
		if err := tx.Q.NewSelect().TableExpr("(?) AS fitting", fitting).ColumnExpr("count(*)").Scan(ctx, &total); err != nil {
			return err
		}
		skip := min((f.Page-1)*f.PerPage, total)
		take := min(f.PerPage, total-skip)
		if take == 0 {
			return nil
		}
		return tx.Q.NewSelect().Model(&page).Where("id in (?)", fitting.Limit(int64(take)).Offset(int64(skip))).Order("id desc").Scan(ctx)
	})
	if err != nil {
		return nil, 0, fmt.Errorf("list payment links: %w", err)
	}
	return page, total, nil
}
