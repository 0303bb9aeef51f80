package api

import (
	"encoding/base64"
	"strings"

	"github.com/google/uuid"

	"causeway/internal/pay"
)

// refundLink begins the fields of a link's seal. No payout has a seal of two fields.
const refundLink = "refund link"

// address is the address of the page on which a payer says where to; "" when the refund has no open link, or no page. Whoever has it may
// take the money, so it is in no table: it is the refund's id with a seal of it (docs/decisions/0073-links-of-refunds.md).
func (r *Refunds) address(q *pay.Refund, status pay.RefundStatus) string {
	if r.Pages == nil || status != pay.RefundOpen || q.ExpiresAt == nil {
		return ""
	}
	return r.Pages(r.link(q.ID))
}

// link is what names a refund at the page.
func (r *Refunds) link(id uuid.UUID) string {
	return id.String() + "." + base64.RawURLEncoding.EncodeToString(r.Payouts.Seals.Make(refundLink, id.String()))
}

// linked returns the refund named by a link; false for a link that we have not made.
func (r *Refunds) linked(link string) (uuid.UUID, bool) {
	text, sealed, _ := strings.Cut(link, ".")
	id, _ := exactID(text)
	seal, err := base64.RawURLEncoding.Strict().DecodeString(sealed)
	if id.String() != text || err != nil || r.Payouts.Seals.Check(seal, refundLink, id.String()) != nil {
		return uuid.Nil, false
	}
	return id, true
}
