package api

import (
	"causeway/internal/pay"
	"causeway/internal/web/openapi"
)

// The forms of text on the wire.
const (
	wireAmountSent = `^[0-9]{1,30}(\.[0-9]{1,30})?$`
	wireAmount     = `^[0-9]+(\.[0-9]+)?$`
	wireLedger     = `^-?[0-9]+\.[0-9]{8}$`
	wireLimit      = `^([0-9]+(\.[0-9]+)?|unlimited)$`
	wireMoment     = `^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}$`
	wireUUID       = `^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`
)

func amountOf(what string) openapi.Field {
	return openapi.Field{Pattern: wireAmount, Description: what}
}

func momentOf(what string) openapi.Field {
	return openapi.Field{Pattern: wireMoment, Description: what}
}

func identity(what string) openapi.Field {
	return openapi.Field{Pattern: wireUUID, Format: "uuid", Description: what}
}

func said(what string) openapi.Field { return openapi.Field{Description: what} }

func oneOf(what string, words ...any) openapi.Field {
	return openapi.Field{Description: what, Enum: words}
}

func asked(what string) openapi.Field {
	return openapi.Field{Description: what, Types: []string{"string", "number"}, Example: "12.5"}
}

// docFields describes properties by name, and by "Type.property" where a name means different things.
var docFields = map[string]openapi.Field{
	"index":               said("Position in the request, from 0."),
	"internal_reference":  identity("Identifier that the service gave."),
	"reference_id":        said("The merchant's reference."),
	"wallet":              said("Address."),
	"memo":                said("Destination memo or tag; null when the token uses none."),
	"network":             said("Canonical name of the network."),
	"networks":            said("Canonical names."),
	"crypto_currency":     said("Token symbol."),
	"fiat_currency":       said("Fiat code."),
	"crypto_amount":       amountOf("In crypto_currency."),
	"fiat_amount":         amountOf("In fiat_currency; null when there is no price."),
	"network_fee":         amountOf("Network fee in the token."),
	"percent_rate":        amountOf("The percentage that was applied."),
	"process_by":          oneOf("Which amount counts.", "crypto_amount", "fiat_amount"),
	"txid":                said("Transaction hash; null while there is none."),
	"webhook_url":         said("Where notices go; empty when that is nowhere."),
	"created_at":          momentOf("In UTC."),
	"updated_at":          momentOf("In UTC."),
	"timestamp":           momentOf("In UTC."),
	"amount":              amountOf("Credited amount."),
	"customer_info":       said("The merchant's name for the customer; at most 200 characters, no white space."),
	"WalletAnswer.wallet": said("The wallet."),
	"balance_key":         said("Key of the token in balances and statements."),
	"expires_at":          momentOf("When the payin fails unless it is paid, in UTC."),

	"PayoutRequest.wallet": said("Destination address. Surrounding spaces are cut. An EVM address in mixed case must carry its checksum. A zero address, a token's contract and our own hot wallet are invalid_format."),
	"PayoutRequest.reference_id": {Description: "1 to 255 characters, not all of them spaces, or an integer. Unique on the account.",
		Pattern: `^\s*(\S[\s\S]*)?\S\s*$`, Types: []string{"string", "integer"}, Example: "order-2026-0001"},
	"PayoutRequest.feetakenfromamount": {Description: "1: fees are taken from the amount. 0: they are added to the debit.",
		Types: []string{"integer", "string"}, Enum: []any{0, 1, "0", "1"}},
	"PayoutRequest.crypto_amount": asked("A plain decimal above zero. Required with process_by crypto_amount, else ignored."),
	"PayoutRequest.fiat_amount":   asked("A plain decimal above zero. Required with process_by fiat_amount, else ignored."),
	"PayoutRequest.network":       said("Canonical name or alias, in any case."),
	"PayoutRequest.webhook_url":   said("https, no user or password, standard port, to a public address."),
	"PayoutRequest.fiat_currency": said("Fiat code in any case. Required with process_by fiat_amount; else the account's preferred one counts, then USD."),
	"PayoutRequest.memo":          said("8 to 15 digits; required for tokens that need one."),

	"dry_run":                            {Description: "Nothing was recorded.", Enum: []any{true}, Extension: true},
	"RehearsedPayout.internal_reference": {Description: "null: there is no payout.", Extension: true},

	"CreatedPayout.crypto_amount": amountOf("What the recipient gets."),
	"CreatedPayout.status":        oneOf("", "created"),
	"RefusedPayout.reference_id":  said("Absent for the codes that the contract marks (no ref)."),
	"original_status":             oneOf("Present status of the original payout.", "pending", "completed", "failed", "refunded"),
	"original_created_at":         momentOf("When the original payout was created."),
	"not_processed":               said("How many items were not attempted; only after a failure half way."),
	"PayoutRecord.status":         oneOf("", "pending", "completed", "failed", "refunded"),
	"PayoutRecord.crypto_amount":  amountOf("What the recipient gets."),
	"feetakenfromamount":          oneOf("", "0", "1"),
	"PayoutAnswer.message":        oneOf("", "payment_processing_completed"),
	"PayoutRecord.memo":           {Description: "Destination memo; null when the token uses none.", Extension: true},

	"PayinRequest.reference_id":  said("1 to 255 characters, trimmed. Unique on the account."),
	"PayinRequest.network":       said("Canonical name or alias, in any case."),
	"PayinRequest.webhook_url":   said("https, no user or password, standard port, to a public IPv4 address."),
	"PayinRequest.crypto_amount": asked("A plain decimal above zero. Required with process_by crypto_amount, else ignored and recalculated."),
	"PayinRequest.fiat_amount": {Description: "A plain decimal above zero. Required with process_by fiat_amount. With process_by crypto_amount both amounts may differ by 30 %.",
		Types: []string{"string", "number", "null"}, Pattern: wireAmountSent, Example: "12.5"},
	"PayinRequest.fiat_currency": said("Accepted fiat code in any case. Required with process_by fiat_amount; else the account's preferred one counts, then USD."),
	"PayinRequest.expires_at":    {Description: "Lifetime in seconds. Default 14400.", Example: 14400},
	"PayinRequest.memo":          said("8 to 15 digits; required for tokens that need one."),

	"PayinCreatedData.status":   oneOf("", "created"),
	"PayinRecord.network_fee":   amountOf("Network fee in the token that the account pays; 0 where it pays none."),
	"PayinRecord.webhook_url":   said("Where notices go: of a payin to a fixed address where the account wants them now. Empty when that is nowhere."),
	"PayinRecord.status":        oneOf("", "pending", "completed", "failed", "reversed"),
	"payment_status":            oneOf("received_amount compared with crypto_amount; null before any payment.", "partial", "exact", "overpaid", nil),
	"PayinRecord.txid":          said("Text holding a JSON list of transaction hashes; null before any payment."),
	"received_amount":           amountOf("What was credited, in crypto_currency."),
	"invoice_amount":            amountOf("Same as crypto_amount."),
	"minimum_payment":           amountOf("Percentage of crypto_amount that completes a payin."),
	"PayinNoticeData.txid":      said("Text holding a JSON list of transaction hashes; null before any payment."),
	"PayinNoticeData.status":    oneOf("", "pending", "success", "failed", "reversed"),
	"PayinNoticeData.reversal":  said("What the network took back; absent when nothing."),
	"finality_status":           oneOf("final once no reorganisation can take the money back. No webhook is sent for that: available of GET /v1/balances says so.", "pending", "final"),
	"PayoutNoticeData.status":   oneOf("", "success", "failed"),
	"PayinRecord.customer_info": {Description: "The merchant's name for the customer; null without one.", Extension: true},
	"late":                      {Description: "Some credited money came after expires_at. Absent otherwise.", Extension: true},
	"worth_at_arrival": {Description: "What that money was worth in fiat_currency when it was credited. Absent without a price.",
		Extension: true, Example: "9.60000000"},
	"payments": said("The credited transfers."),
	"payments_omitted": {Description: "What the credited transfers come to that are not in payments, of a payin with more than 500 transfers. Absent otherwise.",
		Extension: true},
	"Omitted.count":                  said("How many they are."),
	"Omitted.amount":                 amountOf("What they count for, in crypto_currency."),
	"converted_to":                   said("What a transfer in another token counts for."),
	"is_wallet_fixed":                said("The payin came from a fixed wallet."),
	"reversal":                       said("What the network took back; null when nothing."),
	"Reversal.partial":               said("A part of the payin is still credited."),
	"Reversal.amounts":               said("What was removed, by balance key."),
	"reversed_at":                    momentOf("In UTC."),
	"unconfirmed_payments":           {Description: "Transfers that were seen and are not credited yet.", Extension: true},
	"PayinRecord.return_url":         {Description: "The shop's page for its payer. Absent when the payin names none.", Extension: true},
	"PayinRequest.return_url":        {Description: "http or https, no user or password. The payers' page leads back there.", Example: "https://shop.example/orders/1042", Extension: true},
	"checkout_url":                   {Description: "Page on which the payer pays it. Absent unless the operator has set PUBLIC_BASE_URL.", Extension: true},
	"payment_request":                {Description: "The payment request.", Extension: true},
	"PaymentRequestBody.amount":      {Description: "In currency.", Example: "25.00"},
	"PaymentRequestBody.currency":    {Description: "An accepted fiat currency, or the symbol of a token.", Example: "EUR"},
	"PaymentRequestBody.offers":      {Description: "What the payer may choose. Everything without it."},
	"PaymentRequestBody.expires_at":  {Description: "Seconds from now; 86400 without it."},
	"PaymentRequestBody.description": {Description: "For the payer."},
	"items":                          {Description: "What is paid for, for the payer. Amounts are shown and not added up.", Extension: true},
	"Item.name":                      {Description: "Of the item.", Example: "Ticket", Extension: true},
	"Item.quantity":                  {Description: "How many.", Example: 2, Extension: true},
	"RequestItem.name":               {Description: "Of the item.", Example: "Ticket", Extension: true},
	"RequestItem.quantity":           {Description: "How many; 1 without it.", Example: 2, Extension: true},
	"RequestItem.amount":             {Description: "Of one, in currency.", Types: []string{"string", "number"}, Example: "12.5", Extension: true},
	"Item.amount":                    {Description: "Of one, in currency.", Pattern: wireAmount, Example: "12.5", Extension: true},
	"customer_email":                 {Description: "Of the customer, for the account alone: the page does not show it.", Example: "anna@example.com", Extension: true},
	"cancel_url":                     {Description: "The shop's page for a payer who does not pay: http or https, no user or password.", Example: "https://shop.example/cart", Extension: true},
	"RequestRecord.payins":           {Description: "What the payer has chosen, oldest first."},
	"AddressAnswer.valid":            {Description: "A payout can go to it.", Extension: true},
	"AddressAnswer.memo":             {Description: "The tag that the address carries in itself; null without one.", Extension: true},
	"AddressAnswer.hint":             {Description: "Why, for people, with the right form where that is known; null when valid.", Extension: true},
	"AddressAnswer.reason":           {Description: "The code that a payout would be refused with, invalid_format; null when valid.", Extension: true},

	"QuoteAnswer.operation":      {Description: "payout or payin.", Extension: true},
	"accepted":                   {Description: "Such an operation would be taken, as far as its amount goes.", Extension: true},
	"QuoteAnswer.reason":         {Description: "The code that it would be refused with; null when accepted.", Extension: true},
	"QuoteAnswer.reason_message": {Description: "The message of that refusal; null when accepted.", Extension: true},
	"QuoteOption.reason":         {Description: "The code that it would be refused with; null when accepted.", Extension: true},
	"QuoteAnswer.crypto_amount":  amountOf("The amount in the token, cut to its precision."),
	"min_amount":                 {Description: "The token's minimum.", Pattern: wireAmount, Extension: true},
	"max_amount":                 {Description: "The token's maximum.", Pattern: wireLimit, Extension: true},
	"pays_network_fee":           {Description: "The account pays the network fee.", Extension: true},
	"QuoteAnswer.price": {Description: "What one of the token is worth in fiat_currency; null when there is no price.",
		Pattern: wireAmount, Extension: true},
	"price_updated_at": {Description: "When that price was known, in UTC.", Pattern: wireMoment, Extension: true},
	"options":          {Description: "Of a payout one for each feetakenfromamount; of a payin one, or none when the token is refused.", Extension: true},
	"gross":            {Description: "What a payout debits; what is paid in.", Pattern: wireAmount, Extension: true},
	"net": {Description: "What the recipient of a payout gets; what a payin credits.", Pattern: wireAmount,
		Extension: true},
	"rate_fee":                       {Description: "The rate fee.", Pattern: wireAmount, Extension: true},
	"QuoteOption.network_fee":        {Description: "What of the network fee the account pays.", Pattern: wireAmount, Extension: true},
	"QuoteOption.fiat_amount":        {Description: "What the operation would show as fiat_amount; null without a price.", Pattern: wireAmount},
	"QuoteOption.feetakenfromamount": oneOf("null for a payin.", "0", "1", nil),

	"WebhookDelivery.id":                 identity("Its id, which the receiver got in the delivery header."),
	"event":                              said("Name of the event."),
	"WebhookDelivery.status":             oneOf("", pay.DeliveryPending, pay.DeliveryDelivered, pay.DeliveryExhausted),
	"WebhookDelivery.internal_reference": identity("The payin or payout that it tells of."),
	"WebhookDelivery.webhook_url":        said("Where it goes."),
	"attempt_count":                      {Description: "How often it was tried.", Extension: true},
	"last_attempt":                       {Description: "The newest try; null before the first.", Extension: true},
	"redelivery_of":                      {Description: "The webhook that this one repeats; null for all others.", Extension: true},
	"finished_at": {Description: "When it was delivered or given up, in UTC; null while it is pending.",
		Pattern: wireMoment, Extension: true},
	"attempts":              {Description: "Every try, oldest first.", Extension: true},
	"attempt":               {Description: "Counted from 1.", Extension: true},
	"attempted_at":          {Description: "In UTC.", Pattern: wireMoment, Extension: true},
	"http_status":           {Description: "What the receiver answered; null without an answer.", Extension: true},
	"DeliveryAttempt.error": {Description: "Why it was not taken, in a few words; null when it was.", Extension: true},
	"duration_ms":           {Description: "How long the try took, in milliseconds.", Extension: true},
	"deliveries":            {Description: "The page.", Extension: true},
	"delivery":              {Description: "The webhook.", Extension: true},
	"body":                  {Description: "What is sent, as it stands.", Extension: true},

	"UnconfirmedPayment.amount": amountOf("Amount seen."),
	"confirmations":             said("Blocks on the transfer so far; 0 in the mempool."),
	"required_confirmations":    said("Blocks after which it is credited."),
	"balances":                  said("Total by balance key."),
	"available":                 said("What can be paid out, by balance key."),
	"locked":                    said("What waits for finality, by balance key."),
	"StatementLine.type":        oneOf("", movementTypes()...),
	"StatementSum.type":         oneOf("", movementTypes()...),
	"direction":                 oneOf("", "in", "out"),
	"balance":                   said("Balance key."),
	"StatementLine.amount":      {Pattern: wireLedger, Description: "Positive; direction tells the sign."},
	"balance_after":             {Pattern: wireLedger, Description: "The balance after this movement."},
	"total_amount":              {Pattern: wireLedger, Description: "The sum."},
	"variant":                   said("How the token exists on the network: coin, native, pegged or bridged."),
	"AcceptedToken.network_fee": amountOf("Network fee in the token; null where it is set in another currency and there is no price."),
	"contract_address":          said("Empty for a native coin."),
	"min_receipt":               amountOf("Smallest payin."),
	"max_receipt":               {Pattern: wireLimit, Description: "Largest payin, or the word unlimited."},
	"min_withdrawal":            amountOf("Least that a recipient of a payout gets."),
	"max_withdrawal":            {Pattern: wireLimit, Description: "Largest payout, or the word unlimited."},
	"receipt_rate":              amountOf("Percentage on payins and fixed wallets of the API."),
	"payment_rate":              amountOf("Percentage on payouts of the API."),
	"deposit_rate":              amountOf("Percentage on deposits through the panel."),
	"withdrawal_rate":           amountOf("Percentage on withdrawals in the panel."),
	"generated_at":              momentOf("In UTC."),
	"PriceAnswer.price": {Pattern: `^[0-9]{1,3}(\.[0-9]{3})*,[0-9]+$`, Description: "Dots between thousands, decimal comma.",
		Example: "63.250,10"},
	"WalletRecord.type":        said("Lower-case family, such as evm, tron, bitcoin."),
	"WalletRecord.status":      oneOf("", "STATUS_ASSIGNED", "STATUS_REVOKED"),
	"WalletRecord.origin":      said("Such as external_api."),
	"last_transaction_at":      momentOf("null when there was none."),
	"revoke_at":                momentOf("When it is revoked unless a transfer arrives; null when that is not planned."),
	"pending_revocation":       said("It is going to be revoked for inactivity."),
	"WalletToken.token":        said("Balance key."),
	"GlobalAllowance.mode":     oneOf("", pay.WalletsGlobal),
	"GlobalAllowance.used":     said("Every address ever assigned, revoked ones included."),
	"PerTypeAllowance.mode":    oneOf("", pay.WalletsPerType),
	"TypeBudget.used":          said("Addresses that are assigned now."),
	"listMeta.filters":         said("The filters applied; dates are not repeated."),
	"WalletConfig.webhook_url": said("https, no user or password, standard port, to a public IPv4 address, as of a payin; null when there is none."),
	"WalletRequest.type":       said("A type of listFixedWalletTypes that the account's allowance has."),
}
