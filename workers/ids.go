package workers

import (
	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/store"
)

func payoutIDs(signed []pay.SignedTransaction) []uuid.UUID {
	out := make([]uuid.UUID, len(signed))
	for i := range signed {
		out[i] = signed[i].PayoutID
	}
	return store.Unique(out)
}
