package pay

import (
	"slices"
	"strconv"
	"strings"
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

// PayoutStatuses are all of them, in the order of a payout's life.
var PayoutStatuses = []string{string(PayoutQueued), string(PayoutSigned), string(PayoutSent), string(PayoutCompleted), string(PayoutFailed),
	string(PayoutRefunded)}

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

// Ended reports whether the payout is decided: completed, failed or refunded. Earlier it is "pending" on the wire.
func (s PayoutStatus) Ended() bool { return s.Public() != "pending" }

// ProcessBy selects the deciding amount of a request (api-v1 §Payout request object).
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
	Amount         decimal.Decimal     `json:"amount"`   // the recipient's
	Debit          decimal.Decimal     `json:"debit"`    // taken from the balance
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
	Seal           []byte              `json:"-"` // of Sealed, by a key kept outside the database
	Status         PayoutStatus        `json:"-"`
	Cancelling     bool                `json:"-"` // the operator asked to stop it, if this can still be proven
	Reason         *string             `json:"-"` // why it failed
	Txid           *string             `json:"-"`
	CreatedAt      time.Time           `json:"-"`
	UpdatedAt      time.Time           `json:"-"`
}

// panelMark begins the key of what was made in the panel, in place of an API key. No id of an API key has a colon.
const panelMark = "panel:"

const panelForm = "panel-" // begins a reference of the panel

// PanelKey is the key of what a person made in the panel.
func PanelKey(email string) string { return panelMark + email }

// OfPanel reports whether a key is that of the panel, and returns the person. The API lists and checks nothing of the panel.
func OfPanel(key string) (email string, yes bool) { return strings.CutPrefix(key, panelMark) }

const operatorMark = "operator " // an e-mail address has no space

// OperatorKey is the key of what an operator makes for a merchant, by the name in the audit. It is a key of the panel.
func OperatorKey(actor string) string { return PanelKey(operatorMark + actor) }

// OfOperator reports whether the person that OfPanel returns is an operator.
func OfOperator(person string) bool { return strings.HasPrefix(person, operatorMark) }

// PanelReference is the reference of what a form of the panel records, so that one form records one thing. A form with a file records one
// for each line, from 1; line 0 is a form without a file.
func PanelReference(form uuid.UUID, line int) string {
	if line == 0 {
		return panelForm + form.String()
	}
	return panelForm + form.String() + "-" + strconv.Itoa(line)
}

// Sealed returns the fields under the seal of a payout: its id, merchant, receiver with memo, token, network and amounts.
func (p *Payout) Sealed() []string {
	memo, has := "", "0"
	if p.Memo != nil {
		memo, has = *p.Memo, "1"
	}
	return []string{string(p.ID[:]), string(p.MerchantID[:]), p.Wallet, has, memo, p.Token, p.Network, DecimalText(p.Amount), DecimalText(p.Debit)}
}
