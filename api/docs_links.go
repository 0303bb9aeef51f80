package api

import (
	"github.com/google/uuid"

	"causeway/api/input"
	"causeway/internal/pay"
	"causeway/internal/web/openapi"
	"causeway/internal/webhooks"
)

var sampleLinkID = uuid.MustParse("0197f1c6-1b44-7f08-8d3e-9a0b1c2d3e4f")

var (
	sampleSlug      = "green-tea"
	sampleLinkSum   = "12.5"
	sampleLeast     = "5"
	sampleMost      = "500"
	sampleLinkOrder = PaymentLinkBody{Slug: &sampleSlug, Label: "Green tea, 100 g", Currency: "EUR", Amount: "12.50", WebhookURL: sampleHook, Offers: sampleOffers, Colour: &sampleColour, Support: &sampleSupport}
	sampleGift      = PaymentLinkBody{Label: "A gift", Currency: "EUR", Least: "5", Most: "500", WebhookURL: sampleHook}
	sampleLink      = LinkRecord{InternalReference: sampleLinkID, Slug: sampleSlug, Label: "Green tea, 100 g", Currency: "EUR", Amount: &sampleLinkSum,
		Offers: sampleOffers, Status: string(pay.LinkOpen), WebhookURL: sampleHook, Colour: sampleColour, Support: sampleSupport, CreatedAt: sampleMoment, CheckoutURL: "https://pay.example.com/pay/link/" + sampleSlug}
	sampleEnded = LinkRecord{InternalReference: sampleLinkID, Slug: sampleSlug, Label: "A gift", Currency: "EUR", MinAmount: &sampleLeast, MaxAmount: &sampleMost,
		Offers: []pay.Offer{}, Status: string(pay.LinkEnded), WebhookURL: sampleHook, CreatedAt: sampleMoment, EndedAt: &sampleEnd}
)

var docCreateLink = Doc{
	ID: "createPaymentLink", Tag: tagPayins, Extension: true, Body: PaymentLinkBody{},
	Description: "An extension. An address for any number of payers. Each payer who chooses makes a payment request of their own, whose payins have the account's webhooks. " +
		"Without an amount the payer says it, from min_amount to max_amount.",
	Examples: []openapi.Example{{Name: "fixed", Summary: "12.50 EUR, in USDT or BTC", Value: sampleLinkOrder},
		{Name: "open", Summary: "What the payer likes, from 5 to 500 EUR", Value: sampleGift}},
	Answers: []openapi.Answer{{Status: 200, Summary: "The payment link, with the address of its page",
		Sample: LinkAnswer{"payment_link_created_successfully", sampleLink}}},
	Errors: []*pay.Error{
		input.WrongField("label", "is required"), errNoLinkBody,
		input.WrongField("webhook_url", string(webhooks.NotPublic)).With("field", "webhook_url").With("reason", "unsafe_url"),
		errCatalogue, errDepositNetwork, errDepositToken, errDepositPair, errDepositActive, errNothingOffered, errSlugTaken, errNotRecorded, errLookup,
	},
}

func pathLink() []openapi.Param {
	return []openapi.Param{pathReference("internal_reference of the link, or else its slug.", 1)}
}

var docCheckLink = Doc{
	ID: "checkPaymentLink", Tag: tagPayins, Extension: true, Params: pathLink(), Description: "An extension.",
	Answers: []openapi.Answer{{Status: 200, Summary: "The payment link", Sample: LinkAnswer{"payment_link_retrieved_success", sampleLink}}},
	Errors:  []*pay.Error{errReferenceLength, errNoLink},
}

var docEndLink = Doc{
	ID: "endPaymentLink", Tag: tagPayins, Extension: true, Params: pathLink(),
	Description: "An extension. Nobody chooses by the link any more, and its slug stays its own. What payers have chosen before can still be paid.",
	Answers:     []openapi.Answer{{Status: 200, Summary: "The payment link, which ends now or ended before", Sample: LinkAnswer{"payment_link_ended_success", sampleEnded}}},
	Errors:      []*pay.Error{errReferenceLength, errNoLink},
}

var docListLinks = Doc{
	ID: "listPaymentLinks", Tag: tagPayins, Extension: true,
	Description: "An extension. The newest 10,000 that fit, without those of the panel.",
	Unreadable:  map[string]*pay.Error{"page": errPageNumber, "per_page": errPerPage, "status": errStatusFilter},
	Params: append(pageParams(),
		openapi.Param{Name: "status", Description: "open or ended, in any case. Anything else: invalid_status_filter.", Example: string(pay.LinkOpen)}),
	Answers: []openapi.Answer{{Status: 200, Summary: "One page", Sample: LinkList{"payment_links_retrieved_success",
		[]LinkRecord{sampleLink}, listMeta{1, 50, 1, 1, map[string]string{"status": string(pay.LinkOpen)}}}}},
	Errors: []*pay.Error{errPageNumber, errPerPage, errStatusFilter},
}
