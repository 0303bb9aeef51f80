package api

import (
	"github.com/google/uuid"

	"causeway/api/input"
	"causeway/internal/pay"
	"causeway/internal/web/openapi"
	"causeway/internal/webhooks"
)

var (
	sampleRefundID     = uuid.MustParse("0197f1c5-2e60-7d3b-a41c-6f5e4d3c2b1a")
	sampleRefundWallet = sampleWallet
	sampleRefundUntil  = "2026-11-27 13:45:00"
	sampleRefundOrder  = RefundRequest{Payin: samplePayinID.String(), ReferenceID: "refund-2026-0001", Amount: pay.RefundOverpaid, FeeTakenFromAmount: 0, WebhookURL: sampleHook}
	sampleRefundPaid   = RefundRequest{Payin: "order-2026-0001", ReferenceID: "refund-2026-0002", Amount: "2.5", FeeTakenFromAmount: 1, WebhookURL: sampleHook,
		Wallet: &sampleRefundWallet}
	sampleRefund = RefundRecord{InternalReference: sampleRefundID, ReferenceID: "refund-2026-0001", Payin: samplePayinID, CryptoCurrency: "USDT", Network: "Tron",
		CryptoAmount: "2.5", FeeTakenFromAmount: "0", Status: string(pay.RefundOpen), WebhookURL: sampleHook, CreatedAt: sampleMoment, ExpiresAt: &sampleRefundUntil,
		RefundURL: "https://pay.example.com/pay/refund/" + sampleRefundID.String() + ".AQID"}
	sampleRevoked = RefundRecord{InternalReference: sampleRefundID, ReferenceID: "refund-2026-0001", Payin: samplePayinID, CryptoCurrency: "USDT", Network: "Tron",
		CryptoAmount: "2.5", FeeTakenFromAmount: "0", Status: string(pay.RefundRevoked), WebhookURL: sampleHook, CreatedAt: sampleMoment, ExpiresAt: &sampleRefundUntil}
	sampleLeft = RefundableLeft{CryptoCurrency: "USDT", Network: "Tron", Arrived: "27.5", Refunded: "2.5", Refundable: "25", Overpaid: "0"}
)

var docCreateRefund = Doc{
	ID: "createRefund", Tag: tagPayins, Extension: true, Body: RefundRequest{},
	Description: "An extension. Gives a payer back what came for a payin: all, the part paid too much, or an amount, never more than arrived. " +
		"With a wallet a payout is recorded at once. Without one the payer says on a page where to.",
	Examples: []openapi.Example{{Name: "link", Summary: "The overpaid part, by a link", Value: sampleRefundOrder},
		{Name: "wallet", Summary: "2.5 less the fees, to an address", Value: sampleRefundPaid}},
	Answers: []openapi.Answer{{Status: 200, Summary: "The refund", Sample: RefundAnswer{"refund_created_successfully", sampleRefund}, Headers: keyHeaders}},
	Errors: []*pay.Error{
		input.WrongField("reference_id", "is required"), errNoRefundBody, input.WrongField("webhook_url", string(webhooks.NotPublic)),
		errNoRefundPayin, errRefundNothing, errRefundExceeds.With("crypto_currency", "USDT").With("network", "Tron").With("refundable", "2.5"),
		errNotPayable.With("reason", errInsufficient.Code), errDuplicateRefund, errKeyRuns, errCatalogue, errRefundUnknown, errLookup,
	},
}

var docCheckRefund = Doc{
	ID: "checkRefund", Tag: tagPayins, Extension: true,
	Params:      []openapi.Param{pathReference("internal_reference of the refund, or else the account's reference_id.", 1)},
	Description: "An extension. refund_url is shown to keys with payout:write, while the link is open.",
	Answers:     []openapi.Answer{{Status: 200, Summary: "The refund", Sample: RefundAnswer{"refund_retrieved_success", sampleRefund}}},
	Errors:      []*pay.Error{errReferenceLength, errNoRefund},
}

var docRevokeRefund = Doc{
	ID: "revokeRefund", Tag: tagPayins, Extension: true,
	Params:      []openapi.Param{pathReference("internal_reference of the refund, or else the account's reference_id.", 1)},
	Description: "An extension. The payer can say no more where to, and the amount may be refunded otherwise.",
	Answers:     []openapi.Answer{{Status: 200, Summary: "The refund, whose link is revoked now or was before", Sample: RefundAnswer{"refund_revoked_success", sampleRevoked}}},
	Errors:      []*pay.Error{errReferenceLength, errNoRefund, errRefundEnded},
}

var docPayinRefunds = Doc{
	ID: "listPayinRefunds", Tag: tagPayins, Extension: true,
	Params:      []openapi.Param{pathReference("internal_reference of the payin, or else the account's reference_id.", 1)},
	Description: "An extension. What came and is final, by token and network, what of it was refunded, and the newest 500 refunds.",
	Answers: []openapi.Answer{{Status: 200, Summary: "The refunds", Sample: PayinRefunds{"refunds_retrieved_success", samplePayinID,
		[]RefundableLeft{sampleLeft}, []RefundRecord{sampleRefund}}}},
	Errors: []*pay.Error{errReferenceLength, errNoRefundPayin},
}
