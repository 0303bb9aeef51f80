package store

import (
	"github.com/google/uuid"
	"github.com/uptrace/bun/dialect/pgdialect"
)

// pgArray writes a slice as one array argument, also when it is empty.
func pgArray[T any](items []T) any {
	if items == nil {
		items = []T{}
	}
	return pgdialect.Array(items)
}

func texts(ids []uuid.UUID) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = id.String()
	}
	return out
}
