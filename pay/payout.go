package pay

import (
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
)

// PayoutStatus is where a payout stands. The first three are all "pending" on the wire (addendum §7).
type PayoutStatus string

// The statuses of a payout.
const (
	PayoutQueued    PayoutStatus = "queued"    // debited; nothing was signed
	PayoutSigned    PayoutStatus = "signed"    // bytes are saved; they may have been sent
	PayoutSent      PayoutStatus = "sent"      // the network has taken the bytes
	PayoutCompleted PayoutStatus = "completed" // final on the network
	PayoutFailed    PayoutStatus = "failed"    // proven never to be broadcast, or reverted
	PayoutRefunded  PayoutStatus = "refunded"  // failed, and the debit was returned
)

var payoutMoves = map[PayoutStatus][]PayoutStatus{
	PayoutQueued: {PayoutSigned, PayoutFailed},
	PayoutSigned: {PayoutSent, PayoutCompleted, PayoutFailed},
	PayoutSent:   {PayoutCompleted, PayoutFailed},
	PayoutFailed: {PayoutRefunded},
}

// May reports whether a payout may move from s to next.
func (s PayoutStatus) May(next PayoutStatus) bool { return slices.Contains(payoutMoves[s], next) }

// Public returns the status as the wire names it: pending, completed, failed or refunded.
func (s PayoutStatus) Public() string {
	switch s {
	case PayoutQueued, PayoutSigned, PayoutSent:
		return "pending"
	default:
		return string(s)
	}
}

// ProcessBy selects the amount of a request that counts (api-v1 §Payout request object).
type ProcessBy string

// The two ways to say an amount.
const (
	ByCrypto ProcessBy = "crypto_amount"
	ByFiat   ProcessBy = "fiat_amount"
)

// Payout is a request to send money (api-v1 §Payout record). The JSON names are those of its table's columns.
type Payout struct {
	ID             uuid.UUID           `bun:",pk" json:"id"`
	MerchantID     uuid.UUID           `json:"merchant_id"`
	KeyID          string              `json:"key_id"`
	ReferenceID    string              `json:"reference_id"`
	Wallet         string              `json:"wallet"`
	Memo           *string             `json:"memo"`
	Token          string              `json:"token"`
	Asset          string              `json:"asset"`
	Network        string              `json:"network"`
	ProcessBy      ProcessBy           `json:"process_by"`
	Amount         decimal.Decimal     `json:"amount"`   // what the recipient gets
	Debit          decimal.Decimal     `json:"debit"`    // what leaves the balance
	RateFee        decimal.Decimal     `json:"rate_fee"` // part of Debit
	NetworkFee     decimal.Decimal     `json:"network_fee"`
	PaysNetworkFee bool                `json:"pays_network_fee"` // NetworkFee is part of Debit
	FeeFromAmount  bool                `json:"fee_from_amount"`
	PercentRate    decimal.Decimal     `json:"percent_rate"`
	FiatCurrency   string              `json:"fiat_currency"`
	FiatAmount     decimal.NullDecimal `json:"fiat_amount"`
	Price          decimal.NullDecimal `json:"price"` // the quote used: fiat for one token
	CustomerInfo   *string             `json:"customer_info"`
	WebhookURL     string              `json:"webhook_url"`
	Status         PayoutStatus        `json:"-"`
	Cancelling     bool                `json:"-"` // the operator asked to stop it, if that can still be proven
	Reason         *string             `json:"-"` // why it failed
	Txid           *string             `json:"-"`
	CreatedAt      time.Time           `json:"-"`
	UpdatedAt      time.Time           `json:"-"`
}

// SignedState is where one signed transaction stands.
type SignedState string

// The states of a signed transaction.
const (
	TxSigned   SignedState = "signed"   // saved; may or may not have been sent
	TxSent     SignedState = "sent"     // the network has it
	TxRejected SignedState = "rejected" // the network will never take it
	TxMined    SignedState = "mined"
	TxFinal    SignedState = "final"
	TxReverted SignedState = "reverted" // final, but it moved nothing
	TxReplaced SignedState = "replaced" // another of the same nonce is final
)

// What a transaction was signed for.
const (
	PurposePay    = "pay"    // to pay the payout
	PurposeCancel = "cancel" // to take the nonce and move nothing, so that the payout can no longer be paid
)

// SignedTransaction is one transaction ever signed for a payout, kept with its bytes before it is sent.
// Several of one payout share a nonce: at most one of them can ever be mined.
type SignedTransaction struct {
	Network  string `bun:",pk"`
	Txid     string `bun:",pk"`
	PayoutID uuid.UUID
	Purpose  string // PurposePay or PurposeCancel
	Address  string // the hot wallet
	Nonce    int64
	Raw      []byte
	Fee      decimal.Decimal // the most it can cost, in the native coin
	State    SignedState
	Height   *int64     // the block it is in
	Block    *uuid.UUID // and what that one's hash comes to, while it is not final
	SignedAt time.Time
	SentAt   *time.Time
	Sent     time.Duration `bun:",scanonly"` // ago, by the database's clock; before it is sent, since it was signed
}
