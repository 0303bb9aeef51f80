package lists

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/store"
)

// AcrossDeliveryFilter selects deliveries for the operator; zero fields do not filter.
type AcrossDeliveryFilter struct {
	Merchants []uuid.UUID // their lists are merged; none means all merchants
	Status    string
	Event     pay.Event
	From      time.Time // made then or later
	Until     time.Time // made before
	Before    uuid.UUID // for the next page
	Limit     int
}

// made is the part of the filter shared with payins and payouts.
func (f *AcrossDeliveryFilter) made() AcrossFilter { return AcrossFilter{From: f.From, Until: f.Until} }

// DeliveriesAcross lists deliveries, newest first: those of everybody by a range of ids, those of merchants by the newest of each.
func DeliveriesAcross(ctx context.Context, s *store.Store, f AcrossDeliveryFilter) ([]pay.Delivery, error) {
	return reading(ctx, s, func(s *store.Store) ([]pay.Delivery, error) { return deliveriesAcross(ctx, s, f) })
}

func deliveriesAcross(ctx context.Context, s *store.Store, f AcrossDeliveryFilter) ([]pay.Delivery, error) {
	f.Limit = max(f.Limit, 1)
	var out []pay.Delivery
	if len(f.Merchants) > 0 {
		return deliveriesOfEach(ctx, s, f)
	}
	made := f.made()
	q := made.made(made.fits(s.Q.NewSelect().Model(&out))).Order("id DESC").Limit(int64(f.Limit))
	if f.Before != uuid.Nil {
		q = q.Where("id < ?", f.Before)
	}
	if f.Status != "" {
		q = q.Where("status = ?", f.Status)
	}
	if f.Event != "" {
		q = q.Where("event = ?", f.Event)
	}
	if err := q.Scan(ctx); err != nil {
		return nil, fmt.Errorf("list deliveries: %w", err)
	}
	return out, nil
}

// deliveriesOfEach merges the newest deliveries of merchants by their numbers.
func deliveriesOfEach(ctx context.Context, s *store.Store, f AcrossDeliveryFilter) ([]pay.Delivery, error) {
	var out []pay.Delivery
	above, below, err := numbersOf(ctx, s, f)
	if err != nil {
		return nil, err
	}
	for _, merchant := range f.Merchants {
		listed := ofMerchant(merchant)
		listed.above, listed.below, listed.made = above, below, f.made()
		if f.Status != "" {
			listed.Statuses = []string{f.Status}
		}
		if f.Event != "" {
			listed.Events = []pay.Event{f.Event}
		}
		var rows []pay.Delivery
		newest := listed.fitting(s, f.Limit).Order("seq DESC").Limit(int64(f.Limit))
		err := s.Q.NewSelect().Model(&rows).Where("merchant_id = ? and (status, event, seq) in (?)", merchant, newest).Order("seq DESC").Scan(ctx)
		if err != nil {
			return nil, fmt.Errorf("list deliveries of merchant %s: %w", merchant, err)
		}
		out = append(out, rows...)
	}
	slices.SortFunc(out, func(a, b pay.Delivery) int { return cmp.Compare(b.Seq, a.Seq) })
	return out[:min(len(out), f.Limit)], nil
}

// numbersOf returns the bounds of the numbers of deliveries made in a time, below the last one of the page before. A
// number follows the time of an id, except for deliveries recorded at the same time, far within skew.
func numbersOf(ctx context.Context, s *store.Store, f AcrossDeliveryFilter) (above, below int64, err error) {
	var first, last uuid.UUID // of the time
	if !f.From.IsZero() {
		first = store.FirstIDAt(f.From.Add(-skew))
	}
	if !f.Until.IsZero() {
		last = store.FirstIDAt(f.Until.Add(skew))
	}
	err = s.Q.NewRaw(`select coalesce((select seq from deliveries where id < ?0 order by id desc limit 1), 0),
		coalesce(least((select seq from deliveries where id >= ?2 and ?2 <> ?3 order by id limit 1), (select seq from deliveries where id >= ?1 and ?1 <> ?3 order by id limit 1)), 0)`,
		first, last, f.Before, uuid.Nil).Scan(ctx, &above, &below)
	if err != nil {
		return 0, 0, fmt.Errorf("look for the deliveries of a time: %w", err)
	}
	return above, below, nil
}
