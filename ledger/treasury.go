package ledger

import (
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
)

// TreasuryOpened books what the hot wallet held of an asset when this chain of its network was first followed.
func TreasuryOpened(network, chain, asset string, held decimal.Decimal) Entry {
	return entry(ofName("treasury_opened", "treasury-opened:"+network+":"+chain+":"+asset),
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

// TreasuryLost books what left a hot wallet by a transaction that our books do not know and that has paid none of their
// payouts. Place names the transfer in the chain.
func TreasuryLost(network, asset, place string, amount decimal.Decimal) Entry {
	return entry(ofName("treasury_lost", "unknown-spend:"+place),
		Posting{From: Treasury, To: Outside(network), Asset: asset, Amount: amount})
}

// TreasuryRestored takes TreasuryLost back: it has become known which payout was paid.
func TreasuryRestored(network, asset, place string, amount decimal.Decimal) Entry {
	return entry(ofName("treasury_corrected", "unknown-spend-known:"+place),
		Posting{From: Outside(network), To: Treasury, Asset: asset, Amount: amount})
}

// TreasuryCorrected makes the ledger agree with what our addresses hold, by an operator's decision: more is the treasury's
// gain, less its loss. Each correction has a reference of its own.
func TreasuryCorrected(network, asset, reference string, amount decimal.Decimal) Entry {
	p := Posting{From: Outside(network), To: Treasury, Asset: asset, Amount: amount}
	if amount.IsNegative() {
		p = Posting{From: Treasury, To: Outside(network), Asset: asset, Amount: amount.Neg()}
	}
	return entry(ofName("treasury_corrected", "treasury-correction:"+reference), p)
}
