package ledger

import (
	"fmt"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/pay"
)

// PayinCredited adds a transfer to the merchant's locked balance, less rate and network fee; what is finer than the
// ledger's precision goes to dust, so that the ledger equals the chain exactly. The reference counts the credits of the
// transfer: a reorganisation may undo one and repeat it.
func PayinCredited(merchant uuid.UUID, asset string, t *pay.Transfer) Entry {
	locked, subject := Locked(merchant), subjectOf(t)
	return entry("payin_credited", transferReference(t, "credited"),
		Posting{Outside(t.Network), locked, asset, t.Credited, Deposit, subject, t.Network},
		Posting{locked, Fees, asset, t.RateFee, Rate, subject, t.Network},
		Posting{locked, NetworkFees, asset, t.NetworkFee, Fee, subject, t.Network},
		Posting{From: Outside(t.Network), To: Dust, Asset: asset, Amount: t.Amount.Sub(t.Credited), Subject: subject},
	)
}

// PayinFinalised makes a credited transfer available: its network can no longer take it back.
func PayinFinalised(merchant uuid.UUID, asset string, t *pay.Transfer) Entry {
	return entry("payin_finalised", transferReference(t, "final"),
		Posting{From: Locked(merchant), To: Available(merchant), Asset: asset, Amount: t.Net(), Subject: subjectOf(t)},
	)
}

// PayinReversed takes a credit back, because the network undid the transfer: the merchant returns the net credit from
// where it is now, we our fees and the dust. It may leave the merchant owing (addendum §6).
func PayinReversed(merchant uuid.UUID, asset string, t *pay.Transfer) Entry {
	from, subject := Locked(merchant), subjectOf(t)
	if t.Status == pay.TransferFinal {
		from = Available(merchant)
	}
	out := Outside(t.Network)
	return entry("payin_reversed", transferReference(t, "reversed"),
		Posting{from, out, asset, t.Net(), DepositReversal, subject, t.Network},
		Posting{From: Fees, To: out, Asset: asset, Amount: t.RateFee, Subject: subject},
		Posting{From: NetworkFees, To: out, Asset: asset, Amount: t.NetworkFee, Subject: subject},
		Posting{From: Dust, To: out, Asset: asset, Amount: t.Amount.Sub(t.Credited), Subject: subject},
	)
}

// TreasuryOpened books what the hot wallet held of an asset when its network was first followed.
func TreasuryOpened(network, asset string, held decimal.Decimal) Entry {
	return entry("treasury_opened", "treasury-opened:"+network+":"+asset,
		Posting{From: Outside(network), To: Treasury, Asset: asset, Amount: held})
}

// TreasuryFunded books the operator's own money that arrived in a hot wallet.
func TreasuryFunded(asset string, t *pay.Transfer) Entry {
	return entry("treasury_funded", transferReference(t, "treasury"),
		Posting{From: Outside(t.Network), To: Treasury, Asset: asset, Amount: t.Amount})
}

// TreasuryUndone takes TreasuryFunded back after a reorganisation.
func TreasuryUndone(asset string, t *pay.Transfer) Entry {
	return entry("treasury_undone", transferReference(t, "treasury-undone"),
		Posting{From: Treasury, To: Outside(t.Network), Asset: asset, Amount: t.Amount})
}

// UnclaimedHeld books a transfer that no payin may have; it waits for the operator.
func UnclaimedHeld(asset string, t *pay.Transfer) Entry {
	return entry("unclaimed_held", transferReference(t, "unclaimed"),
		Posting{From: Outside(t.Network), To: Unclaimed(t.Network), Asset: asset, Amount: t.Amount})
}

// UnclaimedUndone takes UnclaimedHeld back after a reorganisation.
func UnclaimedUndone(asset string, t *pay.Transfer) Entry {
	return entry("unclaimed_undone", transferReference(t, "unclaimed-undone"),
		Posting{From: Unclaimed(t.Network), To: Outside(t.Network), Asset: asset, Amount: t.Amount})
}

// UnclaimedAssigned gives an unclaimed transfer to a merchant by the operator's decision; available at once.
func UnclaimedAssigned(merchant uuid.UUID, asset string, t *pay.Transfer) Entry {
	whole := t.Amount.Truncate(8)
	return entry("unclaimed_assigned", transferReference(t, "assigned"),
		Posting{Unclaimed(t.Network), Available(merchant), asset, whole, Deposit, subjectOf(t), t.Network},
		Posting{From: Unclaimed(t.Network), To: Dust, Asset: asset, Amount: t.Amount.Sub(whole)},
	)
}

// CreditFees answers the rate fee and network fee of a credit of amount: the rate fee is cut to the precision, the
// network fee never takes the credit below zero (addendum §6).
func CreditFees(amount, ratePercent, networkFee decimal.Decimal, precision int) (rate, network decimal.Decimal) {
	rate = amount.Mul(ratePercent).Shift(-2).Truncate(int32(precision)) //nolint:gosec // a precision is at most 8
	return rate, decimal.Max(decimal.Zero, decimal.Min(networkFee, amount.Sub(rate)))
}

func transferReference(t *pay.Transfer, what string) string {
	return fmt.Sprintf("transfer:%s:%d:%s", t.ID, t.Credits, what)
}

// ReferencesOf are those under which entries about a transfer may stand, for whoever looks them up.
func ReferencesOf(t *pay.Transfer) []string {
	var out []string
	once := *t
	for once.Credits = 0; once.Credits <= t.Credits; once.Credits++ {
		for _, what := range []string{"credited", "final", "reversed", "unclaimed", "unclaimed-undone", "assigned"} {
			out = append(out, transferReference(&once, what))
		}
	}
	return out
}

func subjectOf(t *pay.Transfer) uuid.UUID {
	if t.PayinID != nil {
		return *t.PayinID
	}
	return t.ID
}
