package vault

import (
	"encoding/base64"
	"strings"

	"github.com/google/uuid"
)

// refundLink begins the fields of a link's seal. No payout has a seal of two fields.
const refundLink = "refund link"

// RefundLink is what names a refund at its payer's page: its id with a seal of it. Whoever has it may take the money, so it is in no table
// (docs/decisions/0073-links-of-refunds.md).
func (s *Sealer) RefundLink(id uuid.UUID) string {
	return id.String() + "." + base64.RawURLEncoding.EncodeToString(s.Make(refundLink, id.String()))
}

// RefundOf returns the refund named by a link; false for a link that RefundLink has not made.
func (s *Sealer) RefundOf(link string) (uuid.UUID, bool) {
	text, sealed, _ := strings.Cut(link, ".")
	id, unread := uuid.Parse(text)
	seal, err := base64.RawURLEncoding.Strict().DecodeString(sealed)
	if unread != nil || id.String() != text || err != nil || s.Check(seal, refundLink, id.String()) != nil {
		return uuid.Nil, false
	}
	return id, true
}
