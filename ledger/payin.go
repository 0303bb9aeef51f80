package ledger

import (
	"github.com/google/uuid"

	"causeway/internal/pay"
)

// PayinCredited adds a transfer to the merchant's balance, less rate and network fee: to the available part if
// the transfer is final already, else to the locked one. The part finer than the ledger's precision goes to dust, so the ledger equals the chain exactly.
func PayinCredited(merchant uuid.UUID, asset string, t *pay.Transfer) Entry {
	to, subject := balanceOf(merchant, t), subjectOf(t)
	return entry(ofTransfer("payin_credited", t),
		Posting{Outside(t.Network), to, asset, t.Credited, Deposit, subject, t.Network},
		Posting{to, Fees, asset, t.RateFee, Rate, subject, t.Network},
		Posting{to, NetworkFees, asset, t.NetworkFee, Fee, subject, t.Network},
		Posting{From: Outside(t.Network), To: Dust, Asset: asset, Amount: t.Amount.Sub(t.Credited)},
	)
}

// PayinFinalised makes a credited transfer available: its network can no longer take it back.
func PayinFinalised(merchant uuid.UUID, asset string, t *pay.Transfer) Entry {
	return entry(ofTransfer("payin_finalised", t),
		Posting{From: Locked(merchant), To: Available(merchant), Asset: asset, Amount: t.Net()},
	)
}

// PayinReversed takes a credit back, because the network undid the transfer: the merchant returns the net credit from
// where it is now, we our fees and the dust. It may leave the merchant owing (addendum §6).
func PayinReversed(merchant uuid.UUID, asset string, t *pay.Transfer) Entry {
	from, out := balanceOf(merchant, t), Outside(t.Network)
	return entry(ofTransfer("payin_reversed", t),
		Posting{from, out, asset, t.Net(), DepositReversal, subjectOf(t), t.Network},
		Posting{From: Fees, To: out, Asset: asset, Amount: t.RateFee},
		Posting{From: NetworkFees, To: out, Asset: asset, Amount: t.NetworkFee},
		Posting{From: Dust, To: out, Asset: asset, Amount: t.Amount.Sub(t.Credited)},
	)
}

// OfPayin marks an entry of a payin that was made in the panel: the API shows none of its movements.
func OfPayin(p *pay.Payin, e Entry) Entry {
	_, e.Panel = pay.OfPanel(p.KeyID)
	return e
}

// balanceOf returns where the money of a transfer is in its merchant's balance.
func balanceOf(merchant uuid.UUID, t *pay.Transfer) string {
	if t.Status == pay.TransferFinal {
		return Available(merchant)
	}
	return Locked(merchant)
}

func subjectOf(t *pay.Transfer) uuid.UUID {
	if t.PayinID != nil {
		return *t.PayinID
	}
	return t.ID
}
