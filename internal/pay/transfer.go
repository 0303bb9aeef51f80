package pay

import (
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
)

// TransferStatus is where a transfer stands.
type TransferStatus string

// The statuses of a transfer.
const (
	TransferSeen      TransferStatus = "seen"      // in the mempool or in a block, not yet counted
	TransferCredited  TransferStatus = "credited"  // on the balance, locked
	TransferFinal     TransferStatus = "final"     // on the balance, available
	TransferDropped   TransferStatus = "dropped"   // gone from the chain; may come back
	TransferUnclaimed TransferStatus = "unclaimed" // no payin may have it; the operator decides
	TransferIgnored   TransferStatus = "ignored"   // the operator decided, or it is too little to ask about
	TransferTreasury  TransferStatus = "treasury"  // the operator's own money, sent to the hot wallet
)

// Transfer is a movement seen on a chain to one of our addresses.
type Transfer struct {
	ID          uuid.UUID `bun:",pk"`
	Network     string
	Txid        string
	Token       string
	Position    int // counts the transfers of this token within the transaction
	Sender      string
	Address     string
	Memo        string
	Amount      decimal.Decimal // exact, as on the chain
	PayinID     *uuid.UUID
	Status      TransferStatus
	Height      *int64          // nil in the mempool
	CreditAfter CreditDepth     // how deep its block is when it is credited
	Credits     int             // how often it was credited; reorganisations undo and repeat
	Credited    decimal.Decimal // at ledger precision
	RateFee     decimal.Decimal
	NetworkFee  decimal.Decimal
	Counted     decimal.Decimal     // towards the payin, in the payin's token
	Worth       decimal.NullDecimal // of a late transfer: Counted, in the payin's fiat, when it was credited (addendum §8)
	Weight      decimal.NullDecimal // of a late transfer: towards completing the payin, in its token; unset = Counted
	Reason      *string
	MinedAt     *time.Time // of its first block, by the block's own time; nil in the mempool
	SeenAt      time.Time
	UpdatedAt   time.Time
}

// OnBalance reports whether the transfer is credited to a merchant's balance, locked or available.
func (t *Transfer) OnBalance() bool { return t.Status == TransferCredited || t.Status == TransferFinal }

// Arrived returns when a transfer was there: when it was seen, or when its first block was made, the earlier of the two.
func (t *Transfer) Arrived() time.Time {
	if t.MinedAt != nil && t.MinedAt.Before(t.SeenAt) {
		return *t.MinedAt
	}
	return t.SeenAt
}

// Weighs returns the weight of the transfer towards completing its payin.
func (t *Transfer) Weighs() decimal.Decimal {
	if t.Weight.Valid {
		return t.Weight.Decimal
	}
	return t.Counted
}

// Net returns the addition to the balance by a credit: T less rate and network fee (addendum §6).
func (t *Transfer) Net() decimal.Decimal { return t.Credited.Sub(t.RateFee).Sub(t.NetworkFee) }
