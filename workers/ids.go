package workers

import (
	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/store"
)

func payinIDs(transfers []pay.Transfer) []uuid.UUID {
	ids := map[uuid.UUID]bool{}
	for i := range transfers {
		if transfers[i].PayinID != nil {
			ids[*transfers[i].PayinID] = true
		}
	}
	return store.InOrder(ids)
}

func payoutIDs(signed []pay.SignedTransaction) []uuid.UUID {
	out := make([]uuid.UUID, len(signed))
	for i := range signed {
		out[i] = signed[i].PayoutID
	}
	return store.Unique(out)
}
