package workers

import (
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"causeway/internal/pay"
)

func payinIDs(transfers []pay.Transfer) []uuid.UUID {
	ids := map[uuid.UUID]bool{}
	for i := range transfers {
		if transfers[i].PayinID != nil {
			ids[*transfers[i].PayinID] = true
		}
	}
	return keysOf(ids)
}

func payoutIDs(signed []pay.SignedTransaction) []uuid.UUID {
	out := make([]uuid.UUID, len(signed))
	for i := range signed {
		out[i] = signed[i].PayoutID
	}
	return unique(out)
}

func idsOf(payouts []*pay.Payout) []uuid.UUID {
	ids := make([]uuid.UUID, len(payouts))
	for i, p := range payouts {
		ids[i] = p.ID
	}
	return ids
}

// keysOf returns the keys in order, so that rows are always touched in the same order.
func keysOf[V any](m map[uuid.UUID]V) []uuid.UUID {
	return slices.SortedFunc(maps.Keys(m), func(a, b uuid.UUID) int { return strings.Compare(string(a[:]), string(b[:])) })
}

// unique returns each id once, in order.
func unique(ids []uuid.UUID) []uuid.UUID {
	set := make(map[uuid.UUID]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return keysOf(set)
}
