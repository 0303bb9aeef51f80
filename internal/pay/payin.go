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

// PayinStatuses are all of them.
var PayinStatuses = []string{string(PayinPending), string(PayinCompleted), string(PayinFailed), string(PayinReversed)}

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
	MinimumPayment decimal.Decimal // percent of Amount needed to complete it
	CreditAfter    CreditDepth     // when transfers on Network are credited, where they bring no more than it asks for
	CustomerInfo   *string
	WebhookURL     string
	ReturnURL      string     // the shop's page for its payer; "" for none
	WalletID       *uuid.UUID // the receiving fixed wallet; nil for other payins
	Status         PayinStatus
	Received       decimal.Decimal // credited, in Token
	ReversedAt     *time.Time
	Reversal       json.RawMessage `bun:",nullzero"` // asset -> amount removed
	CreatedAt      time.Time
	UpdatedAt      time.Time
	ExpiresAt      time.Time
	GivenBack      bool // something was refunded before the payin was completed: it is completed no more
}

// Enough reports whether Received completes the payin.
func (p *Payin) Enough() bool { return p.enough(p.Received) }

// EnoughBy reports whether transfers complete the payin. Late ones may weigh less or more than they count (addendum §8). A payin of which
// something was given back before is completed by nothing.
func (p *Payin) EnoughBy(transfers *PayinTransfers) bool {
	return !p.GivenBack && p.enough(transfers.Weight())
}

// Late reports whether a transfer came after the payin's time.
func (p *Payin) Late(t *Transfer) bool { return t.Arrived().After(p.ExpiresAt) }

func (p *Payin) enough(amount decimal.Decimal) bool {
	return amount.Mul(decimal.NewFromInt(100)).GreaterThanOrEqual(p.Amount.Mul(p.MinimumPayment))
}

// PaymentStatus compares Received with Amount: partial, exact, overpaid, or nil while none of its transfers is credited. A
// transfer in a token without a price is a payment, though it counts nothing (addendum §8).
func (p *Payin) PaymentStatus(transfers *PayinTransfers) *string {
	if !transfers.Paid() {
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

// TakenBack returns the amounts taken back by networks and not given again, by asset (api-v1 §Payin record). It is empty, and
// never nil, if the payin has everything.
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
