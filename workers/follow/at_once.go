package follow

import (
	"context"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/store"
)

// A transfer may be seen and credited in one step: where the network's blocks are final at once, or while the follower is behind. Its row
// is then written once, by crediting (docs/decisions/0106-final-at-once.md).

// creditedAtOnce reports whether a newcomer is credited by the step now seeing it for the first time, at any worth.
func (r *reading) creditedAtOnce(n *newcomer) bool {
	return n.isNew && n.transfer.Height != nil && *n.transfer.Height <= r.head.Credit
}

// readTerms completes transfers without rows as due ones are read: the merchants of their payins with their terms, and the time at
// which the transfers are seen.
func readTerms(ctx context.Context, tx *store.Store, due []store.DueTransfer, payins map[uuid.UUID]*pay.Payin) error {
	merchants := map[uuid.UUID]bool{}
	for i := range due {
		if p := payinOf(&due[i].Transfer, payins); p != nil {
			merchants[p.MerchantID] = true
		}
	}
	if len(merchants) == 0 {
		return nil
	}
	terms, now, err := tx.CreditTerms(ctx, store.InOrder(merchants))
	if err != nil {
		return err
	}
	for i := range due {
		d := &due[i]
		if p := payinOf(&d.Transfer, payins); p != nil {
			of := terms[p.MerchantID]
			d.MerchantID, d.Muted, d.Late, d.SeenAt = &p.MerchantID, of.Muted, of.Late, now
		}
	}
	return nil
}

// payinOf returns the payin of a transfer, nil if it has none.
func payinOf(t *pay.Transfer, payins map[uuid.UUID]*pay.Payin) *pay.Payin {
	if t.PayinID == nil {
		return nil
	}
	return payins[*t.PayinID]
}
