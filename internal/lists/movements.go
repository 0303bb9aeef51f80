package lists

import (
	"context"
	"fmt"

	"causeway/internal/store"
)

// movementList counts the movements of an entry as one, under the types of all of them; the asset stands for the token.
// Movements belong to payins and payouts, and do not have the references of these among their columns.
var movementList = list{table: "movements", columns: "id", status: "status", entries: "moving_entries", public: map[string]string{
	"DEPOSIT": "DEPOSIT", "WITHDRAWAL": "WITHDRAWAL", "RATE": "RATE", "FEE": "FEE",
	"WITHDRAWAL_REFUND": "WITHDRAWAL_REFUND", "DEPOSIT_REVERSAL": "DEPOSIT_REVERSAL",
}}

// Movements returns the ids of a page of the merchant's movements, newest first with ties broken by id (addendum §10),
// and how many there are on all pages. Statuses of the filter are types of movements; a reference is an error.
func Movements(ctx context.Context, s *store.Store, f Filter) (ids []string, total int, err error) {
	if f.Reference != "" {
		return nil, 0, fmt.Errorf("list movements: they are not found by the reference %q", f.Reference)
	}
	var counts map[string]int
	err = s.Reading(ctx, func(s *store.Store) error {
		return s.Snapshot(ctx, func(tx *store.Store) (err error) {
			ids, counts, err = (&listing{&f, movementList, tx}).page(ctx)
			return err
		})
	})
	if err != nil {
		return nil, 0, fmt.Errorf("list movements: %w", err)
	}
	for _, n := range counts {
		total += n
	}
	return ids, total, nil
}
