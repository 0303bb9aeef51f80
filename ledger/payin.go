package ledger

import (
	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/pay"
)

// PayinCredited adds a transfer to the merchant's locked balance, less rate and network fee; what is finer than the
// ledger's precision goes to dust, so that the ledger equals the chain exactly.
func PayinCredited(merchant uuid.UUID, asset string, t *pay.Transfer) Entry {
	locked, subject := Locked(merchant), subjectOf(t)
	return entry(ofTransfer("payin_credited", t),
		Posting{Outside(t.Network), locked, asset, t.Credited, Deposit, subject, t.Network},
		Posting{locked, Fees, asset, t.RateFee, Rate, subject, t.Network},
		Posting{locked, NetworkFees, asset, t.NetworkFee, Fee, subject, t.Network},
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
	from := Locked(merchant)
	if t.Status == pay.TransferFinal {
		from = Available(merchant)
	}
	out := Outside(t.Network)
	return entry(ofTransfer("payin_reversed", t),
		Posting{from, out, asset, t.Net(), DepositReversal, subjectOf(t), t.Network},
		Posting{From: Fees, To: out, Asset: asset, Amount: t.RateFee},
		Posting{From: NetworkFees, To: out, Asset: asset, Amount: t.NetworkFee},
		Posting{From: Dust, To: out, Asset: asset, Amount: t.Amount.Sub(t.Credited)},
	)
}

// TreasuryOpened books what the hot wallet held of an asset when its network was first followed.
func TreasuryOpened(network, asset string, held decimal.Decimal) Entry {
	return entry(ofName("treasury_opened", "treasury-opened:"+network+":"+asset),
		Posting{From: Outside(network), To: Treasury, Asset: asset, Amount: held})
}

// TreasuryFunded books the operator's own money that arrived in a hot wallet.
func TreasuryFunded(asset string, t *pay.Transfer) Entry {
	return entry(ofTransfer("treasury_funded", t),
		Posting{From: Outside(t.Network), To: Treasury, Asset: asset, Amount: t.Amount})
}

// TreasuryUndone takes TreasuryFunded back after a reorganisation.
func TreasuryUndone(asset string, t *pay.Transfer) Entry {
	return entry(ofTransfer("treasury_undone", t),
		Posting{From: Treasury, To: Outside(t.Network), Asset: asset, Amount: t.Amount})
}

// UnclaimedHeld books a transfer that no payin may have; it waits for the operator.
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
	whole, to := t.Amount.Truncate(Places), Available(merchant)
	if t.Status == pay.TransferCredited {
		to = Locked(merchant)
	}
	return entry(ofTransfer("unclaimed_assigned", t),
		Posting{Unclaimed(t.Network), to, asset, whole, Deposit, subjectOf(t), t.Network},
		Posting{From: Unclaimed(t.Network), To: Dust, Asset: asset, Amount: t.Amount.Sub(whole)},
	)
}

// CreditFees returns the rate fee and network fee of a credit of amount: the rate fee is cut to the precision, the
// network fee never takes the credit below zero (addendum §6).
func CreditFees(amount, ratePercent, networkFee decimal.Decimal, precision int) (rate, network decimal.Decimal) {
	rate = amount.Mul(ratePercent).Shift(-2).Truncate(int32(precision)) //nolint:gosec // a precision is at most 8
	return rate, decimal.Max(decimal.Zero, decimal.Min(networkFee, amount.Sub(rate)))
}

func subjectOf(t *pay.Transfer) uuid.UUID {
	if t.PayinID != nil {
		return *t.PayinID
	}
	return t.ID
}
