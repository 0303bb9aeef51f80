package main

import (
	"context"
	"time"

	"github.com/google/uuid"

	"causeway/api"
	"causeway/chains/sandbox"
	"causeway/internal/web/checkout"
)

// pageQuota is how often one origin may ask for payers' pages. An open page asks once, or every five seconds where its
// live stream does not get through; many payers may share an address.
var pageQuota = api.Quota{Requests: 600, Window: time.Minute}

// takeQuota is how often one origin may choose by payment links: each choice may take an address.
var takeQuota = api.Quota{Requests: 30, Window: 10 * time.Minute}

// checkout makes the pages for payers. One can pay from them in dev, and in a sandbox beside live networks.
func (h *service) checkout(o *api.Operations) *checkout.Checkout {
	networks := h.payerNetworks()
	d := checkout.Deps{
		Store:    h.store,
		Visitors: api.NewVisitors(h.hurried, h.settings.TrustedProxies, pageQuota),
		Networks: func(name string) checkout.Network { return networks[name] },
		Requests: &o.Requests,
		Refunds:  &o.Refunds,
		Links:    &o.Links,
		Takers:   api.NewVisitors(h.hurried, h.settings.TrustedProxies, takeQuota).Apart("taker"),
		Log:      h.log,
	}
	if h.dev != nil || h.settings.Sandbox {
		d.Pay = h.payFromPage
	}
	return checkout.New(d)
}

// payerNetworks returns the page's facts about each network, as opened by its driver.
func (h *service) payerNetworks() map[string]checkout.Network {
	out := map[string]checkout.Network{}
	for _, n := range h.networks.All() {
		out[n.Name] = checkout.Network{Simulated: n.Simulated(), Credit: n.Rule.Credit, Called: n.Called, URI: n.URI, Explain: n.Explain}
	}
	for _, c := range h.file.Live {
		n := out[c.Name]
		n.Tokens = c.Tokens
		out[c.Name] = n
	}
	return out
}

// payFromPage plays the payer. The sandbox refuses networks other than its own.
func (h *service) payFromPage(ctx context.Context, p checkout.Payment) error {
	_, err := sandbox.Operator{DB: h.db}.Pay(ctx, sandbox.Payment{Network: p.Network, Token: p.Token, To: p.To, Memo: p.Memo, Amount: p.Amount})
	return err
}

// refundAddress returns the address of a refund's page; nil when it is not known where payers reach this service.
func (h *service) refundAddress() func(string) string {
	base := h.settings.PublicBaseURL
	if base == "" {
		return nil
	}
	return func(link string) string { return string(base) + checkout.RefundPrefix + link }
}

// linkAddress returns the address of a payment link's page; nil when it is not known where payers reach this service.
func (h *service) linkAddress() func(string) string {
	base := h.settings.PublicBaseURL
	if base == "" {
		return nil
	}
	return func(slug string) string { return string(base) + checkout.LinkPrefix + slug }
}

// pageAddress returns the address of a payer's page below a prefix; nil when it is not known where payers reach this service.
func (h *service) pageAddress(prefix string) func(uuid.UUID) string {
	base := h.settings.PublicBaseURL
	if base == "" {
		return nil
	}
	return func(id uuid.UUID) string { return string(base) + prefix + id.String() }
}
