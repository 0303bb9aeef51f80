package api

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/shopspring/decimal"

	"causeway/api/input"
	"causeway/internal/pay"
	"causeway/internal/webhooks"
)

// PayinRequest is the body of POST /v1/payin as it is documented; readPayin is how it is read. Amounts may also be
// JSON numbers, and white space around reference_id does not count.
type PayinRequest struct {
	CryptoCurrency string  `json:"crypto_currency" required:"true"`
	ProcessBy      string  `json:"process_by" required:"true" enum:"crypto_amount,fiat_amount"`
	ReferenceID    string  `json:"reference_id" required:"true" pattern:"^\\s*\\S([\\s\\S]{0,253}\\S)?\\s*$"`
	Network        string  `json:"network" required:"true"`
	WebhookURL     string  `json:"webhook_url" required:"true" maxLength:"756"`
	FiatCurrency   *string `json:"fiat_currency,omitempty"`
	CryptoAmount   any     `json:"crypto_amount,omitempty"`
	FiatAmount     any     `json:"fiat_amount,omitempty"`
	CustomerInfo   *string `json:"customer_info,omitempty" maxLength:"200" pattern:"^\\S*$"`
	ExpiresAt      *int    `json:"expires_at,omitempty" minimum:"1" maximum:"86400"`
	Memo           *string `json:"memo,omitempty" pattern:"^([0-9]{8,15})?$"`
	ReturnURL      *string `json:"return_url,omitempty" maxLength:"756"`
}

const (
	defaultLifetime = 14400 // seconds (api-v1 §Limits)
	longestLifetime = 86400
)

var (
	errNoPayin = pay.E(pay.Invalid, "invalid_parameters", "The body must be one payin.").With("reason", "invalid_or_empty_data")
	errBatch   = pay.E(pay.Invalid, "invalid_parameters", "Payins are created one by one.").
			With("reason", "batch_not_allowed_use_single_object")
	errCryptoRequired = pay.E(pay.Invalid, "crypto_amount_required", "crypto_amount is required when process_by is crypto_amount.")
	errFiatRequired   = pay.E(pay.Invalid, "fiat_amount_required", "fiat_amount is required when process_by is fiat_amount.")
	errFiatUnnamed    = pay.E(pay.Invalid, "fiat_currency_required", "fiat_currency is required when process_by is fiat_amount.")
)

// payinOrder is a request with well-formed fields, before anything is looked up.
type payinOrder struct {
	Panel      bool // a person asks for it in the panel: at the deposit rate
	Token      string
	Network    string // name or alias
	ProcessBy  pay.ProcessBy
	Reference  string
	WebhookURL string
	ReturnURL  string // "" for none
	Fiat       string // "" when not named
	Crypto     decimal.NullDecimal
	FiatAmount decimal.NullDecimal
	FiatText   string // fiat_amount as it was sent
	Customer   *string
	Memo       *string
	Lifetime   time.Duration
}

// payinObject returns the one payin of a body; a list of one is accepted (api-v1 §POST /v1/payin).
func payinObject(body json.RawMessage) (input.Object, error) {
	if items, ok := input.ListIn(body); ok && len(items) > 0 {
		if len(items) > 1 {
			return input.Object{}, errBatch
		}
		body = items[0]
	}
	o, ok := input.ObjectIn(body)
	if !ok || o.Len() == 0 {
		return input.Object{}, errNoPayin
	}
	return o, nil
}

// readPayin checks the form of every field first, then the presence of those process_by needs.
func readPayin(body []byte) (*payinOrder, error) {
	o, err := payinObject(body)
	if err != nil {
		return nil, err
	}
	wrong := input.FieldErrors{}
	order := &payinOrder{
		Token: requiredText(o, "crypto_currency", wrong), Network: requiredText(o, "network", wrong),
		ProcessBy: processBy(o, wrong), Reference: payinReference(o, wrong), WebhookURL: webhookURL(o, wrong), ReturnURL: shopPage(o, "return_url", wrong),
		Fiat: fiatCode(o, wrong), Customer: customerInfo(o, wrong), Memo: memoIn(o, wrong), Lifetime: lifetimeOf(o, defaultLifetime, longestLifetime, wrong),
	}
	if order.ProcessBy != pay.ByFiat { // else it is recalculated, whatever was sent
		order.Crypto = payinAmount(o, "crypto_amount", wrong)
	}
	order.FiatAmount = payinAmount(o, "fiat_amount", wrong)
	order.FiatText = asSent(o, "fiat_amount")
	if err := wrong.Err(); err != nil {
		return nil, err
	}
	return order, order.complete()
}

func (p *payinOrder) complete() error {
	switch {
	case p.ProcessBy == pay.ByCrypto && !p.Crypto.Valid:
		return errCryptoRequired
	case p.ProcessBy == pay.ByFiat && !p.FiatAmount.Valid:
		return errFiatRequired
	case p.ProcessBy == pay.ByFiat && p.Fiat == "":
		return errFiatUnnamed
	}
	return nil
}

func requiredText(o input.Object, name string, wrong input.FieldErrors) string {
	text, found := o.Text(name)
	switch {
	case found == input.Wrong:
		wrong.Add(name, input.NotText(o, name, "must be text"))
	case text == "":
		wrong.Add(name, "is required")
	}
	return text
}

func processBy(o input.Object, wrong input.FieldErrors) pay.ProcessBy {
	by := pay.ProcessBy(requiredText(o, "process_by", wrong))
	if by != pay.ByCrypto && by != pay.ByFiat {
		wrong.Add("process_by", "must be crypto_amount or fiat_amount")
	}
	return by
}

func payinReference(o input.Object, wrong input.FieldErrors) string {
	text := strings.TrimSpace(requiredText(o, "reference_id", wrong))
	if !input.Within(text, 1, longestReference) {
		wrong.Add("reference_id", "must be 1 to 255 characters")
	}
	return text
}

// webhookURL reads webhook_url as text of at most 756 characters; whether it is safe is for the URL rule to say.
func webhookURL(o input.Object, wrong input.FieldErrors) string {
	text, found := o.Text("webhook_url")
	switch {
	case found == input.Absent || text == "" && found == input.Given:
		wrong.Add("webhook_url", "is required")
	case found == input.Wrong || !input.Within(text, 1, webhooks.MaxURL):
		wrong.Add("webhook_url", input.NotText(o, "webhook_url", "must be a URL of at most 756 characters"))
	}
	return text
}

// shopPage reads the address of a page of the shop: the payer's browser opens it, and nothing else does. "" when there is none.
func shopPage(o input.Object, name string, wrong input.FieldErrors) string {
	text, found := o.Text(name)
	if found == input.Wrong || found == input.Given && text != "" && !isPage(text) {
		wrong.Add(name, input.NotText(o, name, "must be an http or https URL of at most 756 characters, without user and password"))
	}
	return text
}

// isPage reports whether a browser opens a text as a page of the web.
func isPage(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil || !input.Within(text, 1, webhooks.MaxURL) {
		return false
	}
	port, err := strconv.ParseUint(cmp.Or(u.Port(), "443"), 10, 16)
	return err == nil && port > 0 && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsGraphic(r) || unicode.IsSpace(r) || r == '\\' })
}

func fiatCode(o input.Object, wrong input.FieldErrors) string {
	text, found := o.Text("fiat_currency")
	if found == input.Wrong {
		wrong.Add("fiat_currency", input.NotText(o, "fiat_currency", "must be a currency code"))
	}
	return text
}

func payinAmount(o input.Object, name string, wrong input.FieldErrors) (amount decimal.NullDecimal) {
	value, found := o.Amount(name)
	switch found {
	case input.Wrong:
		wrong.Add(name, "must be a plain decimal such as 12.5, with at most 30 digits before and after the dot")
	case input.Zero:
		wrong.Add(name, "must be greater than 0")
	case input.Given:
		return decimal.NewNullDecimal(value)
	}
	return amount
}

// asSent returns the text of a string or number.
func asSent(o input.Object, name string) string {
	if text, found := o.Text(name); found == input.Given {
		return text
	}
	return string(o.Raw(name))
}

// lifetimeOf reads expires_at, in seconds from now.
func lifetimeOf(o input.Object, usual, longest int64, wrong input.FieldErrors) time.Duration {
	seconds, found := o.Integer("expires_at")
	switch {
	case found == input.Absent:
		seconds = usual
	case found == input.Wrong || seconds < 1 || seconds > longest:
		message := fmt.Sprintf("must be a whole number of seconds from 1 to %d", longest)
		if found == input.Given && seconds > longest {
			message += ", counted from now: no moment, and no milliseconds"
		}
		wrong.Add("expires_at", message)
		return 0
	}
	return time.Duration(seconds) * time.Second
}
