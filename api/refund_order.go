package api

import (
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"causeway/api/input"
	"causeway/internal/pay"
)

// RefundRequest is the body of POST /v1/refund as it is documented; readRefund is how it is read.
type RefundRequest struct {
	Payin              string  `json:"payin" required:"true" pattern:"^\\s*\\S([\\s\\S]{0,253}\\S)?\\s*$"`
	ReferenceID        string  `json:"reference_id" required:"true" pattern:"^\\s*\\S([\\s\\S]{0,248}\\S)?\\s*$"`
	Amount             any     `json:"amount" required:"true"`
	FeeTakenFromAmount any     `json:"feetakenfromamount" required:"true"`
	WebhookURL         string  `json:"webhook_url" required:"true" maxLength:"756"`
	CryptoCurrency     *string `json:"crypto_currency,omitempty"`
	Wallet             *string `json:"wallet,omitempty" pattern:"^\\s*\\S[\\s\\S]{18,118}\\S\\s*$"`
	Memo               *string `json:"memo,omitempty" pattern:"^([0-9]{8,15})?$"`
	Description        *string `json:"description,omitempty" maxLength:"500"`
	ExpiresAt          *int    `json:"expires_at,omitempty" minimum:"1" maximum:"2592000"`
}

const (
	refundLifetime     = 7 * 86400
	refundLifetimeMost = 30 * 86400
)

var (
	errNoRefundBody  = pay.E(pay.Invalid, "invalid_parameters", "The body must be one refund.").With("reason", "invalid_or_empty_data")
	errRefundNothing = pay.E(pay.Invalid, "nothing_to_refund", "Nothing of this is final and not refunded yet.")
	errRefundExceeds = pay.E(pay.Invalid, "refund_exceeds_payin", "The amount is more than may still be refunded of the payin.")
	errNotPayable    = pay.E(pay.Invalid, "refund_not_payable", "The payout of the refund is refused.")
	errRefundUnknown = pay.E(pay.Internal, errNotRecorded.Code, "It is not known whether the refund was recorded. Look for its reference_id.")
)

// refundOrder is a refund with well-formed fields.
type refundOrder struct {
	pay.Refund
	payin    string // its internal reference, or the merchant's
	part     string // a word for the amount; "" where Amount says it
	wallet   string // "" for a link
	memo     string
	lifetime time.Duration // of the link
	byPerson bool          // of the panel: its payin may be the panel's, and is named by its id
}

// readRefund checks the form of every field.
func readRefund(body []byte) (*refundOrder, error) {
	o, ok := input.ObjectIn(body)
	if !ok || o.Len() == 0 {
		return nil, errNoRefundBody
	}
	wrong := input.FieldErrors{}
	order := &refundOrder{payin: strings.TrimSpace(requiredText(o, "payin", wrong)), lifetime: lifetimeOf(o, refundLifetime, refundLifetimeMost, wrong),
		Refund: pay.Refund{ReferenceID: payinReference(o, wrong), WebhookURL: webhookURL(o, wrong), Description: description(o, wrong)}}
	if !input.Within(order.payin, 0, longestReference) {
		wrong.Add("payin", "must be the internal_reference or reference_id of a payin")
	}
	order.readAmount(o, wrong)
	order.readTarget(o, wrong)
	if !input.Within(order.ReferenceID, 0, requestReference) {
		wrong.Add("reference_id", "must be 1 to 250 characters")
	}
	return order, wrong.Err()
}

func (r *refundOrder) readAmount(o input.Object, wrong input.FieldErrors) {
	text, found := o.Text("amount")
	if found == input.Given && (text == pay.RefundAll || text == pay.RefundOverpaid) {
		r.part = text
	} else if amount := payinAmount(o, "amount", wrong); amount.Valid {
		r.Amount = amount.Decimal
	} else {
		wrong["amount"] = "must be all, overpaid, or a plain decimal above zero"
	}
	var given input.Found
	if r.FeeFromAmount, given = o.Bit("feetakenfromamount"); given != input.Given {
		wrong.Add("feetakenfromamount", "must be 0 or 1")
	}
	if r.Token, given = o.Text("crypto_currency"); given == input.Wrong {
		wrong.Add("crypto_currency", "must be a token symbol")
	}
}

// readTarget reads where to. A refund without an address has a link, and one with an address has none.
func (r *refundOrder) readTarget(o input.Object, wrong input.FieldErrors) {
	text, found := o.Text("wallet")
	r.wallet = strings.TrimSpace(text)
	if found == input.Wrong || r.wallet != "" && !input.Within(r.wallet, 20, 120) {
		wrong.Add("wallet", input.NotText(o, "wallet", "must be a text of 20 to 120 characters"))
	}
	if memo := memoIn(o, wrong); memo != nil {
		r.memo = *memo
	}
	_, timed := o.Integer("expires_at")
	switch {
	case r.wallet == "" && r.memo != "":
		wrong.Add("memo", "belongs to a wallet, and there is none")
	case r.wallet != "" && timed == input.Given:
		wrong.Add("expires_at", "is the time of a link, and a refund with a wallet has none")
	}
}

// of decides about the amount and the token, by what may be refunded of the payin now. What is decided here is looked at again with the
// payin locked.
func (r *refundOrder) of(p *pay.Payin, all []pay.Refundable) error {
	r.PayinID, r.MerchantID, r.Network = p.ID, p.MerchantID, p.Network
	if r.Token == "" {
		r.Token = p.Token
	}
	came := pay.CameIn(all, r.Network, r.Token)
	if came == nil {
		return errRefundNothing
	}
	r.Network = came.Network
	if r.part != "" {
		r.Amount = pay.RefundedPart(r.part, p, all, came)
	}
	if !r.Amount.IsPositive() {
		return errRefundNothing
	}
	return within(came, r.Amount)
}

// within refuses more than is left.
func within(came *pay.Refundable, amount decimal.Decimal) error {
	if amount.GreaterThan(came.Left()) {
		return errRefundExceeds.With("crypto_currency", came.Token).With("network", came.Network).With("refundable", came.Left().String())
	}
	return nil
}
