package pg

import (
	"github.com/google/uuid"
	"github.com/uptrace/bun/dialect/pgdialect"
)

// Array writes a slice as one array argument, also when it is empty.
func Array[T any](items []T) any {
	if items == nil {
		items = []T{}
	}
	return pgdialect.Array(items)
}

// Texts returns ids as texts, in their order.
func Texts(ids []uuid.UUID) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = id.String()
	}
	return out
}
