package pay

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
)

// PayinStatus is where a payin stands (addendum §8).
type PayinStatus string

// The statuses of a payin.
const (
	PayinPending   PayinStatus = "pending"
	PayinCompleted PayinStatus = "completed"
	PayinFailed    PayinStatus = "failed"
	PayinReversed  PayinStatus = "reversed"
)

var payinMoves = map[PayinStatus][]PayinStatus{
	PayinPending:   {PayinCompleted, PayinFailed, PayinReversed},
	PayinFailed:    {PayinCompleted, PayinReversed},
	PayinCompleted: {PayinReversed},
	PayinReversed:  {PayinCompleted, PayinPending, PayinFailed}, // the same transfers mined again, or others in their place
}

// May reports whether a payin may move from s to next.
func (s PayinStatus) May(next PayinStatus) bool { return slices.Contains(payinMoves[s], next) }

// Payin is a request to receive money, or a transfer to a fixed wallet (api-v1 §Payin record).
type Payin struct {
	ID             uuid.UUID `bun:",pk"`
	MerchantID     uuid.UUID
	KeyID          string
	ReferenceID    string
	Wallet         string
	Memo           *string
	Token          string
	Asset          string
	Network        string
	ProcessBy      ProcessBy
	Amount         decimal.Decimal
	FiatCurrency   string
	FiatAmount     decimal.NullDecimal
	Price          decimal.NullDecimal // the quote used: fiat for one token
	PercentRate    decimal.Decimal
	PaysNetworkFee bool            // the merchant bears the network fee of each credit (addendum §6)
	NetworkFee     decimal.Decimal // of Token on Network; zero when the merchant does not pay it
	MinimumPayment decimal.Decimal // percent of Amount that completes it
	CustomerInfo   *string
	WebhookURL     string
	WalletID       *uuid.UUID // the fixed wallet that received it
	Status         PayinStatus
	Received       decimal.Decimal // credited, in Token
	ReversedAt     *time.Time
	Reversal       json.RawMessage `bun:",nullzero"` // asset -> amount removed
	CreatedAt      time.Time
	UpdatedAt      time.Time
	ExpiresAt      time.Time
}

// Enough reports whether what was received completes the payin.
func (p *Payin) Enough() bool {
	return p.Received.Mul(decimal.NewFromInt(100)).GreaterThanOrEqual(p.Amount.Mul(p.MinimumPayment))
}

// PaymentStatus compares what was received with what was asked: partial, exact, overpaid, or nil while none of its
// transfers is credited. One in a token without a price is a payment, though it counts nothing (addendum §8).
func (p *Payin) PaymentStatus(transfers []Transfer) *string {
	if !slices.ContainsFunc(transfers, func(t Transfer) bool { return t.OnBalance() }) {
		return nil
	}
	word := "exact"
	switch p.Received.Cmp(p.Amount) {
	case -1:
		word = "partial"
	case 1:
		word = "overpaid"
	}
	return &word
}

// TakenBack returns what networks have taken back of the payin and not given again, by asset (api-v1 §Payin record): empty, and
// never nil, for one that has everything.
func (p *Payin) TakenBack() (map[string]decimal.Decimal, error) {
	amounts := map[string]decimal.Decimal{}
	if len(p.Reversal) == 0 {
		return amounts, nil
	}
	if err := json.Unmarshal(p.Reversal, &amounts); err != nil {
		return nil, fmt.Errorf("read reversal of payin %s: %w", p.ID, err)
	}
	return amounts, nil
}

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
	ID         uuid.UUID `bun:",pk"`
	Network    string
	Txid       string
	Token      string
	Position   int // counts the transfers of this token within the transaction
	Sender     string
	Address    string
	Memo       string
	Amount     decimal.Decimal // exact, as on the chain
	PayinID    *uuid.UUID
	Status     TransferStatus
	Height     *int64          // nil in the mempool
	Credits    int             // how often it was credited; reorganisations undo and repeat
	Credited   decimal.Decimal // at ledger precision
	RateFee    decimal.Decimal
	NetworkFee decimal.Decimal
	Counted    decimal.Decimal // towards the payin, in the payin's token
	Reason     *string
	SeenAt     time.Time
	UpdatedAt  time.Time
}

// OnBalance reports whether the transfer is credited to a merchant's balance, locked or available.
func (t *Transfer) OnBalance() bool { return t.Status == TransferCredited || t.Status == TransferFinal }

// Net returns what a credit adds to the balance: T less rate and network fee (addendum §6).
func (t *Transfer) Net() decimal.Decimal { return t.Credited.Sub(t.RateFee).Sub(t.NetworkFee) }

// Address is one of ours on a chain. Match is the spelling under which transfers to it are found.
type Address struct {
	ID       int64  `bun:",pk,autoincrement"`
	Family   Family `bun:"family"`
	Match    string
	Address  string
	Memo     string
	Position int64 // derivation index
	PayinID  *uuid.UUID
	WalletID *uuid.UUID
}

// WalletStatus is where a fixed wallet stands.
type WalletStatus string

// The statuses of a fixed wallet.
const (
	WalletAssigned WalletStatus = "STATUS_ASSIGNED"
	WalletRevoked  WalletStatus = "STATUS_REVOKED"
)

// OriginAPI is the origin of the fixed wallets that were created through the API. Others are a panel's: the API neither
// lists nor counts them, and deposits to them have the deposit rate (api-v1 §Account summary, §GET /v1/fixed-wallets).
const OriginAPI = "external_api"

// Wallet is a merchant's permanent deposit address for one customer (api-v1 §Fixed wallet record).
type Wallet struct {
	ID                uuid.UUID `bun:",pk"`
	MerchantID        uuid.UUID
	Family            Family `bun:"family"`
	CustomerInfo      string
	Wallet            string
	Memo              string
	Origin            string
	Status            WalletStatus
	LastTransactionAt *time.Time
	RevokeAt          *time.Time
	CreatedAt         time.Time
	UpdatedAt         time.Time
}
