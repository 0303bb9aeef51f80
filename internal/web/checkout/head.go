package checkout

import (
	"strings"

	"causeway/internal/pay"
)

// head is what begins and ends a page: whose it is, what it is for, and how it looks.
type head struct {
	Merchant string
	Look     pay.Look
	Up       string // the way from the page to Prefix
	Order    string // the merchant's words for what it is for
	Label    bool   // Order says itself what it is
	Gives    bool   // the payer is paid
}

// above is the way to Prefix from the folders below it.
const above = "../"

// Head begins and ends the page of a payin.
func (p *shown) Head() head {
	return head{Merchant: p.Merchant, Look: p.Look, Order: p.Order}
}

// Head begins and ends the page of a payment request.
func (a *asked) Head() head {
	return head{Merchant: a.Merchant, Look: a.Look, Up: above, Order: a.Request.Called()}
}

// Head begins and ends the page of a payment link.
func (l *linked) Head() head {
	return head{Merchant: l.Merchant, Look: l.Look, Up: above, Order: l.Link.Label, Label: true}
}

// Head begins and ends the page of a refund.
func (p *refunding) Head() head {
	return head{Merchant: p.Merchant, Look: p.Look, Up: above, Order: p.Order, Gives: true}
}

// Head begins and ends a page that says why there is none. It is nobody's.
func (p *problem) Head() head { return head{Up: p.Up} }

// SupportLink is where a payer asks the merchant; "" for nowhere.
func (h head) SupportLink() string {
	if h.Look.Support == "" || strings.Contains(h.Look.Support, "://") {
		return h.Look.Support
	}
	return "mailto:" + h.Look.Support
}
