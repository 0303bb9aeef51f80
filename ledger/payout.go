package ledger

import (
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
)

// PayoutHeld sets a payout's whole debit aside. The merchant sees the recipient's amount, the rate fee and the network
// fee as movements of their own (addendum §6).
func PayoutHeld(p *pay.Payout) Entry {
	from := Available(p.MerchantID)
	return entry(ofPayout("payout_held", p),
		Posting{from, PayoutsHeld, p.Asset, p.Amount, Withdrawal, p.ID, p.Network},
		Posting{from, PayoutsHeld, p.Asset, p.RateFee, Rate, p.ID, p.Network},
		Posting{from, PayoutsHeld, p.Asset, paidNetworkFee(p), Fee, p.ID, p.Network},
	)
}

// PayoutSettled spends the hold: the recipient's amount has left on the network, the fees are earned.
func PayoutSettled(p *pay.Payout) Entry {
	return entry(ofPayout("payout_settled", p),
		Posting{From: PayoutsHeld, To: Outside(p.Network), Asset: p.Asset, Amount: p.Amount},
		Posting{From: PayoutsHeld, To: Fees, Asset: p.Asset, Amount: p.RateFee},
		Posting{From: PayoutsHeld, To: NetworkFees, Asset: p.Asset, Amount: paidNetworkFee(p)},
	)
}

// PayoutRefunded gives the whole debit back. Only with proof that nothing was, or can still be, broadcast (addendum §7).
func PayoutRefunded(p *pay.Payout) Entry {
	refund := entry(ofPayout("payout_refunded", p),
		Posting{PayoutsHeld, Available(p.MerchantID), p.Asset, p.Debit, WithdrawalRefund, p.ID, p.Network},
	)
	_, refund.Panel = pay.OfPanel(p.KeyID)
	return refund
}

// GasSpent books the cost of a transaction of ours on its network, in the native coin; once per transaction, and once
// more after each time it was given back. Turn is how many entries there are for it.
func GasSpent(network, coin, txid string, turn int, cost decimal.Decimal) Entry {
	return entry(ofGas(network, txid, turn), Posting{From: NetworkFees, To: Outside(network), Asset: coin, Amount: cost})
}

// GasGivenBack takes back the last GasSpent of a transaction once final: a reorganisation undid it and another of its
// nonce is final, so it has cost nothing.
func GasGivenBack(network, coin, txid string, turn int, cost decimal.Decimal) Entry {
	return entry(ofGas(network, txid, turn), Posting{From: Outside(network), To: NetworkFees, Asset: coin, Amount: cost})
}

func ofGas(network, txid string, turn int) Reference {
	return Reference{"gas_spent", Gas(network, txid), turn}
}

func paidNetworkFee(p *pay.Payout) decimal.Decimal {
	if p.PaysNetworkFee {
		return p.NetworkFee
	}
	return decimal.Zero
}
