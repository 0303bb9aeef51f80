package store

import (
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// InOrder returns the keys in order, for touching rows always in the same order.
func InOrder[V any](m map[uuid.UUID]V) []uuid.UUID {
	return slices.SortedFunc(maps.Keys(m), func(a, b uuid.UUID) int { return strings.Compare(string(a[:]), string(b[:])) })
}

// Unique returns each id once, in order.
func Unique(ids []uuid.UUID) []uuid.UUID {
	set := make(map[uuid.UUID]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return InOrder(set)
}
