package api

import "causeway/internal/pay"

// address is the address of the page on which a payer says where to; "" when the refund has no open link, or no page.
func (r *Refunds) address(q *pay.Refund, status pay.RefundStatus) string {
	if r.Pages == nil || status != pay.RefundOpen || q.ExpiresAt == nil {
		return ""
	}
	return r.Pages(r.Payouts.Seals.RefundLink(q.ID))
}
