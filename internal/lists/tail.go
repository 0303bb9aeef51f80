package lists

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/store"
)

// tailOverlap is how many numbers are looked at again: a delivery gets its number before its transaction commits, so it
// may be seen after others with higher numbers.
const tailOverlap = 1000

// DeliveryTail remembers how far NewDeliveries has read. The zero value has read nothing.
type DeliveryTail struct {
	last int64
	seen map[uuid.UUID]int64 // by their numbers
}

// NewDeliveries returns the deliveries of a merchant not yet seen by this tail, oldest first, each of them once. The
// first call returns nothing: the deliveries recorded by then count as seen.
func NewDeliveries(ctx context.Context, s *store.Store, merchant uuid.UUID, tail *DeliveryTail) ([]pay.Delivery, error) {
	starts := tail.seen == nil
	if starts {
		tail.seen = map[uuid.UUID]int64{}
		err := s.Q.NewSelect().TableExpr("(?) AS newest", ofMerchant(merchant).fitting(s, 1)).ColumnExpr("coalesce(max(seq), 0)").
			Scan(ctx, &tail.last)
		if err != nil {
			return nil, fmt.Errorf("read the newest delivery: %w", err)
		}
	}
	var rows, fresh []pay.Delivery
	recent := ofMerchant(merchant)
	recent.above = max(tail.last-tailOverlap, 0)
	err := s.Q.NewSelect().Model(&rows).Where("merchant_id = ? and (status, event, seq) in (?)", merchant, recent.fitting(s, 0)).
		Order("seq").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read new deliveries: %w", err)
	}
	for _, d := range rows {
		if _, seen := tail.seen[d.ID]; !seen && !starts {
			fresh = append(fresh, d)
		}
		tail.seen[d.ID], tail.last = d.Seq, max(tail.last, d.Seq)
	}
	for id, seq := range tail.seen {
		if seq <= tail.last-tailOverlap {
			delete(tail.seen, id)
		}
	}
	return fresh, nil
}
