package store

import (
	"context"
	"database/sql"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/pg"
)

// payoutList counts a payout under what the wire calls its status (addendum §7).
var payoutList = list{table: "payouts", columns: shownPayout, status: "wire_status", public: map[string]string{
	"queued": "pending", "signed": "pending", "sent": "pending", "completed": "completed", "failed": "failed", "refunded": "refunded",
}}

// ListPayouts returns a page of the merchant's payouts, newest first with ties broken by id (addendum §10), and the counts
// of all pages by status as the wire names it. The payouts have what a payout record shows; their other fields are zero.
func (s *Store) ListPayouts(ctx context.Context, f ListFilter) ([]pay.Payout, map[string]int, error) {
	out, read := make([]pay.Payout, 0, min(f.PerPage, manyRows)), new(pay.Payout)
	counts, err := s.read(ctx, payoutList, &f, &targets{payoutTargets(read), func() { out = append(out, *read) }})
	return out, counts, err
}

// Owned names a row by its id and by the merchant whose it must be.
type Owned struct{ Merchant, ID uuid.UUID }

// MerchantPayouts reads payouts in one statement. The answers are in the order of the asks, nil where the merchant has no
// payout of the id. They have the fields that ListPayouts fills.
func (s *Store) MerchantPayouts(ctx context.Context, asks []Owned) (found []*pay.Payout, err error) {
	merchants, ids := make([][16]byte, len(asks)), make([][16]byte, len(asks)) // the driver writes them fastest
	for i, a := range asks {
		merchants[i], ids[i] = a.Merchant, a.ID
	}
	found = make([]*pay.Payout, len(asks))
	place, read := 0, new(pay.Payout)
	into := append([]any{&place}, payoutTargets(read)...)
	err = pg.Rows(ctx, s.Q, "read payouts of merchants", func(row *sql.Rows) error {
		if err := row.Scan(into...); err != nil {
			return err
		}
		own := *read
		found[place-1] = &own
		return nil
	}, merchantPayouts, merchants, ids)
	return found, err
}

// merchantPayouts looks each payout up by itself: a plan that joins could be made while the table is young, and read all of it.
const merchantPayouts = "select a.place, p.* from unnest($1::uuid[], $2::uuid[]) with ordinality as a(merchant_id, id, place), " +
	"lateral (select " + shownPayout + " from payouts where payouts.id = a.id and payouts.merchant_id = a.merchant_id limit 1) p"
