package ledger

import (
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
)

// TreasuryOpened books the hot wallet's balance of an asset when this chain of its network was first followed.
func TreasuryOpened(network, chain, asset string, held decimal.Decimal) Entry {
	return entry(ofName("treasury_opened", "treasury-opened:"+network+":"+chain+":"+asset),
		Posting{From: Outside(network), To: Treasury, Asset: asset, Amount: held})
}

// ColdOpened books a cold address's balance of an asset, at the block from which it is watched. Turn is how many entries there are for it.
func ColdOpened(network, address, asset string, turn int, held decimal.Decimal) Entry {
	return entry(ofCold(network, address, asset, turn), Posting{From: Outside(network), To: Treasury, Asset: asset, Amount: held})
}

// ColdUndone takes the last ColdOpened back: a reorganisation has undone its block.
func ColdUndone(network, address, asset string, turn int, held decimal.Decimal) Entry {
	return entry(ofCold(network, address, asset, turn), Posting{From: Treasury, To: Outside(network), Asset: asset, Amount: held})
}

func ofCold(network, address, asset string, turn int) Reference {
	return Reference{"treasury_opened", Cold(network, address, asset), turn}
}

// TreasuryFunded books the operator's own money arriving in a hot wallet, or at a cold address.
func TreasuryFunded(asset string, t *pay.Transfer) Entry {
	return entry(ofTransfer("treasury_funded", t),
		Posting{From: Outside(t.Network), To: Treasury, Asset: asset, Amount: t.Amount})
}

// TreasuryUndone takes TreasuryFunded back after a reorganisation.
func TreasuryUndone(asset string, t *pay.Transfer) Entry {
	return entry(ofTransfer("treasury_undone", t),
		Posting{From: Treasury, To: Outside(t.Network), Asset: asset, Amount: t.Amount})
}

// TreasuryLost books a transfer out of a hot wallet by a transaction unknown to our books, and paying none of their
// payouts. Place names the transfer in the chain.
func TreasuryLost(network, asset, place string, amount decimal.Decimal) Entry {
	return entry(ofName("treasury_lost", "unknown-spend:"+place),
		Posting{From: Treasury, To: Outside(network), Asset: asset, Amount: amount})
}

// TreasuryRestored takes TreasuryLost back: the payout paid by it has become known.
func TreasuryRestored(network, asset, place string, amount decimal.Decimal) Entry {
	return entry(ofName("treasury_corrected", "unknown-spend-known:"+place),
		Posting{From: Outside(network), To: Treasury, Asset: asset, Amount: amount})
}

// MoveKept books what a token has kept of a move between our addresses, once for its transaction and amount.
func MoveKept(network, asset, txid string, amount decimal.Decimal) Entry {
	return entry(ofName("treasury_corrected", "move-kept:"+network+":"+txid+":"+amount.String()),
		Posting{From: Treasury, To: Outside(network), Asset: asset, Amount: amount})
}

// TreasuryCorrected makes the ledger agree with the holdings of our addresses, by an operator's decision: more is the
// treasury's gain, less its loss. Each correction has a reference of its own.
func TreasuryCorrected(network, asset, reference string, amount decimal.Decimal) Entry {
	p := Posting{From: Outside(network), To: Treasury, Asset: asset, Amount: amount}
	if amount.IsNegative() {
		p = Posting{From: Treasury, To: Outside(network), Asset: asset, Amount: amount.Neg()}
	}
	return entry(ofName("treasury_corrected", "treasury-correction:"+reference), p)
}
