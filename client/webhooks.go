package client

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// The events (api-v1 §Events).
const (
	PaymentProcessed = "payment_processed"
	PaymentFailed    = "payment_failed"
	PaymentDetected  = "payment_detected"
	PaymentConfirmed = "payment_confirmed"
	PaymentReversed  = "payment_reversed"
	PaymentUpdated   = "payment_updated" // an extension
)

// webhookTolerance is how old, or how far ahead, a notice may be (addendum §2).
const webhookTolerance = 300 * time.Second

// ErrWebhook means a webhook is not to be trusted: its signature is bad, or its timestamp too far from now.
var ErrWebhook = errors.New("the webhook is not to be trusted")

// Notice is a verified webhook. Deduplicate by Data.InternalReference together with Event: the same notice may come more than
// once, under the same Delivery or another. A payment_reversed ends this for its payin: a later notice under another Delivery
// is news unless it is a duplicate (api-v1 §Events rule 1). Each payment_updated is news: deduplicate it by Delivery alone.
type Notice struct {
	Event     string     `json:"event"`
	Timestamp Moment     `json:"timestamp"`
	Data      NoticeData `json:"data"`
	Delivery  string     `json:"-"`
}

// NoticeData tells of a payout or a payin (addendum §11); the fields of only one of them are empty for the other.
type NoticeData struct {
	Status            string               `json:"status"` // success, failed, reversed or pending
	ReferenceID       string               `json:"reference_id"`
	InternalReference string               `json:"internal_reference"`
	Network           string               `json:"network"`
	CryptoCurrency    string               `json:"crypto_currency"`
	CryptoAmount      string               `json:"crypto_amount"`
	FiatCurrency      string               `json:"fiat_currency"`
	FiatAmount        *string              `json:"fiat_amount"`
	Wallet            string               `json:"wallet"`
	Memo              *string              `json:"memo"`
	NetworkFee        string               `json:"network_fee"`
	PercentRate       string               `json:"percent_rate"`
	Transactions      []string             `json:"transactions"`
	Reason            string               `json:"reason"`
	CustomerInfo      *string              `json:"customer_info"`
	ReceivedAmount    string               `json:"received_amount"`
	PaymentStatus     *string              `json:"payment_status"`
	Payments          []Payment            `json:"payments"`
	PaymentsOmitted   *PaymentsOmitted     `json:"payments_omitted"` // of a payin with more than 500 transfers
	Txids             Hashes               `json:"txid"`
	FundsAvailable    bool                 `json:"funds_available"`
	FinalityStatus    string               `json:"finality_status"`
	IsWalletFixed     bool                 `json:"is_wallet_fixed"`
	IsDuplicated      bool                 `json:"is_duplicated"`
	Reversal          *Reversal            `json:"reversal"`
	DetectedAmount    string               `json:"detected_amount"`      // of payment_detected: seen or credited, in CryptoCurrency
	Unconfirmed       []UnconfirmedPayment `json:"unconfirmed_payments"` // of payment_detected; their confirmations are zero
	Late              bool                 `json:"late"`                 // some of the money came after the payin's time,
	WorthAtArrival    *string              `json:"worth_at_arrival"`     // worth so much in FiatCurrency when it was credited; nil without a price
	Transfers         []Payment            `json:"transfers"`            // of payment_updated, with Reason partial, overpaid, late or final
}

// Verifier verifies webhooks of one account.
type Verifier struct {
	Secrets      []string         // the live webhook secrets; two while one is rotated. Empty ones are left out
	HeaderPrefix string           // DefaultHeaderPrefix when empty
	Now          func() time.Time // time.Now when nil
}

// VerifyWebhook reads a notice from the headers and the exact body of a webhook, or returns ErrWebhook.
func VerifyWebhook(h http.Header, body []byte, secrets ...string) (*Notice, error) {
	return Verifier{Secrets: secrets}.Verify(h, body)
}

// Verify is VerifyWebhook with the verifier's settings.
func (v Verifier) Verify(h http.Header, body []byte) (*Notice, error) {
	timestamp, delivery := h.Get(header(v.HeaderPrefix, "Timestamp")), h.Get(header(v.HeaderPrefix, "Delivery"))
	if !v.fresh(timestamp) {
		return nil, fmt.Errorf("%w: its timestamp is missing or too far from now", ErrWebhook)
	}
	sum := sha256.Sum256(body)
	signed := "v1\n" + timestamp + "\n" + delivery + "\n" + hex.EncodeToString(sum[:])
	if !v.signs(h.Get(header(v.HeaderPrefix, "Signature")), signed) {
		return nil, fmt.Errorf("%w: no signature matches", ErrWebhook)
	}
	notice := &Notice{Delivery: delivery}
	if err := json.Unmarshal(body, notice); err != nil {
		return nil, fmt.Errorf("read the webhook: %w", err)
	}
	return notice, nil
}

func (v Verifier) fresh(timestamp string) bool {
	now := time.Now
	if v.Now != nil {
		now = v.Now
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	return err == nil && now().Sub(time.Unix(seconds, 0)).Abs() <= webhookTolerance
}

// signs reports whether any secret makes any of the signatures, written v1=<hex> with commas between. An empty secret
// makes none: anybody could sign with it.
func (v Verifier) signs(signatures, text string) (matched bool) {
	for _, secret := range v.Secrets {
		if secret == "" {
			continue
		}
		want := []byte("v1=" + hmacOf(secret, text))
		for part := range strings.SplitSeq(signatures, ",") {
			matched = hmac.Equal([]byte(strings.TrimSpace(part)), want) || matched
		}
	}
	return matched
}
