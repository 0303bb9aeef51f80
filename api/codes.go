package api

import "slices"

// Code is one row of the contract's tables of error codes (api-v1 §Errors). The OpenAPI document and the error reference
// take their words from here; a test compares the rows with docs/spec.
type Code struct {
	Section string // heading of the table
	Status  int    // 0 for the errors of payout items, found in results under 207 or 400
	Code    string
	When    string // the condition
	Never   string // why it is never answered; empty when it can be
}

// The headings of the tables.
const (
	sectionAccess   = "Authentication and access"
	sectionRequest  = "Request-level errors"
	sectionBusiness = "Business errors"
	sectionItems    = "Payout item errors"
	sectionSystem   = "System errors"
)

const (
	neverIncomplete = "A key is bound to its merchant by the database and is read together with it, so that no account can be half set up."
	neverItemLoads  = "The catalogue is read once for a request, before its items; when that fails the whole request is answered with it."
	neverItemFails  = "A failure to record an item is always internal_error, whatever its cause, so that no detail of ours shows."
)

// Codes returns every row, in the contract's order.
func Codes() []Code {
	var all []Code
	for _, table := range [][]Code{accessCodes, requestCodes, businessCodes, itemCodes, systemCodes} {
		all = append(all, table...)
	}
	return all
}

// whenOf returns the condition of a code under a status, "" when the contract has no such row.
func whenOf(status int, code string) string {
	for _, c := range Codes() {
		if c.Status == status && c.Code == code {
			return c.When
		}
	}
	return ""
}

// inContract reports whether a code stands in any of the tables.
func inContract(code string) bool {
	return slices.ContainsFunc(Codes(), func(c Code) bool { return c.Code == code })
}

// contractDetails are the details named by the contract. Others are extensions, and documented as such.
var contractDetails = map[string][]string{
	"invalid_parameters":         {"fields", "field", "reason"},
	"missing_required_fields":    {"fields"},
	"scope_denied":               {"required_scopes", "granted_scopes"},
	"rate_limit_exceeded":        {"limit", "window_seconds", "retry_after_seconds", "retry_after_formatted"},
	"insufficient_total_balance": {"crypto_currency", "available", "required"},
	"record_not_found":           {"resource"},
	"invalid_format":             {"field"},
	"date_range_too_wide":        {"max_days"},
	"amount_out_of_limits":       {"message", "crypto_amount", "crypto_currency", "min_allowed", "max_allowed", "process_by"},
	"value_below_minimum":        limitDetails,
	"value_above_maximum":        limitDetails,
}

var limitDetails = []string{"reason", "crypto_currency", "fiat_currency", "fiat_amount", "crypto_amount", "min_crypto", "max_crypto",
	"min_fiat", "max_fiat"}

var accessCodes = []Code{
	{sectionAccess, 401, "api_key_missing", "The key header is absent.", ""},
	{sectionAccess, 401, "api_key_invalid", "The key is unknown, revoked or expired, or its account is suspended.", ""},
	{sectionAccess, 403, "api_access_denied", "API access is disabled for the account.", ""},
	{sectionAccess, 403, "email_not_verified", "The account's e-mail address is not verified.", ""},
	{sectionAccess, 403, "ip_not_authorized", "The client's address is not in the key's whitelist.", ""},
	{sectionAccess, 400, "invalid_ip", "The client's address cannot be determined.", ""},
	{sectionAccess, 401, "signature_headers_missing", "The key requires a signature and one of its three headers is missing.", ""},
	{sectionAccess, 401, "signature_timestamp_invalid", "The timestamp has something else than digits.", ""},
	{sectionAccess, 401, "signature_timestamp_out_of_range", "The timestamp is more than 300 s from the server's clock.", ""},
	{sectionAccess, 401, "signature_nonce_length_invalid", "The nonce has fewer than 16 or more than 80 characters.", ""},
	{sectionAccess, 401, "signature_nonce_charset_invalid", "The nonce has a character other than A-Z a-z 0-9 _ -.", ""},
	{sectionAccess, 401, "signature_invalid", "The signature does not match the request.", ""},
	{sectionAccess, 401, "signature_replayed", "The key has used this nonce before.", ""},
	{sectionAccess, 401, "signature_secret_unavailable", "The key requires a signature and has no usable secret.", ""},
	{sectionAccess, 403, "scope_denied", "The key lacks the operation's scope.", ""},
	{sectionAccess, 429, "rate_limit_exceeded", "The key's quota is used up. Retry-After and details.retry_after_seconds say when to come back.", ""},
	{sectionAccess, 429, "too_many_failed_authentications",
		"Too many authentications from this address have failed; Retry-After says for how long it is blocked.", ""},
	{sectionAccess, 401, "user_not_authenticated", "The request is not tied to a key.",
		"No operation runs before its request is tied to a key; one that cannot be is api_key_missing or api_key_invalid."},
}

var requestCodes = []Code{
	{sectionRequest, 404, "route_not_found", "There is no operation at this path and method.", ""},
	{sectionRequest, 400, "json_parse_exception", "The body is not valid JSON.", ""},
	{sectionRequest, 400, "json_parse_failed", "The body is null or false.", ""},
	{sectionRequest, 400, "invalid_parameters", "Parameters are missing or invalid; details.fields says what about which.", ""},
	{sectionRequest, 400, "invalid_payment_list", "The body is empty, or neither an object nor a non-empty list.", ""},
	{sectionRequest, 400, "max_payouts_exceeded", "The list has more than 50 payouts.", ""},
	{sectionRequest, 409, "idempotency_key_in_progress", "The first request with this Idempotency-Key is still running.", ""},
	{sectionRequest, 400, "crypto_amount_required", "process_by is crypto_amount, which is missing.", ""},
	{sectionRequest, 400, "fiat_amount_required", "process_by is fiat_amount, which is missing.", ""},
	{sectionRequest, 400, "fiat_currency_required", "process_by is fiat_amount and fiat_currency is missing.", ""},
	{sectionRequest, 400, "invalid_parameters_for_process_by", "The amount becomes zero, or too large, once it is cut or converted.", ""},
	{sectionRequest, 400, "invalid_page_number", "page is negative.", ""},
	{sectionRequest, 400, "invalid_per_page_limit", "per_page is negative or above 100.", ""},
	{sectionRequest, 400, "invalid_status_filter", "status cannot be listed.", ""},
	{sectionRequest, 400, "invalid_network_filter", "network is not a canonical name.", ""},
	{sectionRequest, 400, "invalid_date_from", "date_from cannot be read.", ""},
	{sectionRequest, 400, "invalid_date_to", "date_to cannot be read, or lies before date_from.", ""},
	{sectionRequest, 400, "invalid_reference_id", "The reference is too short or too long.", ""},
	{sectionRequest, 400, "invalid_pagination", "page or per_page is out of range.", ""},
	{sectionRequest, 400, "invalid_format", "A filter cannot be read; details.field says which.", ""},
	{sectionRequest, 400, "invalid_date_range", "date_from is after date_to.", ""},
	{sectionRequest, 400, "date_range_too_wide", "From date_from to date_to, both counted, are more days than details.max_days.", ""},
	{sectionRequest, 400, "invalid_amount", "min_amount or max_amount is no plain decimal, or the minimum is above the maximum.", ""},
	{sectionRequest, 400, "missing_parameters", "currency1 or currency2 is missing.", ""},
	{sectionRequest, 400, "invalid_currency", "A currency is not known here; details.field says which.", ""},
	{sectionRequest, 400, "invalid_webhook_url", "The address may not be used.", ""},
}

var businessCodes = []Code{
	{sectionBusiness, 400, "insufficient_total_balance", "The payouts of one token ask for more than is available. Nothing was debited.", ""},
	{sectionBusiness, 404, "user_not_found", "The account is not set up.", neverIncomplete},
	{sectionBusiness, 404, "record_not_found", "What was looked for is not on the account.", ""},
	{sectionBusiness, 400, "duplicate_reference_id", "A payin, payment request or refund with this reference_id exists.", ""},
	{sectionBusiness, 400, "invalid_network_or_deposits_disabled", "The network is unknown or takes no deposits.", ""},
	{sectionBusiness, 400, "unsupported_token_or_deposits_disabled", "The token is unknown or takes no deposits.", ""},
	{sectionBusiness, 400, "token_network_mismatch", "The token is not on this network.", ""},
	{sectionBusiness, 400, "token_not_supported_or_inactive", "The token is not active.", ""},
	{sectionBusiness, 400, "no_token_offered", "None of the request's tokens and networks can be paid with now.", ""},
	{sectionBusiness, 400, "slug_taken", "A payment link with this slug exists; it may be another account's.", ""},
	{sectionBusiness, 400, "nothing_to_refund", "Nothing of what is to be refunded is final and not refunded yet.", ""},
	{sectionBusiness, 400, "refund_exceeds_payin", "The amount is more than may still be refunded; details.refundable says how much may.", ""},
	{sectionBusiness, 400, "refund_not_payable", "The payout of the refund is refused; details.reason is the code of a payout item.", ""},
	{sectionBusiness, 409, "refund_not_open", "The refund has no open link: it was paid or revoked, or has expired.", ""},
	{sectionBusiness, 400, "memo_required", "The token needs a memo.", ""},
	{sectionBusiness, 400, "amount_out_of_limits", "The amount is outside the token's limits, with process_by crypto_amount.", ""},
	{sectionBusiness, 400, "value_below_minimum", "The amount is below the token's minimum, with process_by fiat_amount.", ""},
	{sectionBusiness, 400, "value_above_maximum", "The amount is above the token's maximum, with process_by fiat_amount.", ""},
	{sectionBusiness, 400, "crypto_amount_does_not_correspond_to_fiat_amount_provided",
		"The amounts differ by more than 30 % at the current price.", ""},
	{sectionBusiness, 404, "price_not_found", "There is no price for the pair.", ""},
	{sectionBusiness, 403, "feature_disabled", "Fixed wallets are not enabled for the account.", ""},
	{sectionBusiness, 422, "type_not_supported", "There are no fixed wallets of this type.", ""},
	{sectionBusiness, 403, "limit_not_allowed", "The account's limit for this type is zero.", ""},
	{sectionBusiness, 409, "limit_reached", "The account holds as many fixed wallets as it may.", ""},
	{sectionBusiness, 409, "no_wallet_available", "No fixed wallet of this type is free; try again later.", ""},
}

var itemCodes = []Code{
	{sectionItems, 0, "invalid_parameters", "Fields are invalid; details.fields says which.", ""},
	{sectionItems, 0, "missing_required_fields", "Required fields are absent; details.fields says which.", ""},
	{sectionItems, 0, "duplicate_payment_reference", "The reference_id was used before; the item tells of the original.", ""},
	{sectionItems, 0, "duplicate_reference_id_in_request", "The reference_id stands in this request before. Comes without reference_id.", ""},
	{sectionItems, 0, "invalid_crypto_amount", "process_by needs crypto_amount, which is missing or invalid. Comes without reference_id.", ""},
	{sectionItems, 0, "invalid_fiat_amount", "process_by needs fiat_amount, which is missing or invalid. Comes without reference_id.", ""},
	{sectionItems, 0, "fiat_currency_required", "process_by is fiat_amount and fiat_currency is missing. Comes without reference_id.", ""},
	{sectionItems, 0, "fiat_currency_not_accepted", "The fiat currency is not accepted.", ""},
	{sectionItems, 0, "invalid_network_or_withdrawals_disabled", "The network is unknown or takes no withdrawals. Comes without reference_id.", ""},
	{sectionItems, 0, "unsupported_token_or_withdrawals_disabled", "The token is unknown or takes no withdrawals. Comes without reference_id.", ""},
	{sectionItems, 0, "token_network_mismatch", "The token is not on this network. Comes without reference_id.", ""},
	{sectionItems, 0, "token_not_active", "The token is not active.", ""},
	{sectionItems, 0, "memo_required", "The token needs a memo. Comes without reference_id.", ""},
	{sectionItems, 0, "invalid_format", "The wallet is no address that can be paid to on the network.", ""},
	{sectionItems, 0, "limit_exceeded", "The recipient would get less than the token's minimum, or the amount is above its maximum.", ""},
	{sectionItems, 0, "amount_does_not_cover_fees", "With feetakenfromamount 1 the fees eat the whole amount.", ""},
	{sectionItems, 0, "crypto_amount_does_not_correspond_to_fiat_amount_provided", "The amounts do not fit the price.",
		"Reserved: the amount that process_by does not select is ignored (addendum §6)."},
	{sectionItems, 0, "insufficient_balance", "The balance does not cover the payout and its fees.", ""},
	{sectionItems, 0, "daily_payout_limit_exceeded", "The key's daily limit would be exceeded.", ""},
	{sectionItems, 0, "daily_payout_limit_unavailable",
		"There is a daily limit and the spending could not be recorded; nothing was debited, and the same reference may be sent later.", ""},
	{sectionItems, 0, "price_unavailable", "There is no price to convert the amount or the network fee, or a daily limit and no USD quote of the token.", ""},
	{sectionItems, 0, "error_fetching_active_tokens", "The catalogue could not be loaded.", neverItemLoads},
	{sectionItems, 0, "error_fetching_active_currencies", "The catalogue could not be loaded.", neverItemLoads},
	{sectionItems, 0, "user_not_found", "The account is not set up.", neverIncomplete},
	{sectionItems, 0, "record_not_found", "The account is not set up.", neverIncomplete},
	{sectionItems, 0, "internal_error", "Recording failed and was rolled back; look with check-payout or list-payout before sending it again.", ""},
	{sectionItems, 0, "database_error", "Recording failed and was rolled back.", neverItemFails},
	{sectionItems, 0, "transaction_failed", "Recording failed and was rolled back.", neverItemFails},
	{sectionItems, 0, "network_unavailable", "The network cannot be used now.", ""},
	{sectionItems, 0, "duplicate_record", "Recording failed and was rolled back.",
		"A reference that is taken is duplicate_payment_reference, also when requests race; other ids are ours and random."},
}

var systemCodes = []Code{
	{sectionSystem, 500, "internal_error", "Something failed on our side. A payout request that failed half way also answers summary and results.", ""},
	{sectionSystem, 500, "database_error", "The statements could not be read.", ""},
	{sectionSystem, 500, "error_fetching_active_currencies", "The catalogue could not be loaded; nothing was processed.", ""},
	{sectionSystem, 500, "token_type_not_found", "The payin could not be created.",
		"The type of a token is that of its network, and the networks are compiled in."},
	{sectionSystem, 500, "receipt_creation_failed", "The payin could not be created.",
		"The payin and its address are one transaction, whose failure is database_transaction_failed."},
	{sectionSystem, 500, "database_transaction_failed", "The payin could not be recorded.", ""},
	{sectionSystem, 502, "external_processor_error", "No deposit address could be made now; nothing was created.", ""},
	{sectionSystem, 503, "no_processor_configured", "The network is not configured here, or not followed yet.", ""},
	{sectionSystem, 503, "no_wallet_available", "No deposit address is available now.", ""},
	{sectionSystem, 503, "price_not_available_for_conversion", "There is no price to convert with.", ""},
	{sectionSystem, 503, "price_not_available_for_validation", "There is no price to check the amounts with.", ""},
	{sectionSystem, 503, "service_unavailable", "Something that is needed is away for now.", ""},
	{sectionSystem, 500, "config_update_failed", "The configuration was not saved.", ""},
	{sectionSystem, 500, "assign_failed", "The fixed wallet could not be assigned.", ""},
}
