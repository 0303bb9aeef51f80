package api

import (
	"github.com/google/uuid"

	"causeway/api/input"
	"causeway/internal/pay"
	"causeway/internal/web/openapi"
	"causeway/internal/webhooks"
)

var sampleRequestID = uuid.MustParse("0197f1c4-7d10-7a42-9c55-1e2f3a4b5c6d")

var (
	sampleOffers       = []pay.Offer{{Token: "USDT", Network: "Tron"}, {Token: "BTC", Network: "Bitcoin"}}
	sampleDescription  = "Two tickets"
	sampleQuantity     = int64(2)
	sampleItemOrders   = []RequestItem{{Name: "Ticket", Quantity: &sampleQuantity, Amount: "12.5"}}
	sampleItems        = []pay.Item{{Name: "Ticket", Quantity: 2, Amount: "12.5"}}
	sampleEmail        = "anna@example.com"
	sampleColour       = "#0f766e"
	sampleSupport      = "help@shop.example"
	sampleRequestOrder = PaymentRequestBody{ReferenceID: "order-2026-0002", Amount: "25.00", Currency: "EUR", WebhookURL: sampleHook,
		Description: &sampleDescription, Items: sampleItemOrders, Offers: sampleOffers, Email: &sampleEmail, Colour: &sampleColour, Support: &sampleSupport}
	sampleRequest = RequestRecord{InternalReference: sampleRequestID, ReferenceID: "order-2026-0002", Amount: "25", Currency: "EUR",
		Description: sampleDescription, Items: sampleItems, Offers: sampleOffers, Status: string(pay.RequestOpen), Email: sampleEmail,
		Payins:     []ChosenPayin{{samplePayinID, "order-2026-0002", "USDT", "Tron", string(pay.PayinPending)}},
		WebhookURL: sampleHook, Colour: sampleColour, Support: sampleSupport, CreatedAt: sampleMoment, ExpiresAt: "2026-11-21 13:45:00",
		CheckoutURL: "https://pay.example.com/pay/request/" + sampleRequestID.String()}
)

var docCreateRequest = Doc{
	ID: "createPaymentRequest", Tag: tagPayins, Extension: true, Body: PaymentRequestBody{},
	Description: "An extension. An amount whose payer chooses the token and the network on a page. Each choice is a payin with its webhooks.",
	Examples:    []openapi.Example{{Name: "fiat", Summary: "25 EUR, in USDT or BTC", Value: sampleRequestOrder}},
	Answers: []openapi.Answer{{Status: 200, Summary: "The payment request, with the address of its page",
		Sample: RequestAnswer{"payment_request_created_successfully", sampleRequest}}},
	Errors: []*pay.Error{
		input.WrongField("reference_id", "is required"), errNoRequestBody,
		input.WrongField("webhook_url", string(webhooks.NotPublic)).With("field", "webhook_url").With("reason", "unsafe_url"),
		errCatalogue, errDepositNetwork, errDepositToken, errDepositPair, errDepositActive, errAmountVanishes, errNothingOffered, errDuplicatePayin, errNotRecorded, errLookup,
	},
}

var docCheckRequest = Doc{
	ID: "checkPaymentRequest", Tag: tagPayins, Extension: true,
	Params:      []openapi.Param{pathReference("internal_reference, or else the account's reference_id.", 1)},
	Description: "An extension.",
	Answers:     []openapi.Answer{{Status: 200, Summary: "The payment request", Sample: RequestAnswer{"payment_request_retrieved_success", sampleRequest}}},
	Errors:      []*pay.Error{errReferenceLength, errNoRequest},
}
