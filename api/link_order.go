package api

import (
	"crypto/rand"
	"encoding/base32"
	"regexp"
	"strings"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/api/input"
	"causeway/internal/pay"
	"causeway/internal/pricing"
)

// PaymentLinkBody is the body of POST /v1/payment-link as it is documented; readLink is how it is read.
type PaymentLinkBody struct {
	Slug        *string     `json:"slug,omitempty" minLength:"3" maxLength:"60" pattern:"^[a-z0-9]+(-[a-z0-9]+)*$"`
	Label       string      `json:"label" required:"true" pattern:"^\\s*\\S([\\s\\S]{0,248}\\S)?\\s*$"`
	Currency    string      `json:"currency" required:"true"`
	Amount      any         `json:"amount,omitempty"`
	Least       any         `json:"min_amount,omitempty"`
	Most        any         `json:"max_amount,omitempty"`
	WebhookURL  string      `json:"webhook_url" required:"true" maxLength:"756"`
	Description *string     `json:"description,omitempty" maxLength:"500"`
	Offers      []pay.Offer `json:"offers,omitempty" maxItems:"50"`
	ReturnURL   *string     `json:"return_url,omitempty" maxLength:"756"`
	CancelURL   *string     `json:"cancel_url,omitempty" maxLength:"756"`
	Colour      *string     `json:"colour,omitempty" pattern:"^(#?[0-9A-Fa-f]{6})?$"`
	Support     *string     `json:"support,omitempty" maxLength:"254"`
}

const slugBytes = 10 // of a random slug: 80 bits

var errNoLinkBody = pay.E(pay.Invalid, "invalid_parameters", "The body must be one payment link.").With("reason", "invalid_or_empty_data")

// slugForm is what a slug may be: letters and digits, with single dashes between.
var slugForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// linkOrder is a link with well-formed fields.
type linkOrder struct{ pay.PaymentLink }

// readLink checks the form of every field.
func readLink(body []byte) (*linkOrder, error) {
	o, ok := input.ObjectIn(body)
	if !ok || o.Len() == 0 {
		return nil, errNoLinkBody
	}
	wrong := input.FieldErrors{}
	l := linkFields(o, wrong)
	l.WebhookURL = webhookURL(o, wrong)
	return l, wrong.Err()
}

// linkFields reads the fields of the panel, too. It has an amount of its own, or leaves the amount to the payer within bounds.
func linkFields(o input.Object, wrong input.FieldErrors) *linkOrder {
	l := &linkOrder{pay.PaymentLink{Slug: slugOf(o, wrong), Label: labelOf(o, wrong), Description: description(o, wrong), Offers: offered(o, wrong),
		Currency: requiredText(o, "currency", wrong), ReturnURL: shopPage(o, "return_url", wrong), CancelURL: shopPage(o, "cancel_url", wrong),
		Colour: colourOf(o, wrong), Support: supportOf(o, wrong),
		Amount: cutAmount(o, "amount", wrong), Least: cutAmount(o, "min_amount", wrong), Most: cutAmount(o, "max_amount", wrong)}}
	switch {
	case l.Amount.Valid && (l.Least.Valid || l.Most.Valid):
		wrong.Add("amount", "excludes min_amount and max_amount")
	case l.Least.Valid && l.Most.Valid && l.Most.Decimal.LessThan(l.Least.Decimal):
		wrong.Add("max_amount", "must not be below min_amount")
	}
	return l
}

func cutAmount(o input.Object, name string, wrong input.FieldErrors) decimal.NullDecimal {
	amount := payinAmount(o, name, wrong)
	if amount.Valid {
		if amount.Decimal = pricing.Cut(amount.Decimal, pricing.FiatPlaces); !amount.Decimal.IsPositive() || !amount.Decimal.LessThan(beyond) {
			wrong.Add(name, "is too small or too large")
		}
	}
	return amount
}

func labelOf(o input.Object, wrong input.FieldErrors) string {
	text := strings.TrimSpace(requiredText(o, "label", wrong))
	if !input.Within(text, 1, requestReference) {
		wrong.Add("label", "must be 1 to 250 characters")
	}
	return text
}

// slugOf reads slug; a random one where there is none.
func slugOf(o input.Object, wrong input.FieldErrors) string {
	text, found := o.Text("slug")
	if found == input.Absent || found == input.Given && text == "" {
		random := make([]byte, slugBytes)
		_, _ = rand.Read(random) // it never fails
		return strings.ToLower(base32.StdEncoding.EncodeToString(random))
	}
	const shortest, longest = 3, 60
	if found == input.Wrong || !input.Within(text, shortest, longest) || !slugForm.MatchString(text) {
		wrong.Add("slug", input.NotText(o, "slug", "must be 3 to 60 small letters and digits, with single dashes between"))
	}
	return text
}

// known says what the currency is, and names the networks of offers as we do.
func (l *linkOrder) known(cat *Catalogue) error {
	order := &requestOrder{PaymentRequest: *l.Request(uuid.Nil, decimal.NewFromInt(1))}
	err := order.known(cat)
	l.Offers, l.Currency, l.IsFiat = order.Offers, order.Currency, order.IsFiat
	return err
}
