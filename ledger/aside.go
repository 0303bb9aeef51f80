package ledger

import (
	"strconv"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
)

// Aside is the subject of the entries of BesideReceived and CostTaken: the amount has its sign, since the same place in a transaction
// may move another amount after a reorganisation.
func Aside(network, txid string, position int, address string, amount decimal.Decimal) uuid.UUID {
	return Named("aside:" + network + ":" + txid + ":" + strconv.Itoa(position) + ":" + address + ":" + amount.String())
}

// BesideReceived books native coin that has come to an address of ours and is no payment.
func BesideReceived(network, coin string, subject uuid.UUID, turn int, amount decimal.Decimal) Entry {
	return entry(Reference{"beside_received", subject, turn}, Posting{From: Outside(network), To: NetworkFees, Asset: coin, Amount: amount})
}

// BesideUndone takes the last BesideReceived back: a reorganisation has undone its block.
func BesideUndone(network, coin string, subject uuid.UUID, turn int, amount decimal.Decimal) Entry {
	return entry(Reference{"beside_received", subject, turn}, Posting{From: NetworkFees, To: Outside(network), Asset: coin, Amount: amount})
}

// CostTaken books native coin that transactions of others have taken from an address of ours.
func CostTaken(network, coin string, subject uuid.UUID, turn int, cost decimal.Decimal) Entry {
	return entry(Reference{"cost_taken", subject, turn}, Posting{From: NetworkFees, To: Outside(network), Asset: coin, Amount: cost})
}

// CostUndone takes the last CostTaken back: a reorganisation has undone its block.
func CostUndone(network, coin string, subject uuid.UUID, turn int, cost decimal.Decimal) Entry {
	return entry(Reference{"cost_taken", subject, turn}, Posting{From: Outside(network), To: NetworkFees, Asset: coin, Amount: cost})
}
