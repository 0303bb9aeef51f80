# Written by `make kits` from the OpenAPI document. Do not edit.
"""The bodies and answers of the API. Amounts are decimals in text."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict


class AcceptedFiat(TypedDict):
    code: str
    name: str
    symbol: str


class AcceptedToken(TypedDict):
    symbol: str
    # Empty for a native coin.
    contract_address: str
    # Canonical name of the network.
    network: str
    # How the token exists on the network: coin, native, pegged or bridged.
    variant: str
    # Key of the token in balances and statements.
    balance_key: str
    # Smallest payin.
    min_receipt: str
    # Largest payin, or the word unlimited.
    max_receipt: str
    # Least that a recipient of a payout gets.
    min_withdrawal: str
    # Largest payout, or the word unlimited.
    max_withdrawal: str
    # Network fee in the token; null where it is set in another currency and there is no price.
    network_fee: str | None


class AddressAnswer(TypedDict):
    message: str
    # Canonical name of the network.
    network: str
    # Address.
    wallet: str
    # A payout can go to it.
    valid: bool
    # The tag that the address carries in itself; null without one.
    memo: str | None
    # The code that a payout would be refused with, invalid_format; null when valid.
    reason: str | None
    # Why, for people, with the right form where that is known; null when valid.
    hint: str | None


Allowance: TypeAlias = "GlobalAllowance | PerTypeAllowance"


class BalancesAnswer(TypedDict):
    message: str
    # Total by balance key.
    balances: dict[str, str]
    # What can be paid out, by balance key.
    available: dict[str, str]
    # What waits for finality, by balance key.
    locked: dict[str, str]


class ChosenPayin(TypedDict):
    # Identifier that the service gave.
    internal_reference: str
    # The merchant's reference.
    reference_id: str
    # Token symbol.
    crypto_currency: str
    # Canonical name of the network.
    network: str
    status: str


class Converted(TypedDict):
    token: str
    # Credited amount.
    amount: str


class CreatedPayout(TypedDict):
    # Position in the request, from 0.
    index: int
    # The merchant's reference.
    reference_id: str
    # Identifier that the service gave.
    internal_reference: str
    # What the recipient gets.
    crypto_amount: str
    # In fiat_currency; null when there is no price.
    fiat_amount: str | None
    # Token symbol.
    crypto_currency: str
    # Fiat code.
    fiat_currency: str
    # Network fee in the token.
    network_fee: str
    # Address.
    wallet: str
    # Destination memo or tag; null when the token uses none.
    memo: str | None
    # Canonical name of the network.
    network: str
    # Which amount counts.
    process_by: Literal["crypto_amount", "fiat_amount"]
    status: Literal["created"]


class CurrenciesAnswer(TypedDict):
    message: str
    tokens: list[str]
    fiats: list[str]


class DeliveryAttempt(TypedDict):
    # Counted from 1.
    attempt: int
    # In UTC.
    attempted_at: str
    # What the receiver answered; null without an answer.
    http_status: int | None
    # Why it was not taken, in a few words; null when it was.
    error: str | None
    # How long the try took, in milliseconds.
    duration_ms: int


EitherNotice: TypeAlias = "PayoutNotice | PayinNotice"


class FiatsAnswer(TypedDict):
    message: str
    fiats: list[AcceptedFiat]


class GlobalAllowance(TypedDict):
    mode: Literal["global"]
    limit: int
    # Every address ever assigned, revoked ones included.
    used: int
    remaining: int
    supported_types: list[WalletType]


class Item(TypedDict):
    # Of the item.
    name: str
    # How many.
    quantity: int
    # Of one, in currency.
    amount: NotRequired[str]


class LinkAnswer(TypedDict):
    message: str
    # The payment link.
    payment_link: LinkRecord


class LinkList(TypedDict):
    message: str
    # The page.
    payment_links: list[LinkRecord]
    meta: ListMeta


class LinkRecord(TypedDict):
    # Identifier that the service gave.
    internal_reference: str
    # End of the page's address. It is one link's for good.
    slug: str
    # What the payers read in place of a reference: 1 to 250 characters, trimmed.
    label: str
    currency: str
    # In currency; null where the payer says it.
    amount: str | None
    # The least that a payer may say; null without a bound.
    min_amount: str | None
    # The most that a payer may say; null without a bound.
    max_amount: str | None
    offers: list[Offer]
    status: Literal["open", "ended"]
    # Where notices go; empty when that is nowhere.
    webhook_url: str
    # In UTC.
    created_at: str
    # When the link ended, in UTC; null while it is open.
    ended_at: str | None
    # The shop's page for a payer who does not pay: http or https, no user or password.
    cancel_url: NotRequired[str]
    # Page on which the payer pays it. Absent unless the operator has set PUBLIC_BASE_URL.
    checkout_url: NotRequired[str]
    # Of the pages for payers, in place of the account's: #rrggbb. It is moved until its texts can be read.
    colour: NotRequired[str]
    description: NotRequired[str]
    return_url: NotRequired[str]
    # Where a payer asks, in place of the account's address: an e-mail address, or the address of a page by https.
    support: NotRequired[str]


class ListMeta(TypedDict):
    current_page: int
    per_page: int
    total: int
    total_pages: int
    # The filters applied; dates are not repeated.
    filters: dict[str, str]


NetworkRates: TypeAlias = "dict[str, NetworkTerms] | list[NetworkTerms]"


class NetworkTerms(TypedDict):
    # Percentage on payins and fixed wallets of the API.
    receipt_rate: str
    # Percentage on payouts of the API.
    payment_rate: str
    # Percentage on deposits through the panel.
    deposit_rate: str
    # Percentage on withdrawals in the panel.
    withdrawal_rate: str
    user_pays_payment_network_fee: bool | None
    user_pays_receipt_network_fee: bool | None
    user_pays_deposit_network_fee: bool | None
    user_pays_withdrawal_network_fee: bool | None


class Offer(TypedDict):
    # Token symbol.
    crypto_currency: str
    # Canonical name of the network.
    network: str


class Omitted(TypedDict):
    # How many they are.
    count: int
    # What they count for, in crypto_currency.
    amount: str


class PayinAnswer(TypedDict):
    message: str
    deposit: PayinRecord


PayinBody: TypeAlias = "PayinRequest | list[PayinRequest]"


class PayinCreated(TypedDict):
    message: str
    data: PayinCreatedData


class PayinCreatedData(TypedDict):
    # The merchant's reference.
    reference_id: str
    # Identifier that the service gave.
    internal_reference: str
    # Address.
    wallet: str
    # In crypto_currency.
    crypto_amount: str
    # In fiat_currency; null when there is no price.
    fiat_amount: str | None
    # Token symbol.
    crypto_currency: str
    # Fiat code.
    fiat_currency: str
    # Canonical name of the network.
    network: str
    status: Literal["created"]
    # Page on which the payer pays it. Absent unless the operator has set PUBLIC_BASE_URL.
    checkout_url: NotRequired[str]


class PayinList(TypedDict):
    message: str
    deposits: list[PayinRecord]
    summary: PayinTotals
    meta: ListMeta


class PayinNotice(TypedDict):
    data: PayinNoticeData
    # Name of the event.
    event: str
    # In UTC.
    timestamp: str


class PayinNoticeData(TypedDict):
    status: Literal["pending", "success", "failed", "reversed"]
    # The merchant's reference.
    reference_id: str
    # Identifier that the service gave.
    internal_reference: str
    # Canonical name of the network.
    network: str
    # Token symbol.
    crypto_currency: str
    # In crypto_currency.
    crypto_amount: str
    # Fiat code.
    fiat_currency: str
    # In fiat_currency; null when there is no price.
    fiat_amount: str | None
    # Address.
    wallet: str
    # The merchant's name for the customer; at most 200 characters, no white space.
    customer_info: str | None
    # What was credited, in crypto_currency.
    received_amount: str
    # received_amount compared with crypto_amount; null before any payment.
    payment_status: Literal["partial", "exact", "overpaid"] | None
    # The credited transfers.
    payments: list[Payment]
    # Text holding a JSON list of transaction hashes; null before any payment.
    txid: str | None
    funds_available: bool
    # final once no reorganisation can take the money back. No webhook is sent for that: available of GET /v1/balances says so.
    finality_status: Literal["pending", "final"]
    # The payin came from a fixed wallet.
    is_wallet_fixed: bool
    is_duplicated: bool
    detected_amount: NotRequired[str]
    # Some credited money came after expires_at. Absent otherwise.
    late: NotRequired[bool]
    # What the credited transfers come to that are not in payments, of a payin with more than 500 transfers. Absent otherwise.
    payments_omitted: NotRequired[Omitted]
    reason: NotRequired[str]
    # What the network took back; absent when nothing.
    reversal: NotRequired[Reversal]
    transfers: NotRequired[list[Payment]]
    # Transfers that were seen and are not credited yet.
    unconfirmed_payments: NotRequired[list[Unconfirmed]]
    # What that money was worth in fiat_currency when it was credited. Absent without a price.
    worth_at_arrival: NotRequired[str | None]


class PayinRecord(TypedDict):
    # Identifier that the service gave.
    internal_reference: str
    # The merchant's reference.
    reference_id: str
    # Address.
    wallet: str
    # Canonical name of the network.
    network: str
    # Token symbol.
    crypto_currency: str
    # In crypto_currency.
    crypto_amount: str
    invoice_currency: str
    # Same as crypto_amount.
    invoice_amount: str
    # Fiat code.
    fiat_currency: str
    # In fiat_currency; null when there is no price.
    fiat_amount: str | None
    # What was credited, in crypto_currency.
    received_amount: str
    # Which amount counts.
    process_by: Literal["crypto_amount", "fiat_amount"]
    # The percentage that was applied.
    percent_rate: str
    # Network fee in the token that the account pays; 0 where it pays none.
    network_fee: str
    # Percentage of crypto_amount that completes a payin.
    minimum_payment: str
    status: Literal["pending", "completed", "failed", "reversed"]
    # received_amount compared with crypto_amount; null before any payment.
    payment_status: Literal["partial", "exact", "overpaid"] | None
    # Text holding a JSON list of transaction hashes; null before any payment.
    txid: str | None
    # The credited transfers.
    payments: list[Payment]
    # Transfers that were seen and are not credited yet.
    unconfirmed_payments: list[UnconfirmedPayment]
    # Where notices go: of a payin to a fixed address where the account wants them now. Empty when that is nowhere.
    webhook_url: str
    # The payin came from a fixed wallet.
    is_wallet_fixed: bool
    # The merchant's name for the customer; null without one.
    customer_info: str | None
    # What the network took back; null when nothing.
    reversal: Reversal | None
    # In UTC.
    created_at: str
    # In UTC.
    updated_at: str
    # When the payin fails unless it is paid, in UTC.
    expires_at: str
    # Page on which the payer pays it. Absent unless the operator has set PUBLIC_BASE_URL.
    checkout_url: NotRequired[str]
    # Some credited money came after expires_at. Absent otherwise.
    late: NotRequired[bool]
    # What the credited transfers come to that are not in payments, of a payin with more than 500 transfers. Absent otherwise.
    payments_omitted: NotRequired[Omitted]
    # The shop's page for its payer. Absent when the payin names none.
    return_url: NotRequired[str]
    # What that money was worth in fiat_currency when it was credited. Absent without a price.
    worth_at_arrival: NotRequired[str | None]


class PayinRefunds(TypedDict):
    message: str
    # internal_reference of the payin.
    payin: str
    # What may still be refunded.
    refundable: list[RefundableLeft]
    # Newest first, without those of the panel.
    refunds: list[RefundRecord]


class PayinRequest(TypedDict):
    # Token symbol.
    crypto_currency: str
    # Which amount counts.
    process_by: Literal["crypto_amount", "fiat_amount"]
    # 1 to 255 characters, trimmed. Unique on the account.
    reference_id: str
    # Canonical name or alias, in any case.
    network: str
    # https, no user or password, standard port, to a public IPv4 address.
    webhook_url: str
    # A plain decimal above zero. Required with process_by crypto_amount, else ignored and recalculated.
    crypto_amount: NotRequired[str | None]
    # The merchant's name for the customer; at most 200 characters, no white space.
    customer_info: NotRequired[str | None]
    # Lifetime in seconds. Default 14400.
    expires_at: NotRequired[int | None]
    # A plain decimal above zero. Required with process_by fiat_amount. With process_by crypto_amount both amounts may differ by 30 %.
    fiat_amount: NotRequired[str | None]
    # Accepted fiat code in any case. Required with process_by fiat_amount; else the account's preferred one counts, then USD.
    fiat_currency: NotRequired[str | None]
    # 8 to 15 digits; required for tokens that need one.
    memo: NotRequired[str | None]
    # http or https, no user or password. The payers' page leads back there.
    return_url: NotRequired[str | None]


class PayinTotals(TypedDict):
    total_pending: int
    total_completed: int
    total_failed: int
    total_reversed: int


class Payment(TypedDict):
    token: str
    # Credited amount.
    amount: str
    # Canonical name of the network.
    network: str
    # Transaction hash; null while there is none.
    txid: str
    # In UTC.
    timestamp: str
    # What a transfer in another token counts for.
    converted_to: NotRequired[Converted]


class PaymentLinkBody(TypedDict):
    # What the payers read in place of a reference: 1 to 250 characters, trimmed.
    label: str
    # An accepted fiat currency, or the symbol of a token.
    currency: str
    # Where notices go; empty when that is nowhere.
    webhook_url: str
    # In currency. Without it the payer says it.
    amount: NotRequired[Any]
    # The shop's page for a payer who does not pay: http or https, no user or password.
    cancel_url: NotRequired[str | None]
    # Of the pages for payers, in place of the account's: #rrggbb. It is moved until its texts can be read.
    colour: NotRequired[str | None]
    # For the payers.
    description: NotRequired[str | None]
    # The most that a payer may say. Only without amount.
    max_amount: NotRequired[Any]
    # The least that a payer may say. Only without amount.
    min_amount: NotRequired[Any]
    # What payers may choose. Everything without it.
    offers: NotRequired[list[Offer]]
    return_url: NotRequired[str | None]
    # End of the page's address: 3 to 60 small letters and digits, with single dashes between. A random one without it.
    slug: NotRequired[str | None]
    # Where a payer asks, in place of the account's address: an e-mail address, or the address of a page by https.
    support: NotRequired[str | None]


class PaymentRequestBody(TypedDict):
    # The merchant's reference.
    reference_id: str
    # In currency.
    amount: Any
    # An accepted fiat currency, or the symbol of a token.
    currency: str
    # Where notices go; empty when that is nowhere.
    webhook_url: str
    # The shop's page for a payer who does not pay: http or https, no user or password.
    cancel_url: NotRequired[str | None]
    # Of the pages for payers, in place of the account's: #rrggbb. It is moved until its texts can be read.
    colour: NotRequired[str | None]
    # Of the customer: for the account, and for receipts if it sends them. The page does not show it.
    customer_email: NotRequired[str | None]
    # The merchant's name for the customer; at most 200 characters, no white space.
    customer_info: NotRequired[str | None]
    # For the payer.
    description: NotRequired[str | None]
    # Seconds from now; 86400 without it.
    expires_at: NotRequired[int | None]
    # What is paid for, for the payer. Amounts are shown and not added up.
    items: NotRequired[list[RequestItem]]
    # What the payer may choose. Everything without it.
    offers: NotRequired[list[Offer]]
    return_url: NotRequired[str | None]
    # Where a payer asks, in place of the account's address: an e-mail address, or the address of a page by https.
    support: NotRequired[str | None]


class PayoutAnswer(TypedDict):
    message: Literal["payment_processing_completed"]
    summary: PayoutSummary
    results: list[PayoutResult]


PayoutBody: TypeAlias = "PayoutRequest | list[PayoutRequest]"


class PayoutCounts(TypedDict):
    total_pending: int
    total_completed: int
    total_failed: int


class PayoutFailure(TypedDict):
    error: Problem
    summary: PayoutSummary
    results: list[PayoutResult]


class PayoutFound(TypedDict):
    message: str
    payment: PayoutRecord


class PayoutList(TypedDict):
    message: str
    # The credited transfers.
    payments: list[PayoutRecord]
    summary: PayoutCounts
    meta: ListMeta


class PayoutNotice(TypedDict):
    data: PayoutNoticeData
    # Name of the event.
    event: str
    # In UTC.
    timestamp: str


class PayoutNoticeData(TypedDict):
    status: Literal["success", "failed"]
    # The merchant's reference.
    reference_id: str
    # Identifier that the service gave.
    internal_reference: str
    # Canonical name of the network.
    network: str
    # Token symbol.
    crypto_currency: str
    # In crypto_currency.
    crypto_amount: str
    # Fiat code.
    fiat_currency: str
    # In fiat_currency; null when there is no price.
    fiat_amount: str | None
    # Address.
    wallet: str
    # Destination memo or tag; null when the token uses none.
    memo: str | None
    # Network fee in the token.
    network_fee: str
    # The percentage that was applied.
    percent_rate: str
    transactions: list[str]
    is_duplicated: NotRequired[bool]
    reason: NotRequired[str]


class PayoutRecord(TypedDict):
    # Identifier that the service gave.
    internal_reference: str
    # The merchant's reference.
    reference_id: str
    # Address.
    wallet: str
    # Destination memo; null when the token uses none.
    memo: str | None
    # Token symbol.
    crypto_currency: str
    # Fiat code.
    fiat_currency: str
    # What the recipient gets.
    crypto_amount: str
    # In fiat_currency; null when there is no price.
    fiat_amount: str | None
    # Which amount counts.
    process_by: Literal["crypto_amount", "fiat_amount"]
    # The percentage that was applied.
    percent_rate: str
    # Network fee in the token.
    network_fee: str
    # Canonical name of the network.
    network: str
    status: Literal["pending", "completed", "failed", "refunded"]
    # Transaction hash; null while there is none.
    txid: str | None
    # Where notices go; empty when that is nowhere.
    webhook_url: str
    feetakenfromamount: Literal["0", "1"]
    # In UTC.
    created_at: str
    # In UTC.
    updated_at: str


class PayoutRehearsal(TypedDict):
    message: str
    # Nothing was recorded.
    dry_run: Literal[True]
    summary: PayoutSummary
    results: list[RehearsedResult]


class PayoutRequest(TypedDict):
    # Destination address. Surrounding spaces are cut. An EVM address in mixed case must carry its checksum. A zero address, a token's contract and our own hot wallet are invalid_format.
    wallet: str
    # Token symbol.
    crypto_currency: str
    # Which amount counts.
    process_by: Literal["crypto_amount", "fiat_amount"]
    # 1 to 255 characters, not all of them spaces, or an integer. Unique on the account.
    reference_id: str
    # Canonical name or alias, in any case.
    network: str
    # 1: fees are taken from the amount. 0: they are added to the debit.
    feetakenfromamount: Literal[0, 1, "0", "1"]
    # https, no user or password, standard port, to a public address.
    webhook_url: str
    # A plain decimal above zero. Required with process_by crypto_amount, else ignored.
    crypto_amount: NotRequired[str | None]
    # The merchant's name for the customer; at most 200 characters, no white space.
    customer_info: NotRequired[str | None]
    # A plain decimal above zero. Required with process_by fiat_amount, else ignored.
    fiat_amount: NotRequired[str | None]
    # Fiat code in any case. Required with process_by fiat_amount; else the account's preferred one counts, then USD.
    fiat_currency: NotRequired[str | None]
    # 8 to 15 digits; required for tokens that need one.
    memo: NotRequired[str | None]


PayoutResult: TypeAlias = "CreatedPayout | RefusedPayout"


class PayoutSummary(TypedDict):
    total_requested: int
    successful: int
    failed: int
    # How many items were not attempted; only after a failure half way.
    not_processed: NotRequired[int | None]


class PerTypeAllowance(TypedDict):
    mode: Literal["per_type"]
    # What is paid for, for the payer. Amounts are shown and not added up.
    items: list[TypeBudget]


class PriceAnswer(TypedDict):
    message: str
    currency1: str
    currency2: str
    # Dots between thousands, decimal comma.
    price: str
    # In UTC.
    updated_at: str


class Problem(TypedDict):
    code: str
    message: str
    details: NotRequired[dict[str, Any]]


class QuoteAnswer(TypedDict):
    message: str
    # payout or payin.
    operation: str
    # Canonical name of the network.
    network: str
    # Token symbol.
    crypto_currency: str
    # Fiat code.
    fiat_currency: str
    # Which amount counts.
    process_by: Literal["crypto_amount", "fiat_amount"]
    # Such an operation would be taken, as far as its amount goes.
    accepted: bool
    # The code that it would be refused with; null when accepted.
    reason: str | None
    # The message of that refusal; null when accepted.
    reason_message: str | None
    # The amount in the token, cut to its precision.
    crypto_amount: str | None
    # The token's minimum.
    min_amount: str | None
    # The token's maximum.
    max_amount: str | None
    # The percentage that was applied.
    percent_rate: str | None
    # Network fee in the token.
    network_fee: str | None
    # The account pays the network fee.
    pays_network_fee: bool | None
    # What one of the token is worth in fiat_currency; null when there is no price.
    price: str | None
    # When that price was known, in UTC.
    price_updated_at: str | None
    # Of a payout one for each feetakenfromamount; of a payin one, or none when the token is refused.
    options: list[QuoteOption]


class QuoteOption(TypedDict):
    # null for a payin.
    feetakenfromamount: Literal["0", "1"] | None
    # Such an operation would be taken, as far as its amount goes.
    accepted: bool
    # The code that it would be refused with; null when accepted.
    reason: str | None
    # What a payout debits; what is paid in.
    gross: str | None
    # The rate fee.
    rate_fee: str | None
    # What of the network fee the account pays.
    network_fee: str | None
    # What the recipient of a payout gets; what a payin credits.
    net: str | None
    # What the operation would show as fiat_amount; null without a price.
    fiat_amount: str | None


class RefundAnswer(TypedDict):
    message: str
    # The refund.
    refund: RefundRecord


class RefundRecord(TypedDict):
    # Identifier that the service gave.
    internal_reference: str
    # The merchant's reference.
    reference_id: str
    # internal_reference of the payin.
    payin: str
    # Token symbol.
    crypto_currency: str
    # Canonical name of the network.
    network: str
    # What is given back: what the payer gets, and with feetakenfromamount 1 the fees.
    crypto_amount: str
    feetakenfromamount: Literal["0", "1"]
    status: Literal["open", "expired", "revoked", "pending", "completed", "failed"]
    # internal_reference of the payout; null until the payer has said where to.
    payout: str | None
    # Where to; null until the payer has said so.
    wallet: str | None
    # Destination memo; null without one.
    memo: str | None
    # Of the payout's transaction; null before.
    txid: str | None
    # Where notices go; empty when that is nowhere.
    webhook_url: str
    # In UTC.
    created_at: str
    # Until when the payer may say where to, in UTC; null for a refund without a link.
    expires_at: str | None
    description: NotRequired[str]
    # Page on which the payer says where to. Whoever has it may. Absent unless the link is open, the key has payout:write, and the operator has set PUBLIC_BASE_URL.
    refund_url: NotRequired[str]


class RefundRequest(TypedDict):
    # internal_reference of the payin, or else the account's reference_id.
    payin: str
    # 1 to 250 characters, trimmed. Unique among the account's refunds. The payout bears it.
    reference_id: str
    # all, overpaid, or a plain decimal above zero, of what came.
    amount: str
    # 1: fees are taken from the amount. 0: they are added to the debit.
    feetakenfromamount: Literal[0, 1, "0", "1"]
    # Of the payout: https, no user or password, standard port, to a public address.
    webhook_url: str
    # The token that came; the payin's without it.
    crypto_currency: NotRequired[str | None]
    # For the payer.
    description: NotRequired[str | None]
    # Seconds from now in which the payer may say where to; 604800 without it. Only without wallet.
    expires_at: NotRequired[int | None]
    # 8 to 15 digits; required for tokens that need one. Only with wallet.
    memo: NotRequired[str | None]
    # Where to. Without it the payer says so on a page.
    wallet: NotRequired[str | None]


class RefundableLeft(TypedDict):
    # Token symbol.
    crypto_currency: str
    # Canonical name of the network.
    network: str
    # What came and is final.
    arrived: str
    # What of it was refunded or promised by an open link.
    refunded: str
    # What may still be refunded.
    refundable: str
    # What of that was paid too much.
    overpaid: str


class RefusedPayout(TypedDict):
    # Position in the request, from 0.
    index: int
    error: Problem
    duplicate: NotRequired[bool]
    # Identifier that the service gave.
    internal_reference: NotRequired[str]
    # When the original payout was created.
    original_created_at: NotRequired[str]
    # Present status of the original payout.
    original_status: NotRequired[Literal["pending", "completed", "failed", "refunded"]]
    # Absent for the codes that the contract marks (no ref).
    reference_id: NotRequired[str]


class RehearsedPayout(TypedDict):
    # Position in the request, from 0.
    index: int
    # The merchant's reference.
    reference_id: str
    # null: there is no payout.
    internal_reference: str | None
    # In crypto_currency.
    crypto_amount: str
    # In fiat_currency; null when there is no price.
    fiat_amount: str | None
    # Token symbol.
    crypto_currency: str
    # Fiat code.
    fiat_currency: str
    # Network fee in the token.
    network_fee: str
    # Address.
    wallet: str
    # Destination memo or tag; null when the token uses none.
    memo: str | None
    # Canonical name of the network.
    network: str
    # Which amount counts.
    process_by: Literal["crypto_amount", "fiat_amount"]
    status: str


RehearsedResult: TypeAlias = "RehearsedPayout | RefusedPayout"


class RequestAnswer(TypedDict):
    message: str
    # The payment request.
    payment_request: RequestRecord


class RequestItem(TypedDict):
    # Of the item.
    name: str
    # Of one, in currency.
    amount: NotRequired[str]
    # How many; 1 without it.
    quantity: NotRequired[int | None]


class RequestRecord(TypedDict):
    # Identifier that the service gave.
    internal_reference: str
    # The merchant's reference.
    reference_id: str
    # Credited amount.
    amount: str
    currency: str
    # What is paid for, for the payer. Amounts are shown and not added up.
    items: list[Item]
    offers: list[Offer]
    status: str
    # What the payer has chosen, oldest first.
    payins: list[ChosenPayin]
    # The merchant's name for the customer; at most 200 characters, no white space.
    customer_info: str | None
    # Where notices go; empty when that is nowhere.
    webhook_url: str
    # In UTC.
    created_at: str
    # When the payin fails unless it is paid, in UTC.
    expires_at: str
    # The shop's page for a payer who does not pay: http or https, no user or password.
    cancel_url: NotRequired[str]
    # Page on which the payer pays it. Absent unless the operator has set PUBLIC_BASE_URL.
    checkout_url: NotRequired[str]
    # Of the pages for payers, in place of the account's: #rrggbb. It is moved until its texts can be read.
    colour: NotRequired[str]
    # Of the customer: for the account, and for receipts if it sends them. The page does not show it.
    customer_email: NotRequired[str]
    description: NotRequired[str]
    return_url: NotRequired[str]
    # Where a payer asks, in place of the account's address: an e-mail address, or the address of a page by https.
    support: NotRequired[str]


class Reversal(TypedDict):
    # In UTC.
    reversed_at: str
    # A part of the payin is still credited.
    partial: bool
    # What was removed, by balance key.
    amounts: dict[str, str]


SentBody: TypeAlias = "dict[str, Any]"


class StatementLine(TypedDict):
    id: int
    type: Literal["DEPOSIT", "WITHDRAWAL", "RATE", "FEE", "WITHDRAWAL_REFUND", "DEPOSIT_REVERSAL"]
    direction: Literal["in", "out"]
    # Balance key.
    balance: str
    # Token symbol.
    crypto_currency: str
    # Positive; direction tells the sign.
    amount: str
    # The balance after this movement.
    balance_after: str
    # Canonical name of the network.
    network: str | None
    # The merchant's reference.
    reference_id: str | None
    # Identifier that the service gave.
    internal_reference: str | None
    # Transaction hash; null while there is none.
    txid: str | None
    # In UTC.
    created_at: str


class StatementSum(TypedDict):
    # Balance key.
    balance: str
    # Token symbol.
    crypto_currency: str
    type: Literal["DEPOSIT", "WITHDRAWAL", "RATE", "FEE", "WITHDRAWAL_REFUND", "DEPOSIT_REVERSAL"]
    direction: Literal["in", "out"]
    count: int
    # The sum.
    total_amount: str


class StatementsAnswer(TypedDict):
    message: str
    statements: list[StatementLine]
    meta: ListMeta


class StatementsSummary(TypedDict):
    message: str
    summary: list[StatementSum]


class Summary(TypedDict):
    accepted_tokens: list[AcceptedToken]
    accepted_fiats: list[AcceptedFiat]
    user_info: UserInfo
    network_rates: NetworkRates
    summary_stats: SummaryStats


class SummaryAnswer(TypedDict):
    message: str
    data: Summary


class SummaryStats(TypedDict):
    total_tokens: int
    total_fiats: int
    total_network_overrides: int
    # In UTC.
    generated_at: str


class TokensAnswer(TypedDict):
    message: str
    tokens: list[AcceptedToken]


class TypeBudget(TypedDict):
    type: str
    # What the payers read in place of a reference: 1 to 250 characters, trimmed.
    label: str
    limit: int
    # Addresses that are assigned now.
    used: int
    remaining: int


class Unconfirmed(TypedDict):
    token: str
    # Credited amount.
    amount: str
    # Canonical name of the network.
    network: str
    # Transaction hash; null while there is none.
    txid: str
    # In UTC.
    timestamp: str


class UnconfirmedPayment(TypedDict):
    token: str
    # Amount seen.
    amount: str
    # Canonical name of the network.
    network: str
    # Transaction hash; null while there is none.
    txid: str
    # In UTC.
    timestamp: str
    # Blocks on the transfer so far; 0 in the mempool.
    confirmations: int
    # Blocks after which it is credited.
    required_confirmations: int


class UserInfo(TypedDict):
    # Percentage of crypto_amount that completes a payin.
    minimum_payment: str
    # Percentage on payins and fixed wallets of the API.
    receipt_rate: str
    # Percentage on payouts of the API.
    payment_rate: str
    # Percentage on deposits through the panel.
    deposit_rate: str
    # Percentage on withdrawals in the panel.
    withdrawal_rate: str
    user_pays_payment_network_fee: bool
    user_pays_receipt_network_fee: bool
    user_pays_deposit_network_fee: bool
    user_pays_withdrawal_network_fee: bool


class WalletAnswer(TypedDict):
    message: str
    # The wallet.
    wallet: WalletRecord
    allowance: Allowance | None


class WalletConfig(TypedDict):
    # https, no user or password, standard port, to a public IPv4 address, as of a payin; null when there is none.
    webhook_url: str | None


class WalletConfigAnswer(TypedDict):
    message: str
    config: WalletConfig


class WalletList(TypedDict):
    message: str
    wallets: list[WalletRecord]
    count: int
    allowance: Allowance | None


class WalletRecord(TypedDict):
    # The merchant's name for the customer; at most 200 characters, no white space.
    customer_info: str
    # Address.
    wallet: str
    # Lower-case family, such as evm, tron, bitcoin.
    type: str
    status: Literal["STATUS_ASSIGNED", "STATUS_REVOKED"]
    # Such as external_api.
    origin: str
    # null when there was none.
    last_transaction_at: str | None
    # In UTC.
    created_at: str
    # In UTC.
    updated_at: str
    # Canonical names.
    networks: list[str]
    accepted_tokens: list[WalletToken]
    # It is going to be revoked for inactivity.
    pending_revocation: bool
    # When it is revoked unless a transfer arrives; null when that is not planned.
    revoke_at: str | None


class WalletRequest(TypedDict):
    # A type of listFixedWalletTypes that the account's allowance has.
    type: str
    # The merchant's name for the customer; at most 200 characters, no white space.
    customer_info: str


class WalletSupport(TypedDict):
    type: str
    # What the payers read in place of a reference: 1 to 250 characters, trimmed.
    label: str
    # Canonical names.
    networks: list[str]
    accepted_tokens: list[WalletToken]


class WalletToken(TypedDict):
    # Canonical name of the network.
    network: str
    # Balance key.
    token: str
    symbol: str


class WalletType(TypedDict):
    type: str
    # What the payers read in place of a reference: 1 to 250 characters, trimmed.
    label: str


class WalletTypesAnswer(TypedDict):
    message: str
    types: list[WalletSupport]
    allowance: Allowance | None


class WebhookDelivery(TypedDict):
    # Its id, which the receiver got in the delivery header.
    id: str
    # Name of the event.
    event: str
    status: Literal["pending", "delivered", "exhausted"]
    # The payin or payout that it tells of.
    internal_reference: str
    # The merchant's reference.
    reference_id: str
    # Where it goes.
    webhook_url: str
    # How often it was tried.
    attempt_count: int
    # The newest try; null before the first.
    last_attempt: DeliveryAttempt | None
    # The webhook that this one repeats; null for all others.
    redelivery_of: str | None
    # In UTC.
    created_at: str
    # When it was delivered or given up, in UTC; null while it is pending.
    finished_at: str | None


class WebhookDeliveryFound(TypedDict):
    message: str
    # The webhook.
    delivery: WebhookDeliveryRecord


class WebhookDeliveryList(TypedDict):
    message: str
    # The page.
    deliveries: list[WebhookDelivery]
    meta: ListMeta


class WebhookDeliveryRecord(TypedDict):
    id: str
    # Name of the event.
    event: str
    status: str
    # Identifier that the service gave.
    internal_reference: str
    # The merchant's reference.
    reference_id: str
    # Where notices go; empty when that is nowhere.
    webhook_url: str
    # How often it was tried.
    attempt_count: int
    # The newest try; null before the first.
    last_attempt: DeliveryAttempt | None
    # The webhook that this one repeats; null for all others.
    redelivery_of: str | None
    # In UTC.
    created_at: str
    # When it was delivered or given up, in UTC; null while it is pending.
    finished_at: str | None
    # Every try, oldest first.
    attempts: list[DeliveryAttempt]
    # What is sent, as it stands.
    body: SentBody


class WebhookRedelivered(TypedDict):
    message: str
    # The webhook.
    delivery: WebhookDelivery


class GetPriceQuery(TypedDict):
    # What is priced: a token symbol or a fiat code.
    currency1: str
    # In what.
    currency2: str


class GetQuoteQuery(TypedDict):
    # payout or payin.
    operation: Literal["payout", "payin"]
    # Name or alias, in any case.
    network: str
    # Token symbol.
    token: str
    # A plain decimal above zero.
    amount: str
    # Accepted fiat, in any case, that the amount is in. Without it the amount is in the token.
    currency: NotRequired[str]


class ListFixedWalletsQuery(TypedDict):
    # Lower-case, exact match.
    type: NotRequired[str]
    # STATUS_ASSIGNED or STATUS_REVOKED.
    status: NotRequired[str]
    # Exact match.
    customer_info: NotRequired[str]
    # Default 100, clamped to 1 to 500.
    limit: NotRequired[int]
    # Default 0; negative is 0.
    offset: NotRequired[int]


class ListPayinsQuery(TypedDict):
    # Default 1; 0 or what is no whole number is 1. Negative: invalid_page_number.
    page: NotRequired[int]
    # 1 to 100, default 50; 0 or what is no whole number is 50. Negative or above: invalid_per_page_limit.
    per_page: NotRequired[int]
    # pending, completed, failed or reversed, in any case. Anything else: invalid_status_filter.
    status: NotRequired[str]
    # Token symbol.
    crypto_currency: NotRequired[str]
    # Canonical name, case-sensitive. Unknown: invalid_network_filter.
    network: NotRequired[str]
    # Inclusive from 00:00:00, in UTC-03:00. Unreadable: invalid_date_from.
    date_from: NotRequired[str]
    # Inclusive until 23:59:59, in UTC-03:00. Unreadable: invalid_date_to.
    date_to: NotRequired[str]
    # Exact match.
    reference_id: NotRequired[str]


class ListPaymentLinksQuery(TypedDict):
    # Default 1; 0 or what is no whole number is 1. Negative: invalid_page_number.
    page: NotRequired[int]
    # 1 to 100, default 50; 0 or what is no whole number is 50. Negative or above: invalid_per_page_limit.
    per_page: NotRequired[int]
    # open or ended, in any case. Anything else: invalid_status_filter.
    status: NotRequired[str]


class ListPayoutsQuery(TypedDict):
    # Default 1; 0 or what is no whole number is 1. Negative: invalid_page_number.
    page: NotRequired[int]
    # 1 to 100, default 50; 0 or what is no whole number is 50. Negative or above: invalid_per_page_limit.
    per_page: NotRequired[int]
    # pending, completed or failed, in any case. Anything else: invalid_status_filter.
    status: NotRequired[str]
    # Token symbol.
    crypto_currency: NotRequired[str]
    # Canonical name, case-sensitive. Unknown: invalid_network_filter.
    network: NotRequired[str]
    # Inclusive from 00:00:00, in UTC-03:00. Unreadable: invalid_date_from.
    date_from: NotRequired[str]
    # Inclusive until 23:59:59, in UTC-03:00. Unreadable: invalid_date_to.
    date_to: NotRequired[str]
    # Exact match.
    reference_id: NotRequired[str]


class ListStatementsQuery(TypedDict):
    # Default 1; 0 or what is no whole number is 1. Negative: invalid_pagination.
    page: NotRequired[int]
    # 1 to 100, default 50; 0 or what is no whole number is 50. Negative or above: invalid_pagination.
    per_page: NotRequired[int]
    # Type of movement, in any case. Unknown: invalid_format.
    type: NotRequired[str]
    # in or out, in any case. Anything else: invalid_format.
    direction: NotRequired[str]
    # Balance key. Unknown: invalid_format.
    balance: NotRequired[str]
    # Canonical name, case-sensitive. Unknown: invalid_format.
    network: NotRequired[str]
    # Inclusive from 00:00:00, in UTC-03:00. Unreadable: invalid_format.
    date_from: NotRequired[str]
    # Inclusive until 23:59:59; at most 366 days, in UTC-03:00. Unreadable: invalid_format.
    date_to: NotRequired[str]
    # Plain decimal. Anything else: invalid_amount.
    min_amount: NotRequired[str]
    # Plain decimal, not below min_amount. Anything else: invalid_amount.
    max_amount: NotRequired[str]
    # Exact match; over 255 characters: invalid_reference_id.
    reference_id: NotRequired[str]


class ListWebhookDeliveriesQuery(TypedDict):
    # Default 1; 0 or what is no whole number is 1. Negative: invalid_page_number.
    page: NotRequired[int]
    # 1 to 100, default 50; 0 or what is no whole number is 50. Negative or above: invalid_per_page_limit.
    per_page: NotRequired[int]
    # pending, delivered or exhausted, in any case. Anything else: invalid_status_filter.
    status: NotRequired[str]
    # Name of an event, in any case. Anything else: invalid_parameters.
    event: NotRequired[str]
    # internal_reference or reference_id of the payin or payout. Over 255 characters: invalid_reference_id.
    reference: NotRequired[str]


class SummarizeStatementsQuery(TypedDict):
    # Type of movement, in any case. Unknown: invalid_format.
    type: NotRequired[str]
    # in or out, in any case. Anything else: invalid_format.
    direction: NotRequired[str]
    # Balance key. Unknown: invalid_format.
    balance: NotRequired[str]
    # Canonical name, case-sensitive. Unknown: invalid_format.
    network: NotRequired[str]
    # Inclusive from 00:00:00, in UTC-03:00. Unreadable: invalid_format.
    date_from: NotRequired[str]
    # Inclusive until 23:59:59; at most 366 days, in UTC-03:00. Unreadable: invalid_format.
    date_to: NotRequired[str]
    # Plain decimal. Anything else: invalid_amount.
    min_amount: NotRequired[str]
    # Plain decimal, not below min_amount. Anything else: invalid_amount.
    max_amount: NotRequired[str]
    # Exact match; over 255 characters: invalid_reference_id.
    reference_id: NotRequired[str]


class ValidateAddressQuery(TypedDict):
    # Name or alias, in any case.
    network: str
    # The address.
    wallet: str


# The codes of refusals.
ErrorCode: TypeAlias = Literal[
    "amount_does_not_cover_fees",
    "amount_out_of_limits",
    "api_access_denied",
    "api_key_invalid",
    "api_key_missing",
    "assign_failed",
    "config_update_failed",
    "crypto_amount_does_not_correspond_to_fiat_amount_provided",
    "crypto_amount_required",
    "daily_payout_limit_exceeded",
    "daily_payout_limit_unavailable",
    "database_error",
    "database_transaction_failed",
    "date_range_too_wide",
    "duplicate_payment_reference",
    "duplicate_reference_id",
    "duplicate_reference_id_in_request",
    "email_not_verified",
    "error_fetching_active_currencies",
    "external_processor_error",
    "feature_disabled",
    "fiat_amount_required",
    "fiat_currency_not_accepted",
    "fiat_currency_required",
    "idempotency_key_in_progress",
    "insufficient_balance",
    "insufficient_total_balance",
    "internal_error",
    "invalid_amount",
    "invalid_crypto_amount",
    "invalid_currency",
    "invalid_date_from",
    "invalid_date_range",
    "invalid_date_to",
    "invalid_fiat_amount",
    "invalid_format",
    "invalid_ip",
    "invalid_network_filter",
    "invalid_network_or_deposits_disabled",
    "invalid_network_or_withdrawals_disabled",
    "invalid_page_number",
    "invalid_pagination",
    "invalid_parameters",
    "invalid_parameters_for_process_by",
    "invalid_payment_list",
    "invalid_per_page_limit",
    "invalid_reference_id",
    "invalid_status_filter",
    "invalid_webhook_url",
    "ip_not_authorized",
    "json_parse_exception",
    "json_parse_failed",
    "limit_exceeded",
    "limit_not_allowed",
    "limit_reached",
    "max_payouts_exceeded",
    "memo_required",
    "missing_parameters",
    "missing_required_fields",
    "network_unavailable",
    "no_processor_configured",
    "no_token_offered",
    "no_wallet_available",
    "nothing_to_refund",
    "price_not_available_for_conversion",
    "price_not_available_for_validation",
    "price_not_found",
    "price_unavailable",
    "rate_limit_exceeded",
    "record_not_found",
    "refund_exceeds_payin",
    "refund_not_open",
    "refund_not_payable",
    "request_too_large",
    "route_not_found",
    "scope_denied",
    "service_unavailable",
    "signature_headers_missing",
    "signature_invalid",
    "signature_nonce_charset_invalid",
    "signature_nonce_length_invalid",
    "signature_replayed",
    "signature_secret_unavailable",
    "signature_timestamp_invalid",
    "signature_timestamp_out_of_range",
    "slug_taken",
    "token_network_mismatch",
    "token_not_active",
    "token_not_supported_or_inactive",
    "too_many_failed_authentications",
    "type_not_supported",
    "unsupported_token_or_deposits_disabled",
    "unsupported_token_or_withdrawals_disabled",
    "value_above_maximum",
    "value_below_minimum",
]

# The names of webhooks.
Event: TypeAlias = Literal[
    "payment_confirmed",
    "payment_detected",
    "payment_failed",
    "payment_processed",
    "payment_reversed",
    "payment_updated",
]
