package api

import (
	"time"

	"causeway/internal/pay"
	"causeway/internal/web/openapi"
)

// The tags of the document.
const (
	tagPayouts  = "Payouts"
	tagPayins   = "Payins"
	tagWallets  = "Fixed wallets"
	tagBalances = "Balances and statements"
	tagPrices   = "Prices and catalogue"

	tagDeliveries = "Webhook deliveries"
)

var docTags = []openapi.Tag{
	{Name: tagPayouts, Description: "Send crypto from the account's balance."},
	{Name: tagPayins, Description: "Receive crypto at an address of its own."},
	{Name: tagWallets, Description: "Permanent deposit addresses of customers."},
	{Name: tagBalances, Description: "What the account has, and what moved it."},
	{Name: tagPrices, Description: "Tokens, fiats, terms and prices."},
	{Name: tagDeliveries, Description: "What became of webhooks, and sending one once more."},
}

// everyOperation are the errors of every operation, in the order of the checks (addendum §4).
var everyOperation = []*pay.Error{
	errBlocked, errInvalidIP, errKeyMissing, errKeyInvalid, errAccessDenied, errUnverified, errIPUnlisted,
	errSignatureMissing, errTimestampForm, errTimestampRange, errNonceLength, errNonceCharset, errSecret, errSignature, errReplayed,
	refusal(errQuota(Quota{Requests: 1000, Window: time.Minute}, 24*time.Second)),
	errScope.With("required_scopes", []string{pay.ScopePayoutWrite}).With("granted_scopes", []string{pay.ScopePayoutRead}),
	errTooLarge, errUnreadable, errInternal, errSandboxAway,
}

// refusal is for examples made by the code of their answers.
func refusal(err error) *pay.Error {
	e, ok := err.(*pay.Error) //nolint:errorlint // made one line above, wrapped by nobody
	if !ok {
		return errInternal
	}
	return e
}

func headerParams(names headerNames) []openapi.Param {
	signed := " For keys that require signed requests; ignored for others."
	return []openapi.Param{
		{Name: names.signature, In: "header", Description: "Lower-case hex HMAC-SHA256 of the request under the key's signing secret." + signed},
		{Name: names.timestamp, In: "header", Description: "Unix seconds, digits only, at most 300 s from the server's clock." + signed,
			Example: "1760000000"},
		{Name: names.nonce, In: "header", Description: "16 to 80 characters of A-Z a-z 0-9 _ -, used once per key." + signed,
			Example: "nonce-aaaaaaaaaaaaaaaa"},
		{Name: requestIDHeader, In: "header", Description: "1 to 64 characters of A-Z a-z 0-9 - _, repeated in the answer; anything else is replaced."},
	}
}

var idempotencyParam = openapi.Param{
	Name: "Idempotency-Key", In: "header", Example: "payroll-2026-11-20",
	Description: "Up to 255 characters; a longer one is ignored. For 24 hours a resend with the same key is answered with the first status and body, whatever its own body.",
}

// retryAfterIfKnown is a Retry-After missing in some answers.
const retryAfterIfKnown = "Retry-After-If-Known"

var answerHeaders = map[string]openapi.Param{
	requestIDHeader: {Description: "The client's, or one of ours.", Required: true, Example: "0197f1c2-7d6e-7b1a-9c55-0d6a1f0e8b11",
		Schema: map[string]any{"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"}},
	"Retry-After": {Description: "Whole seconds to wait.", Required: true, Schema: map[string]any{"type": "string", "pattern": "^[0-9]+$"},
		Example: "24"},
	retryAfterIfKnown: {Name: "Retry-After", Description: "Whole seconds to wait, where that is known.",
		Schema: map[string]any{"type": "string", "pattern": "^[0-9]+$"}, Example: "1"},
	ignoredHeader: {Description: "An extension. The Idempotency-Key was longer than 255 characters, and as good as none.",
		Schema: map[string]any{"type": "string", "enum": []any{"too-long"}}},
	differsHeader: {Description: "An extension. The answer is that of an earlier request with the same Idempotency-Key, whose body had other bytes.",
		Schema: map[string]any{"type": "string", "enum": []any{"true"}}},
	replayedHeader: {Description: "The answer is that of an earlier request with the same Idempotency-Key.",
		Schema: map[string]any{"type": "string", "enum": []any{"true"}}},
}

func pathReference(description string, shortest int) openapi.Param {
	return openapi.Param{Name: "reference", In: "path", Description: description,
		Schema: map[string]any{"type": "string", "minLength": shortest, "maxLength": longestPathReference}, Example: samplePayoutID}
}

// pageParams select a page of a list.
func pageParams() []openapi.Param {
	return []openapi.Param{
		{Name: "page", Description: "Default 1; 0 or what is no whole number is 1. Negative: invalid_page_number.", Example: "1"},
		{Name: "per_page", Description: "1 to 100, default 50; 0 or what is no whole number is 50. Negative or above: invalid_per_page_limit.", Example: "50"},
	}
}

// listParams are the filters of list-payout and list-payin (api-v1 §GET /v1/list-payout). An empty one counts as absent.
func listParams(statuses string) []openapi.Param {
	return append(pageParams(),
		openapi.Param{Name: "status", Description: statuses + ", in any case. Anything else: invalid_status_filter.", Example: "completed"},
		openapi.Param{Name: "crypto_currency", Description: "Token symbol.", Example: "USDT"},
		networkParam("invalid_network_filter"),
		dateParam("date_from", "from 00:00:00", "invalid_date_from"),
		dateParam("date_to", "until 23:59:59", "invalid_date_to"),
		openapi.Param{Name: "reference_id", Description: "Exact match.", Example: "order-2026-0001"},
	)
}

func networkParam(code string) openapi.Param {
	names := []any{""}
	for _, n := range pay.Networks {
		names = append(names, n.Name)
	}
	return openapi.Param{Name: "network", Description: "Canonical name, case-sensitive. Unknown: " + code + ".", Example: "Tron",
		Schema: map[string]any{"type": "string", "enum": names}}
}

func dateParam(name, reach, code string) openapi.Param {
	return openapi.Param{Name: name, Description: "Inclusive " + reach + ", in UTC-03:00. Unreadable: " + code + ".", Example: "2026-11-20",
		Schema: map[string]any{"type": "string", "pattern": `^([0-9]{4}-[0-9]{2}-[0-9]{2})?$`}}
}
