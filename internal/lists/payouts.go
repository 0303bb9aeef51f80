package lists

import (
	"context"

	"causeway/internal/pay"
	"causeway/internal/store"
)

// payoutList counts a payout under its status on the wire (addendum §7).
var payoutList = list{table: "payouts", columns: store.PayoutColumns, status: "wire_status", shown: byAPI, public: map[string]string{
	"queued": "pending", "signed": "pending", "sent": "pending", "completed": "completed", "failed": "failed", "refunded": "refunded",
}}

// Payouts returns a page of the merchant's payouts, newest first with ties broken by id (addendum §10), and the counts
// of all pages by status as the wire names it. The payouts have the fields of a payout record; their other fields are
// zero.
func Payouts(ctx context.Context, s *store.Store, f Filter) (page []pay.Payout, counts map[string]int, err error) {
	err = s.Reading(ctx, func(s *store.Store) error {
		page, counts, err = payouts(ctx, s, f)
		return err
	})
	return page, counts, err
}

func payouts(ctx context.Context, s *store.Store, f Filter) ([]pay.Payout, map[string]int, error) {
	out, row := make([]pay.Payout, 0, min(f.PerPage, manyRows)), new(pay.Payout)
	counts, err := read(ctx, s, payoutList, &f, &targets{store.PayoutTargets(row), func() { out = append(out, *row) }})
	return out, counts, err
}
