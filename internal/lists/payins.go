package lists

import (
	"context"

	"causeway/internal/pay"
	"causeway/internal/store"
)

var payinList = list{table: "payins", shown: byAPI, columns: store.PayinColumns, status: "status", public: map[string]string{
	"pending": "pending", "completed": "completed", "failed": "failed", "reversed": "reversed",
}}

// Payins returns a page of the merchant's payins, and the counts of all pages by status, as Payouts does.
func Payins(ctx context.Context, s *store.Store, f Filter) ([]pay.Payin, map[string]int, error) {
	out, row := make([]pay.Payin, 0, min(f.PerPage, manyRows)), new(pay.Payin)
	counts, err := read(ctx, s, payinList, &f, &targets{store.PayinTargets(row), func() { out = append(out, *row) }})
	return out, counts, err
}
