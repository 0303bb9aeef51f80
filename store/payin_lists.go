package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"

	"causeway/pay"
)

var payinList = list{"payins", payinColumns, "status", map[string]string{
	"pending": "pending", "completed": "completed", "failed": "failed", "reversed": "reversed",
}}

// ListPayins answers a page of the merchant's payins, and the counts of all pages by status, as ListPayouts does.
func (s *Store) ListPayins(ctx context.Context, f ListFilter) ([]pay.Payin, map[string]int, error) {
	out, read := make([]pay.Payin, 0, min(f.PerPage, manyRows)), new(pay.Payin)
	counts, err := s.read(ctx, payinList, &f, &places{payinPlaces(read), func() { out = append(out, *read) }})
	return out, counts, err
}

// MerchantPayin reads a payin of the merchant by its id or, with uuid.Nil, by the merchant's own reference.
func (s *Store) MerchantPayin(ctx context.Context, merchant, id uuid.UUID, reference string) (*pay.Payin, error) {
	p := new(pay.Payin)
	q := s.Q.NewSelect().Model(p).Where("merchant_id = ?", merchant)
	if id != uuid.Nil {
		q = q.Where("id = ?", id)
	} else {
		q = q.Where("reference_id = ?", reference)
	}
	return p, one(q.Scan(ctx), "payin of the merchant")
}

// Heads answers how far each followed network is: the height of its best block.
func (s *Store) Heads(ctx context.Context) (map[string]int64, error) {
	var rows []struct {
		Network string
		Head    int64
	}
	if err := s.Q.NewRaw("select network, head from followers").Scan(ctx, &rows); err != nil {
		return nil, fmt.Errorf("read heads: %w", err)
	}
	heads := make(map[string]int64, len(rows))
	for _, r := range rows {
		heads[r.Network] = r.Head
	}
	return heads, nil
}

// Now answers the database's clock: within a transaction, the moment that it began, which its rows carry.
func (s *Store) Now(ctx context.Context) (time.Time, error) {
	var now time.Time
	if err := s.Q.NewRaw("select now()").Scan(ctx, &now); err != nil {
		return now, fmt.Errorf("read the clock: %w", err)
	}
	return now, nil
}

// Violates tells whether err is the database's refusal by the named constraint or unique index.
func Violates(err error, constraint string) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && refused.ConstraintName == constraint
}
