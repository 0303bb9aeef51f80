<?php

// Written by `make kits` from the OpenAPI document. Do not edit.

declare(strict_types=1);

namespace Causeway;

/**
 * The bodies and answers of the API. Amounts are decimals in text.
 *
 * @phpstan-type AcceptedFiat array{
 *   code: string,
 *   name: string,
 *   symbol: string,
 * }
 * @phpstan-type AcceptedToken array{
 *   symbol: string,
 *   contract_address: string,
 *   network: string,
 *   variant: string,
 *   balance_key: string,
 *   min_receipt: string,
 *   max_receipt: string,
 *   min_withdrawal: string,
 *   max_withdrawal: string,
 *   network_fee: string | null,
 * }
 * @phpstan-type AddressAnswer array{
 *   message: string,
 *   network: string,
 *   wallet: string,
 *   valid: bool,
 *   memo: string | null,
 *   reason: string | null,
 *   hint: string | null,
 * }
 * @phpstan-type Allowance GlobalAllowance | PerTypeAllowance
 * @phpstan-type BalancesAnswer array{
 *   message: string,
 *   balances: array<string, string>,
 *   available: array<string, string>,
 *   locked: array<string, string>,
 * }
 * @phpstan-type ChosenPayin array{
 *   internal_reference: string,
 *   reference_id: string,
 *   crypto_currency: string,
 *   network: string,
 *   status: string,
 * }
 * @phpstan-type Converted array{
 *   token: string,
 *   amount: string,
 * }
 * @phpstan-type CreatedPayout array{
 *   index: int,
 *   reference_id: string,
 *   internal_reference: string,
 *   crypto_amount: string,
 *   fiat_amount: string | null,
 *   crypto_currency: string,
 *   fiat_currency: string,
 *   network_fee: string,
 *   wallet: string,
 *   memo: string | null,
 *   network: string,
 *   process_by: 'crypto_amount' | 'fiat_amount',
 *   status: 'created',
 * }
 * @phpstan-type CurrenciesAnswer array{
 *   message: string,
 *   tokens: list<string>,
 *   fiats: list<string>,
 * }
 * @phpstan-type DeliveryAttempt array{
 *   attempt: int,
 *   attempted_at: string,
 *   http_status: int | null,
 *   error: string | null,
 *   duration_ms: int,
 * }
 * @phpstan-type EitherNotice PayoutNotice | PayinNotice
 * @phpstan-type FiatsAnswer array{
 *   message: string,
 *   fiats: list<AcceptedFiat>,
 * }
 * @phpstan-type GlobalAllowance array{
 *   mode: 'global',
 *   limit: int,
 *   used: int,
 *   remaining: int,
 *   supported_types: list<WalletType>,
 * }
 * @phpstan-type Item array{
 *   name: string,
 *   quantity: int,
 *   amount?: string,
 * }
 * @phpstan-type LinkAnswer array{
 *   message: string,
 *   payment_link: LinkRecord,
 * }
 * @phpstan-type LinkList array{
 *   message: string,
 *   payment_links: list<LinkRecord>,
 *   meta: ListMeta,
 * }
 * @phpstan-type LinkRecord array{
 *   internal_reference: string,
 *   slug: string,
 *   label: string,
 *   currency: string,
 *   amount: string | null,
 *   min_amount: string | null,
 *   max_amount: string | null,
 *   offers: list<Offer>,
 *   status: 'open' | 'ended',
 *   webhook_url: string,
 *   created_at: string,
 *   ended_at: string | null,
 *   cancel_url?: string,
 *   checkout_url?: string,
 *   colour?: string,
 *   description?: string,
 *   return_url?: string,
 *   support?: string,
 * }
 * @phpstan-type ListMeta array{
 *   current_page: int,
 *   per_page: int,
 *   total: int,
 *   total_pages: int,
 *   filters: array<string, string>,
 * }
 * @phpstan-type NetworkRates array<string, NetworkTerms> | list<NetworkTerms>
 * @phpstan-type NetworkTerms array{
 *   receipt_rate: string,
 *   payment_rate: string,
 *   deposit_rate: string,
 *   withdrawal_rate: string,
 *   user_pays_payment_network_fee: bool | null,
 *   user_pays_receipt_network_fee: bool | null,
 *   user_pays_deposit_network_fee: bool | null,
 *   user_pays_withdrawal_network_fee: bool | null,
 * }
 * @phpstan-type Offer array{
 *   crypto_currency: string,
 *   network: string,
 * }
 * @phpstan-type Omitted array{
 *   count: int,
 *   amount: string,
 * }
 * @phpstan-type PayinAnswer array{
 *   message: string,
 *   deposit: PayinRecord,
 * }
 * @phpstan-type PayinBody PayinRequest | list<PayinRequest>
 * @phpstan-type PayinCreated array{
 *   message: string,
 *   data: PayinCreatedData,
 * }
 * @phpstan-type PayinCreatedData array{
 *   reference_id: string,
 *   internal_reference: string,
 *   wallet: string,
 *   crypto_amount: string,
 *   fiat_amount: string | null,
 *   crypto_currency: string,
 *   fiat_currency: string,
 *   network: string,
 *   status: 'created',
 *   checkout_url?: string,
 * }
 * @phpstan-type PayinList array{
 *   message: string,
 *   deposits: list<PayinRecord>,
 *   summary: PayinTotals,
 *   meta: ListMeta,
 * }
 * @phpstan-type PayinNotice array{
 *   data: PayinNoticeData,
 *   event: string,
 *   timestamp: string,
 * }
 * @phpstan-type PayinNoticeData array{
 *   status: 'pending' | 'success' | 'failed' | 'reversed',
 *   reference_id: string,
 *   internal_reference: string,
 *   network: string,
 *   crypto_currency: string,
 *   crypto_amount: string,
 *   fiat_currency: string,
 *   fiat_amount: string | null,
 *   wallet: string,
 *   customer_info: string | null,
 *   received_amount: string,
 *   payment_status: 'partial' | 'exact' | 'overpaid' | null,
 *   payments: list<Payment>,
 *   txid: string | null,
 *   funds_available: bool,
 *   finality_status: 'pending' | 'final',
 *   is_wallet_fixed: bool,
 *   is_duplicated: bool,
 *   detected_amount?: string,
 *   late?: bool,
 *   payments_omitted?: Omitted,
 *   reason?: string,
 *   reversal?: Reversal,
 *   transfers?: list<Payment>,
 *   unconfirmed_payments?: list<Unconfirmed>,
 *   worth_at_arrival?: string | null,
 * }
 * @phpstan-type PayinRecord array{
 *   internal_reference: string,
 *   reference_id: string,
 *   wallet: string,
 *   network: string,
 *   crypto_currency: string,
 *   crypto_amount: string,
 *   invoice_currency: string,
 *   invoice_amount: string,
 *   fiat_currency: string,
 *   fiat_amount: string | null,
 *   received_amount: string,
 *   process_by: 'crypto_amount' | 'fiat_amount',
 *   percent_rate: string,
 *   network_fee: string,
 *   minimum_payment: string,
 *   status: 'pending' | 'completed' | 'failed' | 'reversed',
 *   payment_status: 'partial' | 'exact' | 'overpaid' | null,
 *   txid: string | null,
 *   payments: list<Payment>,
 *   unconfirmed_payments: list<UnconfirmedPayment>,
 *   webhook_url: string,
 *   is_wallet_fixed: bool,
 *   customer_info: string | null,
 *   reversal: Reversal | null,
 *   created_at: string,
 *   updated_at: string,
 *   expires_at: string,
 *   checkout_url?: string,
 *   late?: bool,
 *   payments_omitted?: Omitted,
 *   return_url?: string,
 *   worth_at_arrival?: string | null,
 * }
 * @phpstan-type PayinRefunds array{
 *   message: string,
 *   payin: string,
 *   refundable: list<RefundableLeft>,
 *   refunds: list<RefundRecord>,
 * }
 * @phpstan-type PayinRequest array{
 *   crypto_currency: string,
 *   process_by: 'crypto_amount' | 'fiat_amount',
 *   reference_id: string,
 *   network: string,
 *   webhook_url: string,
 *   crypto_amount?: string | null,
 *   customer_info?: string | null,
 *   expires_at?: int | null,
 *   fiat_amount?: string | null,
 *   fiat_currency?: string | null,
 *   memo?: string | null,
 *   return_url?: string | null,
 * }
 * @phpstan-type PayinTotals array{
 *   total_pending: int,
 *   total_completed: int,
 *   total_failed: int,
 *   total_reversed: int,
 * }
 * @phpstan-type Payment array{
 *   token: string,
 *   amount: string,
 *   network: string,
 *   txid: string,
 *   timestamp: string,
 *   converted_to?: Converted,
 * }
 * @phpstan-type PaymentLinkBody array{
 *   label: string,
 *   currency: string,
 *   webhook_url: string,
 *   amount?: mixed,
 *   cancel_url?: string | null,
 *   colour?: string | null,
 *   description?: string | null,
 *   max_amount?: mixed,
 *   min_amount?: mixed,
 *   offers?: list<Offer>,
 *   return_url?: string | null,
 *   slug?: string | null,
 *   support?: string | null,
 * }
 * @phpstan-type PaymentRequestBody array{
 *   reference_id: string,
 *   amount: mixed,
 *   currency: string,
 *   webhook_url: string,
 *   cancel_url?: string | null,
 *   colour?: string | null,
 *   customer_email?: string | null,
 *   customer_info?: string | null,
 *   description?: string | null,
 *   expires_at?: int | null,
 *   items?: list<RequestItem>,
 *   offers?: list<Offer>,
 *   return_url?: string | null,
 *   support?: string | null,
 * }
 * @phpstan-type PayoutAnswer array{
 *   message: 'payment_processing_completed',
 *   summary: PayoutSummary,
 *   results: list<PayoutResult>,
 * }
 * @phpstan-type PayoutBody PayoutRequest | list<PayoutRequest>
 * @phpstan-type PayoutCounts array{
 *   total_pending: int,
 *   total_completed: int,
 *   total_failed: int,
 * }
 * @phpstan-type PayoutFailure array{
 *   error: Problem,
 *   summary: PayoutSummary,
 *   results: list<PayoutResult>,
 * }
 * @phpstan-type PayoutFound array{
 *   message: string,
 *   payment: PayoutRecord,
 * }
 * @phpstan-type PayoutList array{
 *   message: string,
 *   payments: list<PayoutRecord>,
 *   summary: PayoutCounts,
 *   meta: ListMeta,
 * }
 * @phpstan-type PayoutNotice array{
 *   data: PayoutNoticeData,
 *   event: string,
 *   timestamp: string,
 * }
 * @phpstan-type PayoutNoticeData array{
 *   status: 'success' | 'failed',
 *   reference_id: string,
 *   internal_reference: string,
 *   network: string,
 *   crypto_currency: string,
 *   crypto_amount: string,
 *   fiat_currency: string,
 *   fiat_amount: string | null,
 *   wallet: string,
 *   memo: string | null,
 *   network_fee: string,
 *   percent_rate: string,
 *   transactions: list<string>,
 *   is_duplicated?: bool,
 *   reason?: string,
 * }
 * @phpstan-type PayoutRecord array{
 *   internal_reference: string,
 *   reference_id: string,
 *   wallet: string,
 *   memo: string | null,
 *   crypto_currency: string,
 *   fiat_currency: string,
 *   crypto_amount: string,
 *   fiat_amount: string | null,
 *   process_by: 'crypto_amount' | 'fiat_amount',
 *   percent_rate: string,
 *   network_fee: string,
 *   network: string,
 *   status: 'pending' | 'completed' | 'failed' | 'refunded',
 *   txid: string | null,
 *   webhook_url: string,
 *   feetakenfromamount: '0' | '1',
 *   created_at: string,
 *   updated_at: string,
 * }
 * @phpstan-type PayoutRehearsal array{
 *   message: string,
 *   dry_run: true,
 *   summary: PayoutSummary,
 *   results: list<RehearsedResult>,
 * }
 * @phpstan-type PayoutRequest array{
 *   wallet: string,
 *   crypto_currency: string,
 *   process_by: 'crypto_amount' | 'fiat_amount',
 *   reference_id: string,
 *   network: string,
 *   feetakenfromamount: 0 | 1 | '0' | '1',
 *   webhook_url: string,
 *   crypto_amount?: string | null,
 *   customer_info?: string | null,
 *   fiat_amount?: string | null,
 *   fiat_currency?: string | null,
 *   memo?: string | null,
 * }
 * @phpstan-type PayoutResult CreatedPayout | RefusedPayout
 * @phpstan-type PayoutSummary array{
 *   total_requested: int,
 *   successful: int,
 *   failed: int,
 *   not_processed?: int | null,
 * }
 * @phpstan-type PerTypeAllowance array{
 *   mode: 'per_type',
 *   items: list<TypeBudget>,
 * }
 * @phpstan-type PriceAnswer array{
 *   message: string,
 *   currency1: string,
 *   currency2: string,
 *   price: string,
 *   updated_at: string,
 * }
 * @phpstan-type Problem array{
 *   code: string,
 *   message: string,
 *   details?: array<string, mixed>,
 * }
 * @phpstan-type QuoteAnswer array{
 *   message: string,
 *   operation: string,
 *   network: string,
 *   crypto_currency: string,
 *   fiat_currency: string,
 *   process_by: 'crypto_amount' | 'fiat_amount',
 *   accepted: bool,
 *   reason: string | null,
 *   reason_message: string | null,
 *   crypto_amount: string | null,
 *   min_amount: string | null,
 *   max_amount: string | null,
 *   percent_rate: string | null,
 *   network_fee: string | null,
 *   pays_network_fee: bool | null,
 *   price: string | null,
 *   price_updated_at: string | null,
 *   options: list<QuoteOption>,
 * }
 * @phpstan-type QuoteOption array{
 *   feetakenfromamount: '0' | '1' | null,
 *   accepted: bool,
 *   reason: string | null,
 *   gross: string | null,
 *   rate_fee: string | null,
 *   network_fee: string | null,
 *   net: string | null,
 *   fiat_amount: string | null,
 * }
 * @phpstan-type RefundAnswer array{
 *   message: string,
 *   refund: RefundRecord,
 * }
 * @phpstan-type RefundRecord array{
 *   internal_reference: string,
 *   reference_id: string,
 *   payin: string,
 *   crypto_currency: string,
 *   network: string,
 *   crypto_amount: string,
 *   feetakenfromamount: '0' | '1',
 *   status: 'open' | 'expired' | 'revoked' | 'pending' | 'completed' | 'failed',
 *   payout: string | null,
 *   wallet: string | null,
 *   memo: string | null,
 *   txid: string | null,
 *   webhook_url: string,
 *   created_at: string,
 *   expires_at: string | null,
 *   description?: string,
 *   refund_url?: string,
 * }
 * @phpstan-type RefundRequest array{
 *   payin: string,
 *   reference_id: string,
 *   amount: string,
 *   feetakenfromamount: 0 | 1 | '0' | '1',
 *   webhook_url: string,
 *   crypto_currency?: string | null,
 *   description?: string | null,
 *   expires_at?: int | null,
 *   memo?: string | null,
 *   wallet?: string | null,
 * }
 * @phpstan-type RefundableLeft array{
 *   crypto_currency: string,
 *   network: string,
 *   arrived: string,
 *   refunded: string,
 *   refundable: string,
 *   overpaid: string,
 * }
 * @phpstan-type RefusedPayout array{
 *   index: int,
 *   error: Problem,
 *   duplicate?: bool,
 *   internal_reference?: string,
 *   original_created_at?: string,
 *   original_status?: 'pending' | 'completed' | 'failed' | 'refunded',
 *   reference_id?: string,
 * }
 * @phpstan-type RehearsedPayout array{
 *   index: int,
 *   reference_id: string,
 *   internal_reference: string | null,
 *   crypto_amount: string,
 *   fiat_amount: string | null,
 *   crypto_currency: string,
 *   fiat_currency: string,
 *   network_fee: string,
 *   wallet: string,
 *   memo: string | null,
 *   network: string,
 *   process_by: 'crypto_amount' | 'fiat_amount',
 *   status: string,
 * }
 * @phpstan-type RehearsedResult RehearsedPayout | RefusedPayout
 * @phpstan-type RequestAnswer array{
 *   message: string,
 *   payment_request: RequestRecord,
 * }
 * @phpstan-type RequestItem array{
 *   name: string,
 *   amount?: string,
 *   quantity?: int | null,
 * }
 * @phpstan-type RequestRecord array{
 *   internal_reference: string,
 *   reference_id: string,
 *   amount: string,
 *   currency: string,
 *   items: list<Item>,
 *   offers: list<Offer>,
 *   status: string,
 *   payins: list<ChosenPayin>,
 *   customer_info: string | null,
 *   webhook_url: string,
 *   created_at: string,
 *   expires_at: string,
 *   cancel_url?: string,
 *   checkout_url?: string,
 *   colour?: string,
 *   customer_email?: string,
 *   description?: string,
 *   return_url?: string,
 *   support?: string,
 * }
 * @phpstan-type Reversal array{
 *   reversed_at: string,
 *   partial: bool,
 *   amounts: array<string, string>,
 * }
 * @phpstan-type SentBody array<string, mixed>
 * @phpstan-type StatementLine array{
 *   id: int,
 *   type: 'DEPOSIT' | 'WITHDRAWAL' | 'RATE' | 'FEE' | 'WITHDRAWAL_REFUND' | 'DEPOSIT_REVERSAL',
 *   direction: 'in' | 'out',
 *   balance: string,
 *   crypto_currency: string,
 *   amount: string,
 *   balance_after: string,
 *   network: string | null,
 *   reference_id: string | null,
 *   internal_reference: string | null,
 *   txid: string | null,
 *   created_at: string,
 * }
 * @phpstan-type StatementSum array{
 *   balance: string,
 *   crypto_currency: string,
 *   type: 'DEPOSIT' | 'WITHDRAWAL' | 'RATE' | 'FEE' | 'WITHDRAWAL_REFUND' | 'DEPOSIT_REVERSAL',
 *   direction: 'in' | 'out',
 *   count: int,
 *   total_amount: string,
 * }
 * @phpstan-type StatementsAnswer array{
 *   message: string,
 *   statements: list<StatementLine>,
 *   meta: ListMeta,
 * }
 * @phpstan-type StatementsSummary array{
 *   message: string,
 *   summary: list<StatementSum>,
 * }
 * @phpstan-type Summary array{
 *   accepted_tokens: list<AcceptedToken>,
 *   accepted_fiats: list<AcceptedFiat>,
 *   user_info: UserInfo,
 *   network_rates: NetworkRates,
 *   summary_stats: SummaryStats,
 * }
 * @phpstan-type SummaryAnswer array{
 *   message: string,
 *   data: Summary,
 * }
 * @phpstan-type SummaryStats array{
 *   total_tokens: int,
 *   total_fiats: int,
 *   total_network_overrides: int,
 *   generated_at: string,
 * }
 * @phpstan-type TokensAnswer array{
 *   message: string,
 *   tokens: list<AcceptedToken>,
 * }
 * @phpstan-type TypeBudget array{
 *   type: string,
 *   label: string,
 *   limit: int,
 *   used: int,
 *   remaining: int,
 * }
 * @phpstan-type Unconfirmed array{
 *   token: string,
 *   amount: string,
 *   network: string,
 *   txid: string,
 *   timestamp: string,
 * }
 * @phpstan-type UnconfirmedPayment array{
 *   token: string,
 *   amount: string,
 *   network: string,
 *   txid: string,
 *   timestamp: string,
 *   confirmations: int,
 *   required_confirmations: int,
 * }
 * @phpstan-type UserInfo array{
 *   minimum_payment: string,
 *   receipt_rate: string,
 *   payment_rate: string,
 *   deposit_rate: string,
 *   withdrawal_rate: string,
 *   user_pays_payment_network_fee: bool,
 *   user_pays_receipt_network_fee: bool,
 *   user_pays_deposit_network_fee: bool,
 *   user_pays_withdrawal_network_fee: bool,
 * }
 * @phpstan-type WalletAnswer array{
 *   message: string,
 *   wallet: WalletRecord,
 *   allowance: Allowance | null,
 * }
 * @phpstan-type WalletConfig array{
 *   webhook_url: string | null,
 * }
 * @phpstan-type WalletConfigAnswer array{
 *   message: string,
 *   config: WalletConfig,
 * }
 * @phpstan-type WalletList array{
 *   message: string,
 *   wallets: list<WalletRecord>,
 *   count: int,
 *   allowance: Allowance | null,
 * }
 * @phpstan-type WalletRecord array{
 *   customer_info: string,
 *   wallet: string,
 *   type: string,
 *   status: 'STATUS_ASSIGNED' | 'STATUS_REVOKED',
 *   origin: string,
 *   last_transaction_at: string | null,
 *   created_at: string,
 *   updated_at: string,
 *   networks: list<string>,
 *   accepted_tokens: list<WalletToken>,
 *   pending_revocation: bool,
 *   revoke_at: string | null,
 * }
 * @phpstan-type WalletRequest array{
 *   type: string,
 *   customer_info: string,
 * }
 * @phpstan-type WalletSupport array{
 *   type: string,
 *   label: string,
 *   networks: list<string>,
 *   accepted_tokens: list<WalletToken>,
 * }
 * @phpstan-type WalletToken array{
 *   network: string,
 *   token: string,
 *   symbol: string,
 * }
 * @phpstan-type WalletType array{
 *   type: string,
 *   label: string,
 * }
 * @phpstan-type WalletTypesAnswer array{
 *   message: string,
 *   types: list<WalletSupport>,
 *   allowance: Allowance | null,
 * }
 * @phpstan-type WebhookDelivery array{
 *   id: string,
 *   event: string,
 *   status: 'pending' | 'delivered' | 'exhausted',
 *   internal_reference: string,
 *   reference_id: string,
 *   webhook_url: string,
 *   attempt_count: int,
 *   last_attempt: DeliveryAttempt | null,
 *   redelivery_of: string | null,
 *   created_at: string,
 *   finished_at: string | null,
 * }
 * @phpstan-type WebhookDeliveryFound array{
 *   message: string,
 *   delivery: WebhookDeliveryRecord,
 * }
 * @phpstan-type WebhookDeliveryList array{
 *   message: string,
 *   deliveries: list<WebhookDelivery>,
 *   meta: ListMeta,
 * }
 * @phpstan-type WebhookDeliveryRecord array{
 *   id: string,
 *   event: string,
 *   status: string,
 *   internal_reference: string,
 *   reference_id: string,
 *   webhook_url: string,
 *   attempt_count: int,
 *   last_attempt: DeliveryAttempt | null,
 *   redelivery_of: string | null,
 *   created_at: string,
 *   finished_at: string | null,
 *   attempts: list<DeliveryAttempt>,
 *   body: SentBody,
 * }
 * @phpstan-type WebhookRedelivered array{
 *   message: string,
 *   delivery: WebhookDelivery,
 * }
 * @phpstan-type GetPriceQuery array{
 *   currency1: string,
 *   currency2: string,
 * }
 * @phpstan-type GetQuoteQuery array{
 *   operation: 'payout' | 'payin',
 *   network: string,
 *   token: string,
 *   amount: string,
 *   currency?: string,
 * }
 * @phpstan-type ListFixedWalletsQuery array{
 *   type?: string,
 *   status?: string,
 *   customer_info?: string,
 *   limit?: int,
 *   offset?: int,
 * }
 * @phpstan-type ListPayinsQuery array{
 *   page?: int,
 *   per_page?: int,
 *   status?: string,
 *   crypto_currency?: string,
 *   network?: string,
 *   date_from?: string,
 *   date_to?: string,
 *   reference_id?: string,
 * }
 * @phpstan-type ListPaymentLinksQuery array{
 *   page?: int,
 *   per_page?: int,
 *   status?: string,
 * }
 * @phpstan-type ListPayoutsQuery array{
 *   page?: int,
 *   per_page?: int,
 *   status?: string,
 *   crypto_currency?: string,
 *   network?: string,
 *   date_from?: string,
 *   date_to?: string,
 *   reference_id?: string,
 * }
 * @phpstan-type ListStatementsQuery array{
 *   page?: int,
 *   per_page?: int,
 *   type?: string,
 *   direction?: string,
 *   balance?: string,
 *   network?: string,
 *   date_from?: string,
 *   date_to?: string,
 *   min_amount?: string,
 *   max_amount?: string,
 *   reference_id?: string,
 * }
 * @phpstan-type ListWebhookDeliveriesQuery array{
 *   page?: int,
 *   per_page?: int,
 *   status?: string,
 *   event?: string,
 *   reference?: string,
 * }
 * @phpstan-type SummarizeStatementsQuery array{
 *   type?: string,
 *   direction?: string,
 *   balance?: string,
 *   network?: string,
 *   date_from?: string,
 *   date_to?: string,
 *   min_amount?: string,
 *   max_amount?: string,
 *   reference_id?: string,
 * }
 * @phpstan-type ValidateAddressQuery array{
 *   network: string,
 *   wallet: string,
 * }
 * @phpstan-type ErrorCode 'amount_does_not_cover_fees'|'amount_out_of_limits'|'api_access_denied'|'api_key_invalid'|'api_key_missing'|'assign_failed'|'config_update_failed'|'crypto_amount_does_not_correspond_to_fiat_amount_provided'|'crypto_amount_required'|'daily_payout_limit_exceeded'|'daily_payout_limit_unavailable'|'database_error'|'database_transaction_failed'|'date_range_too_wide'|'duplicate_payment_reference'|'duplicate_reference_id'|'duplicate_reference_id_in_request'|'email_not_verified'|'error_fetching_active_currencies'|'external_processor_error'|'feature_disabled'|'fiat_amount_required'|'fiat_currency_not_accepted'|'fiat_currency_required'|'idempotency_key_in_progress'|'insufficient_balance'|'insufficient_total_balance'|'internal_error'|'invalid_amount'|'invalid_crypto_amount'|'invalid_currency'|'invalid_date_from'|'invalid_date_range'|'invalid_date_to'|'invalid_fiat_amount'|'invalid_format'|'invalid_ip'|'invalid_network_filter'|'invalid_network_or_deposits_disabled'|'invalid_network_or_withdrawals_disabled'|'invalid_page_number'|'invalid_pagination'|'invalid_parameters'|'invalid_parameters_for_process_by'|'invalid_payment_list'|'invalid_per_page_limit'|'invalid_reference_id'|'invalid_status_filter'|'invalid_webhook_url'|'ip_not_authorized'|'json_parse_exception'|'json_parse_failed'|'limit_exceeded'|'limit_not_allowed'|'limit_reached'|'max_payouts_exceeded'|'memo_required'|'missing_parameters'|'missing_required_fields'|'network_unavailable'|'no_processor_configured'|'no_token_offered'|'no_wallet_available'|'nothing_to_refund'|'price_not_available_for_conversion'|'price_not_available_for_validation'|'price_not_found'|'price_unavailable'|'rate_limit_exceeded'|'record_not_found'|'refund_exceeds_payin'|'refund_not_open'|'refund_not_payable'|'request_too_large'|'route_not_found'|'scope_denied'|'service_unavailable'|'signature_headers_missing'|'signature_invalid'|'signature_nonce_charset_invalid'|'signature_nonce_length_invalid'|'signature_replayed'|'signature_secret_unavailable'|'signature_timestamp_invalid'|'signature_timestamp_out_of_range'|'slug_taken'|'token_network_mismatch'|'token_not_active'|'token_not_supported_or_inactive'|'too_many_failed_authentications'|'type_not_supported'|'unsupported_token_or_deposits_disabled'|'unsupported_token_or_withdrawals_disabled'|'value_above_maximum'|'value_below_minimum'
 * @phpstan-type Event 'payment_confirmed'|'payment_detected'|'payment_failed'|'payment_processed'|'payment_reversed'|'payment_updated'
 */
interface Types
{
}
