package follow

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/store"
)

// stepTransfers are the transfers just written by a step, by payin: their rows need not be read
// (docs/decisions/0100-what-a-step-holds.md).
type stepTransfers map[uuid.UUID][]*pay.Transfer

// held returns the transfers to payins seen, credited or made final by a step. One both seen and credited is as crediting
// left it.
func (c *credits) held(seen []*pay.Transfer) stepTransfers {
	latest := make(map[uuid.UUID]*pay.Transfer, len(seen)+len(c.credited)+len(c.final))
	for _, t := range seen {
		latest[t.ID] = t
	}
	for _, list := range []map[uuid.UUID][]*pay.Transfer{c.credited, c.final} {
		for _, transfers := range list {
			for _, t := range transfers {
				latest[t.ID] = t
			}
		}
	}
	out := make(stepTransfers, len(latest))
	for _, t := range latest {
		out[*t.PayinID] = append(out[*t.PayinID], t)
	}
	return out
}

// of returns the transfers of payins, as store.TransfersOf does. It reads those of a payin only where there are more than the step holds.
func (s stepTransfers) of(ctx context.Context, tx *store.Store, payins []uuid.UUID) (map[uuid.UUID]*pay.PayinTransfers, error) {
	counts := make([]int, len(payins))
	for i, id := range payins {
		counts[i] = len(s[id])
	}
	more, now, err := tx.PaidBesides(ctx, payins, counts)
	if err != nil {
		return nil, err
	}
	read := slices.DeleteFunc(slices.Clone(payins), func(id uuid.UUID) bool { return !more[id] && len(s[id]) < pay.MostShown })
	out, err := tx.TransfersOf(ctx, read...)
	if err != nil {
		return nil, err
	}
	for _, id := range payins {
		if out[id] == nil {
			out[id] = &pay.PayinTransfers{Shown: s.shown(id, now)}
		}
	}
	return out, nil
}

// shown returns the step's transfers of a payin in the order they were seen; new ones were seen now.
func (s stepTransfers) shown(payin uuid.UUID, now time.Time) []pay.Transfer {
	var out []pay.Transfer
	for _, t := range s[payin] {
		one := *t
		if one.SeenAt.IsZero() {
			one.SeenAt = now
		}
		out = append(out, one)
	}
	slices.SortFunc(out, func(a, b pay.Transfer) int {
		return cmp.Or(a.SeenAt.Compare(b.SeenAt), bytes.Compare(a.ID[:], b.ID[:]))
	})
	return out
}
