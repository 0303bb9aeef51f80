package ledger

import (
	"github.com/google/uuid"

	"causeway/internal/pay"
)

// UnclaimedHeld books a transfer not allowed to any payin; it waits for the operator.
func UnclaimedHeld(asset string, t *pay.Transfer) Entry {
	return entry(ofTransfer("unclaimed_held", t),
		Posting{From: Outside(t.Network), To: Unclaimed(t.Network), Asset: asset, Amount: t.Amount})
}

// UnclaimedUndone takes UnclaimedHeld back after a reorganisation.
func UnclaimedUndone(asset string, t *pay.Transfer) Entry {
	return entry(ofTransfer("unclaimed_undone", t),
		Posting{From: Unclaimed(t.Network), To: Outside(t.Network), Asset: asset, Amount: t.Amount})
}

// UnclaimedAssigned gives an unclaimed transfer to a merchant by the operator's decision, without fees: to the locked balance
// while it is credited and not final.
func UnclaimedAssigned(merchant uuid.UUID, asset string, t *pay.Transfer) Entry {
	whole, to := Cut(t.Amount), Available(merchant)
	if t.Status == pay.TransferCredited {
		to = Locked(merchant)
	}
	return entry(ofTransfer("unclaimed_assigned", t),
		Posting{Unclaimed(t.Network), to, asset, whole, Deposit, subjectOf(t), t.Network},
		Posting{From: Unclaimed(t.Network), To: Dust, Asset: asset, Amount: t.Amount.Sub(whole)},
	)
}
