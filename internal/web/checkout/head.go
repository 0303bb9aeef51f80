package checkout

import (
	"strings"

	"causeway/internal/pay"
)

// head begins and ends a page: its merchant, its purpose and its look.
type head struct {
	Merchant string
	Look     pay.Look
	Up       string // the way from the page to Prefix
	Order    string // the merchant's words for its purpose
	Label    bool   // Order needs no word before it
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

// Head begins and ends the page of a refund. No site shows it in a frame: a click on it sends money.
func (p *refunding) Head() head {
	look := p.Look
	look.Sites = ""
	return head{Merchant: p.Merchant, Look: look, Up: above, Order: p.Order, Gives: true}
}

// Head begins and ends the page of a problem. It is nobody's.
func (p *problem) Head() head { return head{Up: p.Up} }

// SupportLink is where a payer asks the merchant; "" for nowhere.
func (h head) SupportLink() string {
	if h.Look.Support == "" || strings.Contains(h.Look.Support, "://") {
		return h.Look.Support
	}
	return "mailto:" + h.Look.Support
}
