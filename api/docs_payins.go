package api

import (
	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/api/input"
	"causeway/internal/pay"
	"causeway/internal/web/openapi"
	"causeway/internal/webhooks"
)

// payinBody is one payin; a list of one is taken too.
type payinBody struct{}

// JSONSchemaOneOf names the forms for the OpenAPI document.
func (payinBody) JSONSchemaOneOf() []any { return []any{PayinRequest{}, []PayinRequest{}} }

var samplePayinID = uuid.MustParse("0197f1c3-1a2b-7c3d-8e4f-5a6b7c8d9e0f")

const samplePage = "https://pay.example.com/pay/0197f1c3-1a2b-7c3d-8e4f-5a6b7c8d9e0f"

var samplePayinOrder = PayinRequest{
	CryptoCurrency: "USDT", ProcessBy: "crypto_amount", ReferenceID: "order-2026-0001", Network: "Tron", WebhookURL: sampleHook, CryptoAmount: "12.5",
}

var (
	sampleToken = pay.Token{Symbol: "USDT", MinReceipt: decimal.NewFromInt(1), MaxReceipt: decimal.NewNullDecimal(decimal.NewFromInt(100000))}
	sampleQuote = payinQuote{Fiat: "EUR", Amount: decimal.New(54, -2), FiatText: &sampleFiat, Price: decimal.NewNullDecimal(decimal.New(92, -2))}
)

var docCreatePayin = Doc{
	ID: "createPayin", Tag: tagPayins, Body: payinBody{},
	Description: "One payin; a list with a single one is accepted. There is no Idempotency-Key: after a time-out send the same reference_id again, and duplicate_reference_id says that the first request created it.",
	Examples:    []openapi.Example{{Name: "one", Summary: "A payin of 12.5 USDT", Value: samplePayinOrder}},
	Answers: []openapi.Answer{{Status: 200, Summary: "The payin, with the address to pay to", Sample: PayinCreated{
		"deposit_created_successfully", PayinCreatedData{
			ReferenceID: "order-2026-0001", InternalReference: samplePayinID, Wallet: sampleWallet, CryptoAmount: "12.5", FiatAmount: &sampleFiat,
			CryptoCurrency: "USDT", FiatCurrency: "USD", Network: "Tron", Status: "created", CheckoutURL: samplePage,
		}}}},
	Errors: []*pay.Error{
		input.WrongField("reference_id", "is required"), errNoPayin, errBatch,
		input.WrongField("webhook_url", string(webhooks.NotPublic)).With("field", "webhook_url").With("reason", "unsafe_url"),
		errCryptoRequired, errFiatRequired, errFiatUnnamed, errCatalogue,
		errDepositNetwork, errDepositToken, errDepositPair, errDepositActive, errMemoRequired,
		errAmountVanishes, errAmountsDiffer, errNoConversion, errNoValidation,
		refusal(sampleQuote.outOfLimits(&sampleToken)),
		refusal(sampleQuote.valueOut(&sampleToken, "value_below_minimum", "below_minimum", "The value is below the token's minimum.")),
		refusal(sampleQuote.valueOut(&sampleToken, "value_above_maximum", "above_maximum", "The value is above the token's maximum.")),
		errDuplicatePayin, errNoProcessor, errProcessor, errNoAddress, errNotRecorded, errLookup,
	},
}

var (
	sampleState = "exact"
	sampleTxids = `["` + sampleTxid + `"]`
)

var samplePayinRecord = PayinRecord{
	InternalReference: samplePayinID, ReferenceID: "order-2026-0001", Wallet: sampleWallet, Network: "Tron",
	CryptoCurrency: "USDT", CryptoAmount: "12.5", InvoiceCurrency: "USDT", InvoiceAmount: "12.5", FiatCurrency: "USD", FiatAmount: &sampleFiat,
	ReceivedAmount: "12.5", ProcessBy: "crypto_amount", PercentRate: "0", NetworkFee: "0", MinimumPayment: "100",
	Status: "completed", PaymentStatus: &sampleState, Txid: &sampleTxids,
	Payments: []webhooks.Payment{{Token: "USDT", Amount: "12.5", Network: "Tron", Txid: sampleTxid, Timestamp: sampleMoment}},
	UnconfirmedPayments: []UnconfirmedPayment{{Token: "TRX", Amount: "40", Network: "Tron", Txid: sampleTxid, Timestamp: sampleMoment,
		Confirmations: 3, RequiredConfirmations: 19}},
	WebhookURL: sampleHook, CreatedAt: sampleMoment, UpdatedAt: sampleMoment, ExpiresAt: "2026-11-20 17:45:00", CheckoutURL: samplePage,
}

var docCheckPayin = Doc{
	ID: "checkPayin", Tag: tagPayins, Params: []openapi.Param{pathReference("internal_reference, or else the account's reference_id.", shortestChecked)},
	Answers: []openapi.Answer{{Status: 200, Summary: "The payin", Sample: PayinAnswer{"deposit_retrieved_success", samplePayinRecord}}},
	Errors:  []*pay.Error{errReferenceLength, errNoDeposit},
}

var docListPayins = Doc{
	ID: "listPayins", Tag: tagPayins, Params: listParams("pending, completed, failed or reversed"), Unreadable: unreadableFilters,
	Description: "Newest first. The summary counts all pages that match the filters.",
	Answers: []openapi.Answer{{Status: 200, Summary: "One page",
		Sample: PayinList{"deposits_retrieved_success", []PayinRecord{samplePayinRecord}, PayinTotals{Completed: 1},
			listMeta{1, 50, 1, 1, map[string]string{"status": "completed"}}}}},
	Errors: filterErrors,
}
