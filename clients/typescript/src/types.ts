// Written by `make kits` from the OpenAPI document. Do not edit.
// The bodies and answers of the API. Amounts are decimals in text.

export interface AcceptedFiat {
  code: string;
  name: string;
  symbol: string;
}

export interface AcceptedToken {
  symbol: string;
  /** Empty for a native coin. */
  contract_address: string;
  /** Canonical name of the network. */
  network: string;
  /** How the token exists on the network: coin, native, pegged or bridged. */
  variant: string;
  /** Key of the token in balances and statements. */
  balance_key: string;
  /** Smallest payin. */
  min_receipt: string;
  /** Largest payin, or the word unlimited. */
  max_receipt: string;
  /** Least that a recipient of a payout gets. */
  min_withdrawal: string;
  /** Largest payout, or the word unlimited. */
  max_withdrawal: string;
  /** Network fee in the token; null where it is set in another currency and there is no price. */
  network_fee: string | null;
}

export interface AddressAnswer {
  message: string;
  /** Canonical name of the network. */
  network: string;
  /** Address. */
  wallet: string;
  /** A payout can go to it. */
  valid: boolean;
  /** The tag that the address carries in itself; null without one. */
  memo: string | null;
  /** The code that a payout would be refused with, invalid_format; null when valid. */
  reason: string | null;
  /** Why, for people, with the right form where that is known; null when valid. */
  hint: string | null;
}

export type Allowance = GlobalAllowance | PerTypeAllowance;

export interface BalancesAnswer {
  message: string;
  /** Total by balance key. */
  balances: Record<string, string>;
  /** What can be paid out, by balance key. */
  available: Record<string, string>;
  /** What waits for finality, by balance key. */
  locked: Record<string, string>;
}

export interface ChosenPayin {
  /** Identifier that the service gave. */
  internal_reference: string;
  /** The merchant's reference. */
  reference_id: string;
  /** Token symbol. */
  crypto_currency: string;
  /** Canonical name of the network. */
  network: string;
  status: string;
}

export interface Converted {
  token: string;
  /** Credited amount. */
  amount: string;
}

export interface CreatedPayout {
  /** Position in the request, from 0. */
  index: number;
  /** The merchant's reference. */
  reference_id: string;
  /** Identifier that the service gave. */
  internal_reference: string;
  /** What the recipient gets. */
  crypto_amount: string;
  /** In fiat_currency; null when there is no price. */
  fiat_amount: string | null;
  /** Token symbol. */
  crypto_currency: string;
  /** Fiat code. */
  fiat_currency: string;
  /** Network fee in the token. */
  network_fee: string;
  /** Address. */
  wallet: string;
  /** Destination memo or tag; null when the token uses none. */
  memo: string | null;
  /** Canonical name of the network. */
  network: string;
  /** Which amount counts. */
  process_by: "crypto_amount" | "fiat_amount";
  status: "created";
}

export interface CurrenciesAnswer {
  message: string;
  tokens: string[];
  fiats: string[];
}

export interface DeliveryAttempt {
  /** Counted from 1. */
  attempt: number;
  /** In UTC. */
  attempted_at: string;
  /** What the receiver answered; null without an answer. */
  http_status: number | null;
  /** Why it was not taken, in a few words; null when it was. */
  error: string | null;
  /** How long the try took, in milliseconds. */
  duration_ms: number;
}

export type EitherNotice = PayoutNotice | PayinNotice;

export interface FiatsAnswer {
  message: string;
  fiats: AcceptedFiat[];
}

export interface GlobalAllowance {
  mode: "global";
  limit: number;
  /** Every address ever assigned, revoked ones included. */
  used: number;
  remaining: number;
  supported_types: WalletType[];
}

export interface Item {
  /** Of the item. */
  name: string;
  /** How many. */
  quantity: number;
  /** Of one, in currency. */
  amount?: string;
}

export interface LinkAnswer {
  message: string;
  /** The payment link. */
  payment_link: LinkRecord;
}

export interface LinkList {
  message: string;
  /** The page. */
  payment_links: LinkRecord[];
  meta: ListMeta;
}

export interface LinkRecord {
  /** Identifier that the service gave. */
  internal_reference: string;
  /** End of the page's address. It is one link's for good. */
  slug: string;
  /** What the payers read in place of a reference: 1 to 250 characters, trimmed. */
  label: string;
  currency: string;
  /** In currency; null where the payer says it. */
  amount: string | null;
  /** The least that a payer may say; null without a bound. */
  min_amount: string | null;
  /** The most that a payer may say; null without a bound. */
  max_amount: string | null;
  offers: Offer[];
  status: "open" | "ended";
  /** Where notices go; empty when that is nowhere. */
  webhook_url: string;
  /** In UTC. */
  created_at: string;
  /** When the link ended, in UTC; null while it is open. */
  ended_at: string | null;
  /** The shop's page for a payer who does not pay: http or https, no user or password. */
  cancel_url?: string;
  /** Page on which the payer pays it. Absent unless the operator has set PUBLIC_BASE_URL. */
  checkout_url?: string;
  /** Of the pages for payers, in place of the account's: #rrggbb. It is moved until its texts can be read. */
  colour?: string;
  description?: string;
  return_url?: string;
  /** Where a payer asks, in place of the account's address: an e-mail address, or the address of a page by https. */
  support?: string;
}

export interface ListMeta {
  current_page: number;
  per_page: number;
  total: number;
  total_pages: number;
  /** The filters applied; dates are not repeated. */
  filters: Record<string, string>;
}

export type NetworkRates = Record<string, NetworkTerms> | NetworkTerms[];

export interface NetworkTerms {
  /** Percentage on payins and fixed wallets of the API. */
  receipt_rate: string;
  /** Percentage on payouts of the API. */
  payment_rate: string;
  /** Percentage on deposits through the panel. */
  deposit_rate: string;
  /** Percentage on withdrawals in the panel. */
  withdrawal_rate: string;
  user_pays_payment_network_fee: boolean | null;
  user_pays_receipt_network_fee: boolean | null;
  user_pays_deposit_network_fee: boolean | null;
  user_pays_withdrawal_network_fee: boolean | null;
}

export interface Offer {
  /** Token symbol. */
  crypto_currency: string;
  /** Canonical name of the network. */
  network: string;
}

export interface Omitted {
  /** How many they are. */
  count: number;
  /** What they count for, in crypto_currency. */
  amount: string;
}

export interface PayinAnswer {
  message: string;
  deposit: PayinRecord;
}

export type PayinBody = PayinRequest | PayinRequest[];

export interface PayinCreated {
  message: string;
  data: PayinCreatedData;
}

export interface PayinCreatedData {
  /** The merchant's reference. */
  reference_id: string;
  /** Identifier that the service gave. */
  internal_reference: string;
  /** Address. */
  wallet: string;
  /** In crypto_currency. */
  crypto_amount: string;
  /** In fiat_currency; null when there is no price. */
  fiat_amount: string | null;
  /** Token symbol. */
  crypto_currency: string;
  /** Fiat code. */
  fiat_currency: string;
  /** Canonical name of the network. */
  network: string;
  status: "created";
  /** Page on which the payer pays it. Absent unless the operator has set PUBLIC_BASE_URL. */
  checkout_url?: string;
}

export interface PayinList {
  message: string;
  deposits: PayinRecord[];
  summary: PayinTotals;
  meta: ListMeta;
}

export interface PayinNotice {
  data: PayinNoticeData;
  /** Name of the event. */
  event: string;
  /** In UTC. */
  timestamp: string;
}

export interface PayinNoticeData {
  status: "pending" | "success" | "failed" | "reversed";
  /** The merchant's reference. */
  reference_id: string;
  /** Identifier that the service gave. */
  internal_reference: string;
  /** Canonical name of the network. */
  network: string;
  /** Token symbol. */
  crypto_currency: string;
  /** In crypto_currency. */
  crypto_amount: string;
  /** Fiat code. */
  fiat_currency: string;
  /** In fiat_currency; null when there is no price. */
  fiat_amount: string | null;
  /** Address. */
  wallet: string;
  /** The merchant's name for the customer; at most 200 characters, no white space. */
  customer_info: string | null;
  /** What was credited, in crypto_currency. */
  received_amount: string;
  /** received_amount compared with crypto_amount; null before any payment. */
  payment_status: "partial" | "exact" | "overpaid" | null;
  /** The credited transfers. */
  payments: Payment[];
  /** Text holding a JSON list of transaction hashes; null before any payment. */
  txid: string | null;
  funds_available: boolean;
  /** final once no reorganisation can take the money back. No webhook is sent for that: available of GET /v1/balances says so. */
  finality_status: "pending" | "final";
  /** The payin came from a fixed wallet. */
  is_wallet_fixed: boolean;
  is_duplicated: boolean;
  detected_amount?: string;
  /** Some credited money came after expires_at. Absent otherwise. */
  late?: boolean;
  /** What the credited transfers come to that are not in payments, of a payin with more than 500 transfers. Absent otherwise. */
  payments_omitted?: Omitted;
  reason?: string;
  /** What the network took back; absent when nothing. */
  reversal?: Reversal;
  transfers?: Payment[];
  /** Transfers that were seen and are not credited yet. */
  unconfirmed_payments?: Unconfirmed[];
  /** What that money was worth in fiat_currency when it was credited. Absent without a price. */
  worth_at_arrival?: string | null;
}

export interface PayinRecord {
  /** Identifier that the service gave. */
  internal_reference: string;
  /** The merchant's reference. */
  reference_id: string;
  /** Address. */
  wallet: string;
  /** Canonical name of the network. */
  network: string;
  /** Token symbol. */
  crypto_currency: string;
  /** In crypto_currency. */
  crypto_amount: string;
  invoice_currency: string;
  /** Same as crypto_amount. */
  invoice_amount: string;
  /** Fiat code. */
  fiat_currency: string;
  /** In fiat_currency; null when there is no price. */
  fiat_amount: string | null;
  /** What was credited, in crypto_currency. */
  received_amount: string;
  /** Which amount counts. */
  process_by: "crypto_amount" | "fiat_amount";
  /** The percentage that was applied. */
  percent_rate: string;
  /** Network fee in the token that the account pays; 0 where it pays none. */
  network_fee: string;
  /** Percentage of crypto_amount that completes a payin. */
  minimum_payment: string;
  status: "pending" | "completed" | "failed" | "reversed";
  /** received_amount compared with crypto_amount; null before any payment. */
  payment_status: "partial" | "exact" | "overpaid" | null;
  /** Text holding a JSON list of transaction hashes; null before any payment. */
  txid: string | null;
  /** The credited transfers. */
  payments: Payment[];
  /** Transfers that were seen and are not credited yet. */
  unconfirmed_payments: UnconfirmedPayment[];
  /** Where notices go: of a payin to a fixed address where the account wants them now. Empty when that is nowhere. */
  webhook_url: string;
  /** The payin came from a fixed wallet. */
  is_wallet_fixed: boolean;
  /** The merchant's name for the customer; null without one. */
  customer_info: string | null;
  /** What the network took back; null when nothing. */
  reversal: Reversal | null;
  /** In UTC. */
  created_at: string;
  /** In UTC. */
  updated_at: string;
  /** When the payin fails unless it is paid, in UTC. */
  expires_at: string;
  /** Page on which the payer pays it. Absent unless the operator has set PUBLIC_BASE_URL. */
  checkout_url?: string;
  /** Some credited money came after expires_at. Absent otherwise. */
  late?: boolean;
  /** What the credited transfers come to that are not in payments, of a payin with more than 500 transfers. Absent otherwise. */
  payments_omitted?: Omitted;
  /** The shop's page for its payer. Absent when the payin names none. */
  return_url?: string;
  /** What that money was worth in fiat_currency when it was credited. Absent without a price. */
  worth_at_arrival?: string | null;
}

export interface PayinRefunds {
  message: string;
  /** internal_reference of the payin. */
  payin: string;
  /** What may still be refunded. */
  refundable: RefundableLeft[];
  /** Newest first, without those of the panel. */
  refunds: RefundRecord[];
}

export interface PayinRequest {
  /** Token symbol. */
  crypto_currency: string;
  /** Which amount counts. */
  process_by: "crypto_amount" | "fiat_amount";
  /** 1 to 255 characters, trimmed. Unique on the account. */
  reference_id: string;
  /** Canonical name or alias, in any case. */
  network: string;
  /** https, no user or password, standard port, to a public IPv4 address. */
  webhook_url: string;
  /** A plain decimal above zero. Required with process_by crypto_amount, else ignored and recalculated. */
  crypto_amount?: string | null;
  /** The merchant's name for the customer; at most 200 characters, no white space. */
  customer_info?: string | null;
  /** Lifetime in seconds. Default 14400. */
  expires_at?: number | null;
  /** A plain decimal above zero. Required with process_by fiat_amount. With process_by crypto_amount both amounts may differ by 30 %. */
  fiat_amount?: string | null;
  /** Accepted fiat code in any case. Required with process_by fiat_amount; else the account's preferred one counts, then USD. */
  fiat_currency?: string | null;
  /** 8 to 15 digits; required for tokens that need one. */
  memo?: string | null;
  /** http or https, no user or password. The payers' page leads back there. */
  return_url?: string | null;
}

export interface PayinTotals {
  total_pending: number;
  total_completed: number;
  total_failed: number;
  total_reversed: number;
}

export interface Payment {
  token: string;
  /** Credited amount. */
  amount: string;
  /** Canonical name of the network. */
  network: string;
  /** Transaction hash; null while there is none. */
  txid: string;
  /** In UTC. */
  timestamp: string;
  /** What a transfer in another token counts for. */
  converted_to?: Converted;
}

export interface PaymentLinkBody {
  /** What the payers read in place of a reference: 1 to 250 characters, trimmed. */
  label: string;
  /** An accepted fiat currency, or the symbol of a token. */
  currency: string;
  /** Where notices go; empty when that is nowhere. */
  webhook_url: string;
  /** In currency. Without it the payer says it. */
  amount?: unknown;
  /** The shop's page for a payer who does not pay: http or https, no user or password. */
  cancel_url?: string | null;
  /** Of the pages for payers, in place of the account's: #rrggbb. It is moved until its texts can be read. */
  colour?: string | null;
  /** For the payers. */
  description?: string | null;
  /** The most that a payer may say. Only without amount. */
  max_amount?: unknown;
  /** The least that a payer may say. Only without amount. */
  min_amount?: unknown;
  /** What payers may choose. Everything without it. */
  offers?: Offer[];
  return_url?: string | null;
  /** End of the page's address: 3 to 60 small letters and digits, with single dashes between. A random one without it. */
  slug?: string | null;
  /** Where a payer asks, in place of the account's address: an e-mail address, or the address of a page by https. */
  support?: string | null;
}

export interface PaymentRequestBody {
  /** The merchant's reference. */
  reference_id: string;
  /** In currency. */
  amount: unknown;
  /** An accepted fiat currency, or the symbol of a token. */
  currency: string;
  /** Where notices go; empty when that is nowhere. */
  webhook_url: string;
  /** The shop's page for a payer who does not pay: http or https, no user or password. */
  cancel_url?: string | null;
  /** Of the pages for payers, in place of the account's: #rrggbb. It is moved until its texts can be read. */
  colour?: string | null;
  /** Of the customer: for the account, and for receipts if it sends them. The page does not show it. */
  customer_email?: string | null;
  /** The merchant's name for the customer; at most 200 characters, no white space. */
  customer_info?: string | null;
  /** For the payer. */
  description?: string | null;
  /** Seconds from now; 86400 without it. */
  expires_at?: number | null;
  /** What is paid for, for the payer. Amounts are shown and not added up. */
  items?: RequestItem[];
  /** What the payer may choose. Everything without it. */
  offers?: Offer[];
  return_url?: string | null;
  /** Where a payer asks, in place of the account's address: an e-mail address, or the address of a page by https. */
  support?: string | null;
}

export interface PayoutAnswer {
  message: "payment_processing_completed";
  summary: PayoutSummary;
  results: PayoutResult[];
}

export type PayoutBody = PayoutRequest | PayoutRequest[];

export interface PayoutCounts {
  total_pending: number;
  total_completed: number;
  total_failed: number;
}

export interface PayoutFailure {
  error: Problem;
  summary: PayoutSummary;
  results: PayoutResult[];
}

export interface PayoutFound {
  message: string;
  payment: PayoutRecord;
}

export interface PayoutList {
  message: string;
  /** The credited transfers. */
  payments: PayoutRecord[];
  summary: PayoutCounts;
  meta: ListMeta;
}

export interface PayoutNotice {
  data: PayoutNoticeData;
  /** Name of the event. */
  event: string;
  /** In UTC. */
  timestamp: string;
}

export interface PayoutNoticeData {
  status: "success" | "failed";
  /** The merchant's reference. */
  reference_id: string;
  /** Identifier that the service gave. */
  internal_reference: string;
  /** Canonical name of the network. */
  network: string;
  /** Token symbol. */
  crypto_currency: string;
  /** In crypto_currency. */
  crypto_amount: string;
  /** Fiat code. */
  fiat_currency: string;
  /** In fiat_currency; null when there is no price. */
  fiat_amount: string | null;
  /** Address. */
  wallet: string;
  /** Destination memo or tag; null when the token uses none. */
  memo: string | null;
  /** Network fee in the token. */
  network_fee: string;
  /** The percentage that was applied. */
  percent_rate: string;
  transactions: string[];
  is_duplicated?: boolean;
  reason?: string;
}

export interface PayoutRecord {
  /** Identifier that the service gave. */
  internal_reference: string;
  /** The merchant's reference. */
  reference_id: string;
  /** Address. */
  wallet: string;
  /** Destination memo; null when the token uses none. */
  memo: string | null;
  /** Token symbol. */
  crypto_currency: string;
  /** Fiat code. */
  fiat_currency: string;
  /** What the recipient gets. */
  crypto_amount: string;
  /** In fiat_currency; null when there is no price. */
  fiat_amount: string | null;
  /** Which amount counts. */
  process_by: "crypto_amount" | "fiat_amount";
  /** The percentage that was applied. */
  percent_rate: string;
  /** Network fee in the token. */
  network_fee: string;
  /** Canonical name of the network. */
  network: string;
  status: "pending" | "completed" | "failed" | "refunded";
  /** Transaction hash; null while there is none. */
  txid: string | null;
  /** Where notices go; empty when that is nowhere. */
  webhook_url: string;
  feetakenfromamount: "0" | "1";
  /** In UTC. */
  created_at: string;
  /** In UTC. */
  updated_at: string;
}

export interface PayoutRehearsal {
  message: string;
  /** Nothing was recorded. */
  dry_run: true;
  summary: PayoutSummary;
  results: RehearsedResult[];
}

export interface PayoutRequest {
  /** Destination address. Surrounding spaces are cut. An EVM address in mixed case must carry its checksum. A zero address, a token's contract and our own hot wallet are invalid_format. */
  wallet: string;
  /** Token symbol. */
  crypto_currency: string;
  /** Which amount counts. */
  process_by: "crypto_amount" | "fiat_amount";
  /** 1 to 255 characters, not all of them spaces, or an integer. Unique on the account. */
  reference_id: string;
  /** Canonical name or alias, in any case. */
  network: string;
  /** 1: fees are taken from the amount. 0: they are added to the debit. */
  feetakenfromamount: 0 | 1 | "0" | "1";
  /** https, no user or password, standard port, to a public address. */
  webhook_url: string;
  /** A plain decimal above zero. Required with process_by crypto_amount, else ignored. */
  crypto_amount?: string | null;
  /** The merchant's name for the customer; at most 200 characters, no white space. */
  customer_info?: string | null;
  /** A plain decimal above zero. Required with process_by fiat_amount, else ignored. */
  fiat_amount?: string | null;
  /** Fiat code in any case. Required with process_by fiat_amount; else the account's preferred one counts, then USD. */
  fiat_currency?: string | null;
  /** 8 to 15 digits; required for tokens that need one. */
  memo?: string | null;
}

export type PayoutResult = CreatedPayout | RefusedPayout;

export interface PayoutSummary {
  total_requested: number;
  successful: number;
  failed: number;
  /** How many items were not attempted; only after a failure half way. */
  not_processed?: number | null;
}

export interface PerTypeAllowance {
  mode: "per_type";
  /** What is paid for, for the payer. Amounts are shown and not added up. */
  items: TypeBudget[];
}

export interface PriceAnswer {
  message: string;
  currency1: string;
  currency2: string;
  /** Dots between thousands, decimal comma. */
  price: string;
  /** In UTC. */
  updated_at: string;
}

export interface Problem {
  code: string;
  message: string;
  details?: Record<string, unknown>;
}

export interface QuoteAnswer {
  message: string;
  /** payout or payin. */
  operation: string;
  /** Canonical name of the network. */
  network: string;
  /** Token symbol. */
  crypto_currency: string;
  /** Fiat code. */
  fiat_currency: string;
  /** Which amount counts. */
  process_by: "crypto_amount" | "fiat_amount";
  /** Such an operation would be taken, as far as its amount goes. */
  accepted: boolean;
  /** The code that it would be refused with; null when accepted. */
  reason: string | null;
  /** The message of that refusal; null when accepted. */
  reason_message: string | null;
  /** The amount in the token, cut to its precision. */
  crypto_amount: string | null;
  /** The token's minimum. */
  min_amount: string | null;
  /** The token's maximum. */
  max_amount: string | null;
  /** The percentage that was applied. */
  percent_rate: string | null;
  /** Network fee in the token. */
  network_fee: string | null;
  /** The account pays the network fee. */
  pays_network_fee: boolean | null;
  /** What one of the token is worth in fiat_currency; null when there is no price. */
  price: string | null;
  /** When that price was known, in UTC. */
  price_updated_at: string | null;
  /** Of a payout one for each feetakenfromamount; of a payin one, or none when the token is refused. */
  options: QuoteOption[];
}

export interface QuoteOption {
  /** null for a payin. */
  feetakenfromamount: "0" | "1" | null;
  /** Such an operation would be taken, as far as its amount goes. */
  accepted: boolean;
  /** The code that it would be refused with; null when accepted. */
  reason: string | null;
  /** What a payout debits; what is paid in. */
  gross: string | null;
  /** The rate fee. */
  rate_fee: string | null;
  /** What of the network fee the account pays. */
  network_fee: string | null;
  /** What the recipient of a payout gets; what a payin credits. */
  net: string | null;
  /** What the operation would show as fiat_amount; null without a price. */
  fiat_amount: string | null;
}

export interface RefundAnswer {
  message: string;
  /** The refund. */
  refund: RefundRecord;
}

export interface RefundRecord {
  /** Identifier that the service gave. */
  internal_reference: string;
  /** The merchant's reference. */
  reference_id: string;
  /** internal_reference of the payin. */
  payin: string;
  /** Token symbol. */
  crypto_currency: string;
  /** Canonical name of the network. */
  network: string;
  /** What is given back: what the payer gets, and with feetakenfromamount 1 the fees. */
  crypto_amount: string;
  feetakenfromamount: "0" | "1";
  status: "open" | "expired" | "revoked" | "pending" | "completed" | "failed";
  /** internal_reference of the payout; null until the payer has said where to. */
  payout: string | null;
  /** Where to; null until the payer has said so. */
  wallet: string | null;
  /** Destination memo; null without one. */
  memo: string | null;
  /** Of the payout's transaction; null before. */
  txid: string | null;
  /** Where notices go; empty when that is nowhere. */
  webhook_url: string;
  /** In UTC. */
  created_at: string;
  /** Until when the payer may say where to, in UTC; null for a refund without a link. */
  expires_at: string | null;
  description?: string;
  /** Page on which the payer says where to. Whoever has it may. Absent unless the link is open, the key has payout:write, and the operator has set PUBLIC_BASE_URL. */
  refund_url?: string;
}

export interface RefundRequest {
  /** internal_reference of the payin, or else the account's reference_id. */
  payin: string;
  /** 1 to 250 characters, trimmed. Unique among the account's refunds. The payout bears it. */
  reference_id: string;
  /** all, overpaid, or a plain decimal above zero, of what came. */
  amount: string;
  /** 1: fees are taken from the amount. 0: they are added to the debit. */
  feetakenfromamount: 0 | 1 | "0" | "1";
  /** Of the payout: https, no user or password, standard port, to a public address. */
  webhook_url: string;
  /** The token that came; the payin's without it. */
  crypto_currency?: string | null;
  /** For the payer. */
  description?: string | null;
  /** Seconds from now in which the payer may say where to; 604800 without it. Only without wallet. */
  expires_at?: number | null;
  /** 8 to 15 digits; required for tokens that need one. Only with wallet. */
  memo?: string | null;
  /** Where to. Without it the payer says so on a page. */
  wallet?: string | null;
}

export interface RefundableLeft {
  /** Token symbol. */
  crypto_currency: string;
  /** Canonical name of the network. */
  network: string;
  /** What came and is final. */
  arrived: string;
  /** What of it was refunded or promised by an open link. */
  refunded: string;
  /** What may still be refunded. */
  refundable: string;
  /** What of that was paid too much. */
  overpaid: string;
}

export interface RefusedPayout {
  /** Position in the request, from 0. */
  index: number;
  error: Problem;
  duplicate?: boolean;
  /** Identifier that the service gave. */
  internal_reference?: string;
  /** When the original payout was created. */
  original_created_at?: string;
  /** Present status of the original payout. */
  original_status?: "pending" | "completed" | "failed" | "refunded";
  /** Absent for the codes that the contract marks (no ref). */
  reference_id?: string;
}

export interface RehearsedPayout {
  /** Position in the request, from 0. */
  index: number;
  /** The merchant's reference. */
  reference_id: string;
  /** null: there is no payout. */
  internal_reference: string | null;
  /** In crypto_currency. */
  crypto_amount: string;
  /** In fiat_currency; null when there is no price. */
  fiat_amount: string | null;
  /** Token symbol. */
  crypto_currency: string;
  /** Fiat code. */
  fiat_currency: string;
  /** Network fee in the token. */
  network_fee: string;
  /** Address. */
  wallet: string;
  /** Destination memo or tag; null when the token uses none. */
  memo: string | null;
  /** Canonical name of the network. */
  network: string;
  /** Which amount counts. */
  process_by: "crypto_amount" | "fiat_amount";
  status: string;
}

export type RehearsedResult = RehearsedPayout | RefusedPayout;

export interface RequestAnswer {
  message: string;
  /** The payment request. */
  payment_request: RequestRecord;
}

export interface RequestItem {
  /** Of the item. */
  name: string;
  /** Of one, in currency. */
  amount?: string;
  /** How many; 1 without it. */
  quantity?: number | null;
}

export interface RequestRecord {
  /** Identifier that the service gave. */
  internal_reference: string;
  /** The merchant's reference. */
  reference_id: string;
  /** Credited amount. */
  amount: string;
  currency: string;
  /** What is paid for, for the payer. Amounts are shown and not added up. */
  items: Item[];
  offers: Offer[];
  status: string;
  /** What the payer has chosen, oldest first. */
  payins: ChosenPayin[];
  /** The merchant's name for the customer; at most 200 characters, no white space. */
  customer_info: string | null;
  /** Where notices go; empty when that is nowhere. */
  webhook_url: string;
  /** In UTC. */
  created_at: string;
  /** When the payin fails unless it is paid, in UTC. */
  expires_at: string;
  /** The shop's page for a payer who does not pay: http or https, no user or password. */
  cancel_url?: string;
  /** Page on which the payer pays it. Absent unless the operator has set PUBLIC_BASE_URL. */
  checkout_url?: string;
  /** Of the pages for payers, in place of the account's: #rrggbb. It is moved until its texts can be read. */
  colour?: string;
  /** Of the customer: for the account, and for receipts if it sends them. The page does not show it. */
  customer_email?: string;
  description?: string;
  return_url?: string;
  /** Where a payer asks, in place of the account's address: an e-mail address, or the address of a page by https. */
  support?: string;
}

export interface Reversal {
  /** In UTC. */
  reversed_at: string;
  /** A part of the payin is still credited. */
  partial: boolean;
  /** What was removed, by balance key. */
  amounts: Record<string, string>;
}

export type SentBody = Record<string, unknown>;

export interface StatementLine {
  id: number;
  type: "DEPOSIT" | "WITHDRAWAL" | "RATE" | "FEE" | "WITHDRAWAL_REFUND" | "DEPOSIT_REVERSAL";
  direction: "in" | "out";
  /** Balance key. */
  balance: string;
  /** Token symbol. */
  crypto_currency: string;
  /** Positive; direction tells the sign. */
  amount: string;
  /** The balance after this movement. */
  balance_after: string;
  /** Canonical name of the network. */
  network: string | null;
  /** The merchant's reference. */
  reference_id: string | null;
  /** Identifier that the service gave. */
  internal_reference: string | null;
  /** Transaction hash; null while there is none. */
  txid: string | null;
  /** In UTC. */
  created_at: string;
}

export interface StatementSum {
  /** Balance key. */
  balance: string;
  /** Token symbol. */
  crypto_currency: string;
  type: "DEPOSIT" | "WITHDRAWAL" | "RATE" | "FEE" | "WITHDRAWAL_REFUND" | "DEPOSIT_REVERSAL";
  direction: "in" | "out";
  count: number;
  /** The sum. */
  total_amount: string;
}

export interface StatementsAnswer {
  message: string;
  statements: StatementLine[];
  meta: ListMeta;
}

export interface StatementsSummary {
  message: string;
  summary: StatementSum[];
}

export interface Summary {
  accepted_tokens: AcceptedToken[];
  accepted_fiats: AcceptedFiat[];
  user_info: UserInfo;
  network_rates: NetworkRates;
  summary_stats: SummaryStats;
}

export interface SummaryAnswer {
  message: string;
  data: Summary;
}

export interface SummaryStats {
  total_tokens: number;
  total_fiats: number;
  total_network_overrides: number;
  /** In UTC. */
  generated_at: string;
}

export interface TokensAnswer {
  message: string;
  tokens: AcceptedToken[];
}

export interface TypeBudget {
  type: string;
  /** What the payers read in place of a reference: 1 to 250 characters, trimmed. */
  label: string;
  limit: number;
  /** Addresses that are assigned now. */
  used: number;
  remaining: number;
}

export interface Unconfirmed {
  token: string;
  /** Credited amount. */
  amount: string;
  /** Canonical name of the network. */
  network: string;
  /** Transaction hash; null while there is none. */
  txid: string;
  /** In UTC. */
  timestamp: string;
}

export interface UnconfirmedPayment {
  token: string;
  /** Amount seen. */
  amount: string;
  /** Canonical name of the network. */
  network: string;
  /** Transaction hash; null while there is none. */
  txid: string;
  /** In UTC. */
  timestamp: string;
  /** Blocks on the transfer so far; 0 in the mempool. */
  confirmations: number;
  /** Blocks after which it is credited. */
  required_confirmations: number;
}

export interface UserInfo {
  /** Percentage of crypto_amount that completes a payin. */
  minimum_payment: string;
  /** Percentage on payins and fixed wallets of the API. */
  receipt_rate: string;
  /** Percentage on payouts of the API. */
  payment_rate: string;
  /** Percentage on deposits through the panel. */
  deposit_rate: string;
  /** Percentage on withdrawals in the panel. */
  withdrawal_rate: string;
  user_pays_payment_network_fee: boolean;
  user_pays_receipt_network_fee: boolean;
  user_pays_deposit_network_fee: boolean;
  user_pays_withdrawal_network_fee: boolean;
}

export interface WalletAnswer {
  message: string;
  /** The wallet. */
  wallet: WalletRecord;
  allowance: Allowance | null;
}

export interface WalletConfig {
  /** https, no user or password, standard port, to a public IPv4 address, as of a payin; null when there is none. */
  webhook_url: string | null;
}

export interface WalletConfigAnswer {
  message: string;
  config: WalletConfig;
}

export interface WalletList {
  message: string;
  wallets: WalletRecord[];
  count: number;
  allowance: Allowance | null;
}

export interface WalletRecord {
  /** The merchant's name for the customer; at most 200 characters, no white space. */
  customer_info: string;
  /** Address. */
  wallet: string;
  /** Lower-case family, such as evm, tron, bitcoin. */
  type: string;
  status: "STATUS_ASSIGNED" | "STATUS_REVOKED";
  /** Such as external_api. */
  origin: string;
  /** null when there was none. */
  last_transaction_at: string | null;
  /** In UTC. */
  created_at: string;
  /** In UTC. */
  updated_at: string;
  /** Canonical names. */
  networks: string[];
  accepted_tokens: WalletToken[];
  /** It is going to be revoked for inactivity. */
  pending_revocation: boolean;
  /** When it is revoked unless a transfer arrives; null when that is not planned. */
  revoke_at: string | null;
}

export interface WalletRequest {
  /** A type of listFixedWalletTypes that the account's allowance has. */
  type: string;
  /** The merchant's name for the customer; at most 200 characters, no white space. */
  customer_info: string;
}

export interface WalletSupport {
  type: string;
  /** What the payers read in place of a reference: 1 to 250 characters, trimmed. */
  label: string;
  /** Canonical names. */
  networks: string[];
  accepted_tokens: WalletToken[];
}

export interface WalletToken {
  /** Canonical name of the network. */
  network: string;
  /** Balance key. */
  token: string;
  symbol: string;
}

export interface WalletType {
  type: string;
  /** What the payers read in place of a reference: 1 to 250 characters, trimmed. */
  label: string;
}

export interface WalletTypesAnswer {
  message: string;
  types: WalletSupport[];
  allowance: Allowance | null;
}

export interface WebhookDelivery {
  /** Its id, which the receiver got in the delivery header. */
  id: string;
  /** Name of the event. */
  event: string;
  status: "pending" | "delivered" | "exhausted";
  /** The payin or payout that it tells of. */
  internal_reference: string;
  /** The merchant's reference. */
  reference_id: string;
  /** Where it goes. */
  webhook_url: string;
  /** How often it was tried. */
  attempt_count: number;
  /** The newest try; null before the first. */
  last_attempt: DeliveryAttempt | null;
  /** The webhook that this one repeats; null for all others. */
  redelivery_of: string | null;
  /** In UTC. */
  created_at: string;
  /** When it was delivered or given up, in UTC; null while it is pending. */
  finished_at: string | null;
}

export interface WebhookDeliveryFound {
  message: string;
  /** The webhook. */
  delivery: WebhookDeliveryRecord;
}

export interface WebhookDeliveryList {
  message: string;
  /** The page. */
  deliveries: WebhookDelivery[];
  meta: ListMeta;
}

export interface WebhookDeliveryRecord {
  id: string;
  /** Name of the event. */
  event: string;
  status: string;
  /** Identifier that the service gave. */
  internal_reference: string;
  /** The merchant's reference. */
  reference_id: string;
  /** Where notices go; empty when that is nowhere. */
  webhook_url: string;
  /** How often it was tried. */
  attempt_count: number;
  /** The newest try; null before the first. */
  last_attempt: DeliveryAttempt | null;
  /** The webhook that this one repeats; null for all others. */
  redelivery_of: string | null;
  /** In UTC. */
  created_at: string;
  /** When it was delivered or given up, in UTC; null while it is pending. */
  finished_at: string | null;
  /** Every try, oldest first. */
  attempts: DeliveryAttempt[];
  /** What is sent, as it stands. */
  body: SentBody;
}

export interface WebhookRedelivered {
  message: string;
  /** The webhook. */
  delivery: WebhookDelivery;
}

export interface GetPriceQuery {
  /** What is priced: a token symbol or a fiat code. */
  currency1: string;
  /** In what. */
  currency2: string;
}

export interface GetQuoteQuery {
  /** payout or payin. */
  operation: "payout" | "payin";
  /** Name or alias, in any case. */
  network: string;
  /** Token symbol. */
  token: string;
  /** A plain decimal above zero. */
  amount: string;
  /** Accepted fiat, in any case, that the amount is in. Without it the amount is in the token. */
  currency?: string;
}

export interface ListFixedWalletsQuery {
  /** Lower-case, exact match. */
  type?: string;
  /** STATUS_ASSIGNED or STATUS_REVOKED. */
  status?: string;
  /** Exact match. */
  customer_info?: string;
  /** Default 100, clamped to 1 to 500. */
  limit?: number;
  /** Default 0; negative is 0. */
  offset?: number;
}

export interface ListPayinsQuery {
  /** Default 1; 0 or what is no whole number is 1. Negative: invalid_page_number. */
  page?: number;
  /** 1 to 100, default 50; 0 or what is no whole number is 50. Negative or above: invalid_per_page_limit. */
  per_page?: number;
  /** pending, completed, failed or reversed, in any case. Anything else: invalid_status_filter. */
  status?: string;
  /** Token symbol. */
  crypto_currency?: string;
  /** Canonical name, case-sensitive. Unknown: invalid_network_filter. */
  network?: string;
  /** Inclusive from 00:00:00, in UTC-03:00. Unreadable: invalid_date_from. */
  date_from?: string;
  /** Inclusive until 23:59:59, in UTC-03:00. Unreadable: invalid_date_to. */
  date_to?: string;
  /** Exact match. */
  reference_id?: string;
}

export interface ListPaymentLinksQuery {
  /** Default 1; 0 or what is no whole number is 1. Negative: invalid_page_number. */
  page?: number;
  /** 1 to 100, default 50; 0 or what is no whole number is 50. Negative or above: invalid_per_page_limit. */
  per_page?: number;
  /** open or ended, in any case. Anything else: invalid_status_filter. */
  status?: string;
}

export interface ListPayoutsQuery {
  /** Default 1; 0 or what is no whole number is 1. Negative: invalid_page_number. */
  page?: number;
  /** 1 to 100, default 50; 0 or what is no whole number is 50. Negative or above: invalid_per_page_limit. */
  per_page?: number;
  /** pending, completed or failed, in any case. Anything else: invalid_status_filter. */
  status?: string;
  /** Token symbol. */
  crypto_currency?: string;
  /** Canonical name, case-sensitive. Unknown: invalid_network_filter. */
  network?: string;
  /** Inclusive from 00:00:00, in UTC-03:00. Unreadable: invalid_date_from. */
  date_from?: string;
  /** Inclusive until 23:59:59, in UTC-03:00. Unreadable: invalid_date_to. */
  date_to?: string;
  /** Exact match. */
  reference_id?: string;
}

export interface ListStatementsQuery {
  /** Default 1; 0 or what is no whole number is 1. Negative: invalid_pagination. */
  page?: number;
  /** 1 to 100, default 50; 0 or what is no whole number is 50. Negative or above: invalid_pagination. */
  per_page?: number;
  /** Type of movement, in any case. Unknown: invalid_format. */
  type?: string;
  /** in or out, in any case. Anything else: invalid_format. */
  direction?: string;
  /** Balance key. Unknown: invalid_format. */
  balance?: string;
  /** Canonical name, case-sensitive. Unknown: invalid_format. */
  network?: string;
  /** Inclusive from 00:00:00, in UTC-03:00. Unreadable: invalid_format. */
  date_from?: string;
  /** Inclusive until 23:59:59; at most 366 days, in UTC-03:00. Unreadable: invalid_format. */
  date_to?: string;
  /** Plain decimal. Anything else: invalid_amount. */
  min_amount?: string;
  /** Plain decimal, not below min_amount. Anything else: invalid_amount. */
  max_amount?: string;
  /** Exact match; over 255 characters: invalid_reference_id. */
  reference_id?: string;
}

export interface ListWebhookDeliveriesQuery {
  /** Default 1; 0 or what is no whole number is 1. Negative: invalid_page_number. */
  page?: number;
  /** 1 to 100, default 50; 0 or what is no whole number is 50. Negative or above: invalid_per_page_limit. */
  per_page?: number;
  /** pending, delivered or exhausted, in any case. Anything else: invalid_status_filter. */
  status?: string;
  /** Name of an event, in any case. Anything else: invalid_parameters. */
  event?: string;
  /** internal_reference or reference_id of the payin or payout. Over 255 characters: invalid_reference_id. */
  reference?: string;
}

export interface SummarizeStatementsQuery {
  /** Type of movement, in any case. Unknown: invalid_format. */
  type?: string;
  /** in or out, in any case. Anything else: invalid_format. */
  direction?: string;
  /** Balance key. Unknown: invalid_format. */
  balance?: string;
  /** Canonical name, case-sensitive. Unknown: invalid_format. */
  network?: string;
  /** Inclusive from 00:00:00, in UTC-03:00. Unreadable: invalid_format. */
  date_from?: string;
  /** Inclusive until 23:59:59; at most 366 days, in UTC-03:00. Unreadable: invalid_format. */
  date_to?: string;
  /** Plain decimal. Anything else: invalid_amount. */
  min_amount?: string;
  /** Plain decimal, not below min_amount. Anything else: invalid_amount. */
  max_amount?: string;
  /** Exact match; over 255 characters: invalid_reference_id. */
  reference_id?: string;
}

export interface ValidateAddressQuery {
  /** Name or alias, in any case. */
  network: string;
  /** The address. */
  wallet: string;
}

/** The codes of refusals. */
export type ErrorCode =
  | "amount_does_not_cover_fees"
  | "amount_out_of_limits"
  | "api_access_denied"
  | "api_key_invalid"
  | "api_key_missing"
  | "assign_failed"
  | "config_update_failed"
  | "crypto_amount_does_not_correspond_to_fiat_amount_provided"
  | "crypto_amount_required"
  | "daily_payout_limit_exceeded"
  | "daily_payout_limit_unavailable"
  | "database_error"
  | "database_transaction_failed"
  | "date_range_too_wide"
  | "duplicate_payment_reference"
  | "duplicate_reference_id"
  | "duplicate_reference_id_in_request"
  | "email_not_verified"
  | "error_fetching_active_currencies"
  | "external_processor_error"
  | "feature_disabled"
  | "fiat_amount_required"
  | "fiat_currency_not_accepted"
  | "fiat_currency_required"
  | "idempotency_key_in_progress"
  | "insufficient_balance"
  | "insufficient_total_balance"
  | "internal_error"
  | "invalid_amount"
  | "invalid_crypto_amount"
  | "invalid_currency"
  | "invalid_date_from"
  | "invalid_date_range"
  | "invalid_date_to"
  | "invalid_fiat_amount"
  | "invalid_format"
  | "invalid_ip"
  | "invalid_network_filter"
  | "invalid_network_or_deposits_disabled"
  | "invalid_network_or_withdrawals_disabled"
  | "invalid_page_number"
  | "invalid_pagination"
  | "invalid_parameters"
  | "invalid_parameters_for_process_by"
  | "invalid_payment_list"
  | "invalid_per_page_limit"
  | "invalid_reference_id"
  | "invalid_status_filter"
  | "invalid_webhook_url"
  | "ip_not_authorized"
  | "json_parse_exception"
  | "json_parse_failed"
  | "limit_exceeded"
  | "limit_not_allowed"
  | "limit_reached"
  | "max_payouts_exceeded"
  | "memo_required"
  | "missing_parameters"
  | "missing_required_fields"
  | "network_unavailable"
  | "no_processor_configured"
  | "no_token_offered"
  | "no_wallet_available"
  | "nothing_to_refund"
  | "price_not_available_for_conversion"
  | "price_not_available_for_validation"
  | "price_not_found"
  | "price_unavailable"
  | "rate_limit_exceeded"
  | "record_not_found"
  | "refund_exceeds_payin"
  | "refund_not_open"
  | "refund_not_payable"
  | "request_too_large"
  | "route_not_found"
  | "scope_denied"
  | "service_unavailable"
  | "signature_headers_missing"
  | "signature_invalid"
  | "signature_nonce_charset_invalid"
  | "signature_nonce_length_invalid"
  | "signature_replayed"
  | "signature_secret_unavailable"
  | "signature_timestamp_invalid"
  | "signature_timestamp_out_of_range"
  | "slug_taken"
  | "token_network_mismatch"
  | "token_not_active"
  | "token_not_supported_or_inactive"
  | "too_many_failed_authentications"
  | "type_not_supported"
  | "unsupported_token_or_deposits_disabled"
  | "unsupported_token_or_withdrawals_disabled"
  | "value_above_maximum"
  | "value_below_minimum";

/** The names of webhooks. */
export type Event =
  | "payment_confirmed"
  | "payment_detected"
  | "payment_failed"
  | "payment_processed"
  | "payment_reversed"
  | "payment_updated";
