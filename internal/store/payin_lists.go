package store

import (
	"context"

	"github.com/google/uuid"

	"causeway/internal/pay"
)

var payinList = list{table: "payins", columns: payinColumns, status: "status", public: map[string]string{
	"pending": "pending", "completed": "completed", "failed": "failed", "reversed": "reversed",
}}

// ListPayins returns a page of the merchant's payins, and the counts of all pages by status, as ListPayouts does.
func (s *Store) ListPayins(ctx context.Context, f ListFilter) ([]pay.Payin, map[string]int, error) {
	out, read := make([]pay.Payin, 0, min(f.PerPage, manyRows)), new(pay.Payin)
	counts, err := s.read(ctx, payinList, &f, &targets{payinTargets(read), func() { out = append(out, *read) }})
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
