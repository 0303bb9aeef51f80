package console

import (
	"slices"

	"github.com/google/uuid"

	"causeway/internal/web/room"
)

// fitting is room.Fitting for a visit.
func fitting[T any](v *visit, read []T, key func(*T) string) (rows []T, rest string) {
	return room.Fitting(v.Asked, read, key)
}

// names returns the names of the merchants of rows.
func names[T any](v *visit, rows []T, of func(*T) uuid.UUID) (map[uuid.UUID]string, error) {
	var ids []uuid.UUID
	for i := range rows {
		if m := of(&rows[i]); !slices.Contains(ids, m) {
			ids = append(ids, m)
		}
	}
	return v.Store.MerchantNames(v.Context(), ids)
}
