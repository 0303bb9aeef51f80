package api

import (
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"causeway/api/input"
	"causeway/internal/pay"
	"causeway/internal/pricing"
)

// PaymentRequestBody is the body of POST /v1/payment-request as it is documented; readRequest is how it is read.
type PaymentRequestBody struct {
	ReferenceID  string        `json:"reference_id" required:"true" pattern:"^\\s*\\S([\\s\\S]{0,248}\\S)?\\s*$"`
	Amount       any           `json:"amount" required:"true"`
	Currency     string        `json:"currency" required:"true"`
	WebhookURL   string        `json:"webhook_url" required:"true" maxLength:"756"`
	Description  *string       `json:"description,omitempty" maxLength:"500"`
	Items        []RequestItem `json:"items,omitempty" maxItems:"50"`
	Offers       []pay.Offer   `json:"offers,omitempty" maxItems:"50"`
	CustomerInfo *string       `json:"customer_info,omitempty" maxLength:"200" pattern:"^\\S*$"`
	Email        *string       `json:"customer_email,omitempty" maxLength:"254"`
	ExpiresAt    *int          `json:"expires_at,omitempty" minimum:"1" maximum:"2592000"`
	ReturnURL    *string       `json:"return_url,omitempty" maxLength:"756"`
	CancelURL    *string       `json:"cancel_url,omitempty" maxLength:"756"`
	Colour       *string       `json:"colour,omitempty" pattern:"^(#?[0-9A-Fa-f]{6})?$"`
	Support      *string       `json:"support,omitempty" maxLength:"254"`
}

const (
	longestDescription  = 500
	mostOffers          = 50
	requestReference    = 250 // characters: later payins of a request have some more
	requestLifetime     = 86400
	requestLifetimeMost = 30 * 86400
)

var errNoRequestBody = pay.E(pay.Invalid, "invalid_parameters", "The body must be one payment request.").With("reason", "invalid_or_empty_data")

// requestOrder is a request with well-formed fields.
type requestOrder struct {
	pay.PaymentRequest
	lifetime time.Duration
}

// readRequest checks the form of every field.
func readRequest(body []byte) (*requestOrder, error) {
	o, ok := input.ObjectIn(body)
	if !ok || o.Len() == 0 {
		return nil, errNoRequestBody
	}
	wrong := input.FieldErrors{}
	order := requestFields(o, wrong)
	order.ReferenceID, order.WebhookURL = payinReference(o, wrong), webhookURL(o, wrong)
	if !input.Within(order.ReferenceID, 0, requestReference) {
		wrong.Add("reference_id", "must be 1 to 250 characters")
	}
	return order, wrong.Err()
}

// requestFields reads the fields of the panel, too.
func requestFields(o input.Object, wrong input.FieldErrors) *requestOrder {
	order := &requestOrder{PaymentRequest: pay.PaymentRequest{Currency: requiredText(o, "currency", wrong),
		Description: description(o, wrong), Items: paidFor(o, wrong), Offers: offered(o, wrong), CustomerInfo: customerInfo(o, wrong), Email: customerEmail(o, wrong),
		ReturnURL: shopPage(o, "return_url", wrong), CancelURL: shopPage(o, "cancel_url", wrong), Colour: colourOf(o, wrong), Support: supportOf(o, wrong),
	}, lifetime: lifetimeOf(o, requestLifetime, requestLifetimeMost, wrong)}
	if amount := payinAmount(o, "amount", wrong); amount.Valid {
		order.Amount = pricing.Cut(amount.Decimal, pricing.FiatPlaces)
	} else if wrong["amount"] == "" {
		wrong.Add("amount", "is required")
	}
	return order
}

// known says what the currency is, and names the networks of offers as we do.
func (r *requestOrder) known(cat *Catalogue) error {
	if !r.Amount.IsPositive() || r.Amount.GreaterThanOrEqual(beyond) {
		return errAmountVanishes
	}
	for i, o := range r.Offers {
		n, t, err := depositToken(cat, o.Network, o.Token)
		if err != nil {
			return err
		}
		r.Offers[i] = pay.Offer{Token: t.Symbol, Network: n.Name}
	}
	if fiat, ok := cat.Fiat(r.Currency); ok {
		r.Currency, r.IsFiat = fiat.Code, true
		return nil
	}
	if !anyDeposit(cat, func(t *pay.Token) bool { return t.Symbol == r.Currency }) {
		return symbolNamed(errDepositToken, cat, r.Currency)
	}
	return nil
}

func description(o input.Object, wrong input.FieldErrors) string {
	text, found := o.Text("description")
	text = strings.TrimSpace(text)
	if found == input.Wrong || !input.Within(text, 0, longestDescription) {
		wrong.Add("description", input.NotText(o, "description", "must be text of at most 500 characters"))
	}
	return text
}

// offered reads offers: a list of tokens and networks. Whether they exist is for the catalogue to say.
func offered(o input.Object, wrong input.FieldErrors) []pay.Offer {
	out := []pay.Offer{}
	raw := o.Raw("offers")
	if len(raw) == 0 || string(raw) == "null" {
		return out
	}
	items, ok := input.ListIn(raw)
	if !ok || len(items) > mostOffers {
		wrong.Add("offers", "must be a list of at most 50 objects")
		return out
	}
	for _, item := range items {
		one, ok := input.ObjectIn(item)
		token, named := one.Text("crypto_currency")
		network, placed := one.Text("network")
		if !ok || named != input.Given || placed != input.Given || token == "" || network == "" {
			wrong.Add("offers", "each must have a crypto_currency and a network")
			return out
		}
		out = append(out, pay.Offer{Token: token, Network: network})
	}
	return out
}

// order is the request as the order of a payin in a token.
func orderOf(r *pay.PaymentRequest, o pay.Offer, reference string) *payinOrder {
	out := &payinOrder{Token: o.Token, Network: o.Network, Reference: reference, WebhookURL: r.WebhookURL, ReturnURL: r.ReturnURL,
		Customer: r.CustomerInfo, ProcessBy: pay.ByCrypto, Crypto: decimal.NewNullDecimal(r.Amount), Lifetime: defaultLifetime * time.Second}
	_, out.Panel = pay.OfPanel(r.KeyID)
	if r.IsFiat {
		out.ProcessBy, out.Crypto, out.Fiat = pay.ByFiat, decimal.NullDecimal{}, r.Currency
		out.FiatAmount, out.FiatText = decimal.NewNullDecimal(r.Amount), r.Amount.StringFixed(pricing.FiatPlaces)
	}
	return out
}
