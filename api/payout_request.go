package api

import (
	"bytes"
	"encoding/json"

	"causeway/api/input"
	"causeway/internal/pay"
)

// PayoutRequest is one payout as it is documented (api-v1 §Payout request object); payoutFields is how it is read.
type PayoutRequest struct {
	Wallet             string `json:"wallet" required:"true" pattern:"^\\s*\\S[\\s\\S]{18,118}\\S\\s*$"`
	CryptoCurrency     string `json:"crypto_currency" required:"true" minLength:"1"`
	ProcessBy          string `json:"process_by" required:"true" enum:"crypto_amount,fiat_amount"`
	ReferenceID        any    `json:"reference_id" required:"true" maxLength:"255" description:"Text of 1 to 255 characters, or an integer."`
	Network            string `json:"network" required:"true" minLength:"1"`
	FeeTakenFromAmount any    `json:"feetakenfromamount" required:"true" description:"0 or 1, as a number or text."`
	WebhookURL         string `json:"webhook_url" required:"true" maxLength:"756"`
	FiatCurrency       string `json:"fiat_currency,omitempty"`
	CryptoAmount       any    `json:"crypto_amount,omitempty" description:"A plain decimal, as text or a number."`
	FiatAmount         any    `json:"fiat_amount,omitempty" description:"A plain decimal, as text or a number."`
	CustomerInfo       string `json:"customer_info,omitempty" maxLength:"200" pattern:"^\\S*$"`
	Memo               string `json:"memo,omitempty" pattern:"^([0-9]{8,15})?$"`
}

// maxPayouts is how many payouts one request may carry (api-v1 §Limits).
const maxPayouts = 50

var (
	errPaymentList = pay.E(pay.Invalid, "invalid_payment_list", "The body must be a payout or a non-empty list of payouts.")
	errParseFailed = pay.E(pay.Invalid, "json_parse_failed", "The body holds no payout.")
	errTooMany     = pay.E(pay.Invalid, "max_payouts_exceeded", "One request may carry at most 50 payouts.").With("max_payouts", maxPayouts)
)

// payoutItems takes a body apart: one payout, or a list of 1 to maxPayouts (api-v1 §POST /v1/payout).
func payoutItems(body []byte) ([]json.RawMessage, error) {
	if input.Leading(body) == input.IsObject {
		return []json.RawMessage{body}, nil
	}
	if items, ok := input.ListIn(body); ok {
		switch n := len(items); {
		case n > maxPayouts:
			return nil, errTooMany
		case n > 0:
			return items, nil
		}
	}
	if text := string(bytes.TrimSpace(body)); text == "null" || text == "false" {
		return nil, errParseFailed
	}
	return nil, errPaymentList
}
