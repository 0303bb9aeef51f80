package api

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"causeway/api/input"
	"causeway/internal/pay"
	"causeway/internal/web/openapi"
)

const sampleDeliveryID = "0197f1c2-9a40-7c33-8f02-5b7e9d1c6a20"

var (
	sampleStatusCode = 500
	sampleProblem    = "HTTP status 500"
	sampleEnd        = "2026-11-23 13:45:10"
	sampleAttempt    = DeliveryAttempt{Attempt: 11, AttemptedAt: sampleEnd, HTTPStatus: &sampleStatusCode, Error: &sampleProblem, DurationMS: 120}
	sampleDelivery   = WebhookDelivery{ID: uuid.MustParse(sampleDeliveryID), Event: string(pay.PaymentProcessed), Status: "exhausted",
		InternalReference: samplePayoutRef,
		ReferenceID:       "order-2026-0001", WebhookURL: sampleHook, AttemptCount: 11, LastAttempt: &sampleAttempt, CreatedAt: sampleMoment, FinishedAt: &sampleEnd}
	sampleAgain = WebhookDelivery{ID: uuid.MustParse("0197f1c3-02d1-7e58-b1a4-2f6c8e0d4b77"), Event: string(pay.PaymentProcessed), Status: "pending",
		InternalReference: samplePayoutRef, ReferenceID: "order-2026-0001", WebhookURL: sampleHook, RedeliveryOf: &sampleDelivery.ID, CreatedAt: sampleEnd}
	sampleBody = sentBody{json.RawMessage(`{"data":{"status":"success","reference_id":"order-2026-0001"},"event":"payment_processed","timestamp":"` + sampleMoment + `"}`)}
)

var docListDeliveries = Doc{
	ID: "listWebhookDeliveries", Tag: tagDeliveries, Extension: true,
	Description: "An extension. The account's own webhooks, newest first. A list has the newest 10,000 that fit; by reference every one is found.",
	Unreadable:  map[string]*pay.Error{"page": errPageNumber, "per_page": errPerPage, "status": errStatusFilter, "reference": errReferenceUnread},
	Params: append(pageParams(),
		openapi.Param{Name: "status", Description: "pending, delivered or exhausted, in any case. Anything else: invalid_status_filter.",
			Example: "exhausted"},
		openapi.Param{Name: "event", Description: "Name of an event, in any case. Anything else: invalid_parameters.",
			Example: string(pay.PaymentProcessed)},
		openapi.Param{Name: "reference", Description: "internal_reference or reference_id of the payin or payout. Over 255 characters: invalid_reference_id.", Example: "order-2026-0001"},
	),
	Answers: []openapi.Answer{{Status: 200, Summary: "One page", Sample: WebhookDeliveryList{"webhook_deliveries_retrieved_success",
		[]WebhookDelivery{sampleDelivery}, listMeta{1, 50, 1, 1, map[string]string{"status": "exhausted"}}}}},
	Errors: []*pay.Error{errPageNumber, errPerPage, errStatusFilter, input.WrongField("event", "is not an event"), errDeliveryReference},
}

func pathDelivery() openapi.Param {
	return openapi.Param{Name: "id", In: "path", Description: "id of the webhook, which its receiver got in the delivery header.",
		Example: sampleDeliveryID}
}

var docGetDelivery = Doc{
	ID: "getWebhookDelivery", Tag: tagDeliveries, Extension: true, Params: []openapi.Param{pathDelivery()},
	Description: "An extension. Every attempt, oldest first, and the body as it is sent.",
	Answers: []openapi.Answer{{Status: 200, Summary: "The webhook", Sample: WebhookDeliveryFound{"webhook_delivery_retrieved_success",
		WebhookDeliveryRecord{sampleDelivery, []DeliveryAttempt{sampleAttempt}, sampleBody}}}},
	Errors: []*pay.Error{errDeliveryUnknown},
}

var docRedeliver = Doc{
	ID: "redeliverWebhook", Tag: tagDeliveries, Extension: true, Params: []openapi.Param{pathDelivery()},
	Description: "An extension. The same body goes out as a webhook of its own, with data.is_duplicated true, after what is still to go out of the same payin or payout. At most 100 in an hour.",
	Answers: []openapi.Answer{
		{Status: 201, Summary: "The webhook that repeats it", Sample: WebhookRedelivered{"webhook_redelivered_success", sampleAgain}},
		{Status: 200, Summary: "The one that repeats it already, and is still to go out",
			Sample: WebhookRedelivered{"webhook_already_redelivered", sampleAgain}},
	},
	Errors: []*pay.Error{errDeliveryUnknown, refusal(errRedeliveries(24 * time.Second))},
}
