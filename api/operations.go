package api

import "slices"

// Operations are all of /v1, by the noun they are about. The zero value can serve none of them, but has every route: enough
// for the OpenAPI document.
type Operations struct {
	Payouts    Payouts
	Payins     Payins
	Requests   Requests
	Links      Links
	Refunds    Refunds
	Queries    Queries
	Wallets    Wallets
	Deliveries Deliveries
	Quotes     Quotes
}

// Routes is the route table of /v1.
func (o *Operations) Routes() []Route {
	return slices.Concat(o.Payouts.Routes(), o.Payins.Routes(), o.Requests.Routes(), o.Links.Routes(), o.Refunds.Routes(), o.Queries.Routes(), o.Wallets.Routes(), o.Deliveries.Routes(), o.Quotes.Routes())
}
