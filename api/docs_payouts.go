package api

import (
	"causeway/api/input"
	"causeway/internal/pay"
	"causeway/internal/web/openapi"
	"causeway/internal/webhooks"
	"causeway/ledger"
)

// payoutBody is one payout, or a list of them.
type payoutBody struct{}

// JSONSchemaOneOf names the forms for the OpenAPI document.
func (payoutBody) JSONSchemaOneOf() []any { return []any{PayoutRequest{}, []PayoutRequest{}} }

var docForms = []openapi.Forms{
	{Of: new(PayoutResult), Are: []any{CreatedPayout{}, RefusedPayout{}}},
	{Of: new(RehearsedResult), Are: []any{RehearsedPayout{}, RefusedPayout{}}},
}

const (
	samplePayoutID = "0197f1c2-7d6e-7b1a-9c55-0d6a1f0e8b11"
	sampleMoment   = "2026-11-20 13:45:00"
	sampleWallet   = "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8"
	sampleHook     = "https://shop.example.com/webhooks"
	sampleTxid     = "7c2d4206c03a883488f9dd1cc2d9f4a2b7a8a0c5e7f3f1b1c3d5e7f90a1b2c3d"
)

var sampleFiat = "12.50000000"

var samplePayoutOrder = PayoutRequest{
	Wallet: sampleWallet, CryptoCurrency: "USDT", ProcessBy: "crypto_amount", ReferenceID: "order-2026-0001", Network: "Tron",
	FeeTakenFromAmount: 0, WebhookURL: sampleHook, CryptoAmount: "12.5",
}

var sampleCreated = CreatedPayout{
	ReferenceID: "order-2026-0001", InternalReference: samplePayoutID, CryptoAmount: "12.5", FiatAmount: &sampleFiat,
	CryptoCurrency: "USDT", FiatCurrency: "USD", NetworkFee: "1", Wallet: sampleWallet, Network: "Tron",
	ProcessBy: "crypto_amount", Status: "created",
}

func sampleRefused(index int, why *pay.Error) *RefusedPayout {
	_, p := problem(why)
	r := &RefusedPayout{Index: index, ReferenceID: "order-2026-0002", Error: p}
	if withoutReference[why.Code] {
		r.ReferenceID = ""
	}
	return r
}

var sampleDuplicate = &RefusedPayout{
	Index: 0, ReferenceID: "order-2026-0001", Error: Problem{Code: errDuplicate.Code, Message: errDuplicate.Message},
	InternalReference: samplePayoutID, Duplicate: true, OriginalStatus: "completed", OriginalCreatedAt: sampleMoment,
}

// itemErrors are the refusals of an item, in the order of the checks (addendum §7).
var itemErrors = []*pay.Error{
	input.FieldErrors{"wallet": "is required"}.As("missing_required_fields", "Some required fields are missing."),
	input.WrongField("webhook_url", string(webhooks.NotPublic)),
	errRepeated, errNetworkOff, errTokenOff, errTokenNetwork, errTokenInactive, errMemoMissing,
	errCryptoAmount, errFiatAmount, errFiatMissing, errFiatRefused, errWalletFormat, errNetworkAway,
	errLimits.With("crypto_currency", "USDT").With("min_withdrawal", "1").With("max_withdrawal", unlimited),
	ledger.ErrFeesExceedAmount, errNoPrice, errInsufficient, errDailyUncounted, errDailyLimit, errDuplicate, errInternal,
}

// attempted lists one refusal of each kind, as results of items.
func attempted() PayoutAnswer {
	answer := PayoutAnswer{Message: "payment_processing_completed", Results: []PayoutResult{sampleDuplicate}}
	for i, e := range itemErrors {
		answer.Results = append(answer.Results, sampleRefused(i+1, e))
	}
	answer.Summary = PayoutSummary{TotalRequested: len(answer.Results), Failed: len(answer.Results)}
	return answer
}

var (
	noneLeft = 1
	allMade  = PayoutAnswer{"payment_processing_completed", PayoutSummary{TotalRequested: 1, Successful: 1},
		[]PayoutResult{&sampleCreated}}
	someMade = PayoutAnswer{"payment_processing_completed", PayoutSummary{TotalRequested: 2, Successful: 1, Failed: 1},
		[]PayoutResult{&sampleCreated, sampleRefused(1, errInsufficient)}}
	noneMade = PayoutAnswer{"payment_processing_completed", PayoutSummary{TotalRequested: 1, Failed: 1},
		[]PayoutResult{sampleRefused(0, errInsufficient)}}
	halfWay = PayoutFailure{problemOf(errInternal), PayoutSummary{TotalRequested: 3, Successful: 1, Failed: 1, NotProcessed: &noneLeft},
		[]PayoutResult{&sampleCreated, sampleRefused(1, errInternal)}}
)

var dryRunParam = openapi.Param{
	Name: input.DryRun, Example: "false", Extension: true, Schema: map[string]any{"type": "string", "enum": []any{"1", "true", "0", "false"}},
	Description: "An extension. 1 or true: every check is made and nothing recorded; the answer is marked dry_run. Anything else than these four: invalid_parameters.",
}

func problemOf(e *pay.Error) Problem {
	_, p := problem(e)
	return p
}

// keyHeaders are the answers' headers about an Idempotency-Key.
var keyHeaders = []string{replayedHeader, differsHeader, ignoredHeader}

var docCreatePayout = Doc{
	ID: "createPayout", Tag: tagPayouts, Body: payoutBody{}, Params: []openapi.Param{dryRunParam}, Unreadable: map[string]*pay.Error{input.DryRun: errDryRun},
	Description: "The body is one payout, or a list of 1 to 50. Items are decided one by one: a refused item stops no other, and nothing is debited for it.",
	Examples: []openapi.Example{
		{Name: "one", Summary: "One payout", Value: samplePayoutOrder},
		{Name: "list", Summary: "A list of payouts", Value: []PayoutRequest{samplePayoutOrder}},
	},
	Answers: []openapi.Answer{
		{Status: 200, Summary: "Every item was created", Sample: allMade, Headers: keyHeaders},
		{Status: 207, Summary: "Some items were created and some refused", Sample: someMade, Headers: keyHeaders},
		{Status: 400, Summary: "Every item was refused", Sample: attempted(), Headers: keyHeaders},
		{Status: 500, Summary: "Recording failed half way: what is known", Sample: halfWay, Headers: []string{ignoredHeader}},
		{Status: 200, Summary: "dry_run: every item would be created", Sample: rehearsalOf(&allMade)},
		{Status: 207, Summary: "dry_run: some items would be created and some refused", Sample: rehearsalOf(&someMade)},
		{Status: 400, Summary: "dry_run: every item would be refused", Sample: rehearsalOf(&noneMade)},
	},
	Errors: []*pay.Error{
		errParseFailed, errPaymentList, errTooMany, input.WrongField("0.wallet", "is required"), errDryRun, errKeyRuns, errCatalogue, errLookup,
		errInsufficientTotal.With("crypto_currency", "USDT").With("available", "10").With("required", "12.5"),
	},
}

var samplePayoutRecord = PayoutRecord{
	InternalReference: samplePayoutID, ReferenceID: "order-2026-0001", Wallet: sampleWallet, CryptoCurrency: "USDT", FiatCurrency: "USD",
	CryptoAmount: "12.5", FiatAmount: &sampleFiat, ProcessBy: "crypto_amount", PercentRate: "0", NetworkFee: "1", Network: "Tron",
	Status: "pending", WebhookURL: sampleHook, FeeTakenFromAmount: "0", CreatedAt: sampleMoment, UpdatedAt: sampleMoment,
}

var sampleMeta = listMeta{CurrentPage: 1, PerPage: 50, Total: 1, TotalPages: 1, Filters: map[string]string{"status": "pending"}}

// filterErrors are the refusals by the filters of both lists.
var filterErrors = []*pay.Error{errPageNumber, errPerPage, errStatusFilter, errNetworkFilter, errDateFrom, errDateTo,
	input.Unreadable("reference_id")}

// unreadableFilters are the filters of the lists with codes of their own.
var unreadableFilters = map[string]*pay.Error{"page": errPageNumber, "per_page": errPerPage, "status": errStatusFilter, "network": errNetworkFilter,
	"date_from": errDateFrom, "date_to": errDateTo}

var docListPayouts = Doc{
	ID: "listPayouts", Tag: tagPayouts, Params: listParams("pending, completed or failed"), Unreadable: unreadableFilters,
	Description: "Newest first. The summary counts all pages that match the filters; refunded payouts are listed only without a status filter.",
	Answers: []openapi.Answer{{Status: 200, Summary: "One page",
		Sample: PayoutList{"payments_retrieved_success", []PayoutRecord{samplePayoutRecord}, PayoutCounts{TotalPending: 1}, sampleMeta}}},
	Errors: filterErrors,
}

var docCheckPayout = Doc{
	ID: "checkPayout", Tag: tagPayouts, Params: []openapi.Param{pathReference("internal_reference of the payout.", shortestChecked)},
	Answers: []openapi.Answer{{Status: 200, Summary: "The payout", Sample: PayoutFound{"payment_retrieved_success", samplePayoutRecord}}},
	Errors:  []*pay.Error{errReferenceLength, errPayoutUnknown},
}

var docValidateAddress = Doc{
	ID: "validateAddress", Tag: tagPayouts, Extension: true,
	Description: "An extension. The check that the wallet of a payout has: format and checksum, no contract of a token, not our own hot wallet.",
	Params: []openapi.Param{
		{Name: "network", Description: "Name or alias, in any case.", Example: "Tron", Required: true},
		{Name: "wallet", Description: "The address.", Example: sampleWallet, Required: true},
	},
	Answers: []openapi.Answer{{Status: 200, Summary: "Whether a payout can go there",
		Sample: AddressAnswer{Message: "address_validated_success", Network: "Tron", Wallet: sampleWallet, Valid: true}}},
	Errors: []*pay.Error{input.WrongField("network", "is not a network"), errNoProcessor, errService},
}
