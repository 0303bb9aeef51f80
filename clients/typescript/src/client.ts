import { ApiError, CausewayError, OtherBodyError } from "./errors.js";
import { Transport, type Answer, type Call, type Settings } from "./transport.js";
import type * as t from "./types.js";

/** Speaks to one API with one key. The operations of the API are its methods, one for each. */
export class Client {
  readonly #transport: Transport;

  constructor(settings: Settings) {
    this.#transport = new Transport(settings);
  }

  /**
   * Creates a payin: an address for a customer to pay to.
   *
   * It is never retried. After a failure send it again with the same reference_id: if it exists, the error is duplicate_reference_id, and checkPayin
   * returns it.
   */
  async createPayin(payin: t.PayinRequest): Promise<t.PayinCreatedData> {
    return (await this.#post<t.PayinCreated>("/v1/payin", payin)).data;
  }

  /** Looks a payin up by its internal reference, or else by its reference_id. */
  async checkPayin(reference: string): Promise<t.PayinRecord> {
    return (await this.#get<t.PayinAnswer>("/v1/check-payin/" + encodeURIComponent(reference))).deposit;
  }

  /** Returns a page of payins, newest first. */
  async listPayins(filter: t.ListPayinsQuery = {}): Promise<t.PayinList> {
    return this.#get("/v1/list-payin", filter);
  }

  /**
   * Asks a payer for an amount. He chooses on its page, checkout_url, what to pay it with.
   *
   * It is never retried, as createPayin is not.
   */
  async createPaymentRequest(request: t.PaymentRequestBody): Promise<t.RequestRecord> {
    return (await this.#post<t.RequestAnswer>("/v1/payment-request", request)).payment_request;
  }

  /** Looks a payment request up by its internal reference, or else by its reference_id. */
  async checkPaymentRequest(reference: string): Promise<t.RequestRecord> {
    return (await this.#get<t.RequestAnswer>("/v1/payment-request/" + encodeURIComponent(reference))).payment_request;
  }

  /**
   * Makes a link for any number of payers, whose page is checkout_url. Each payer who chooses makes a payment request.
   *
   * It is never retried. After a failure send it again with the same slug: if the link exists, the error is slug_taken, and checkPaymentLink
   * returns it.
   */
  async createPaymentLink(link: t.PaymentLinkBody): Promise<t.LinkRecord> {
    return (await this.#post<t.LinkAnswer>("/v1/payment-link", link)).payment_link;
  }

  /** Looks a payment link up by its internal reference, or else by its slug. */
  async checkPaymentLink(reference: string): Promise<t.LinkRecord> {
    return (await this.#get<t.LinkAnswer>("/v1/payment-link/" + encodeURIComponent(reference))).payment_link;
  }

  /** Returns a page of payment links, newest first. */
  async listPaymentLinks(filter: t.ListPaymentLinksQuery = {}): Promise<t.LinkList> {
    return this.#get("/v1/payment-links", filter);
  }

  /** Ends a payment link for good. One that has ended before is returned as it stands. */
  async endPaymentLink(reference: string): Promise<t.LinkRecord> {
    const path = `/v1/payment-link/${encodeURIComponent(reference)}/end`;
    return (await this.#answered<t.LinkAnswer>({ method: "POST", path })).payment_link;
  }

  /**
   * Gives a payer back something of a payin. Without a wallet the payer says on its page, refund_url, where to.
   *
   * Without an idempotencyKey nothing is retried, and after a failure the reference must be looked up. A refusal frees the key. The same key with
   * another body is an OtherBodyError.
   */
  async createRefund(refund: t.RefundRequest, options: { idempotencyKey?: string } = {}): Promise<t.RefundRecord> {
    const received = await this.#sent({ method: "POST", path: "/v1/refund", body: refund, idempotencyKey: options.idempotencyKey ?? "" });
    const answer = received.json() as t.RefundAnswer | undefined;
    if (!answer) throw received.refusal();
    if (received.headers.get("Idempotency-Body-Differs") === "true") throw new OtherBodyError(answer);
    return answer.refund;
  }

  /** Looks a refund up by its internal reference, or else by its reference_id. */
  async checkRefund(reference: string): Promise<t.RefundRecord> {
    return (await this.#get<t.RefundAnswer>("/v1/refund/" + encodeURIComponent(reference))).refund;
  }

  /** Ends the link of a refund. */
  async revokeRefund(reference: string): Promise<t.RefundRecord> {
    const path = `/v1/refund/${encodeURIComponent(reference)}/revoke`;
    return (await this.#answered<t.RefundAnswer>({ method: "POST", path })).refund;
  }

  /** Returns the refunds of a payin, and what is left to refund. It is named by its internal reference, or else by its reference_id. */
  async listPayinRefunds(payin: string): Promise<t.PayinRefunds> {
    return this.#get("/v1/payin-refunds/" + encodeURIComponent(payin));
  }

  /**
   * Creates one payout. A refusal is an ApiError; with duplicate_payment_reference its result tells of the original.
   *
   * Without an idempotencyKey nothing is retried, and after a failure the reference must be looked up. A refusal is remembered under the key, too: a
   * payout sent again after one, corrected or later, needs a new key, and keeps its reference. The same key with another body is an OtherBodyError.
   */
  async createPayout(payout: t.PayoutRequest, options: { idempotencyKey?: string } = {}): Promise<t.CreatedPayout> {
    const { results } = await this.#create(payout, options.idempotencyKey);
    const result = results[0];
    if (results.length !== 1 || !result) throw new CausewayError("the API answered with another number of results than payouts");
    if ("error" in result) {
      const refusal = new ApiError(result.error);
      refusal.result = result;
      throw refusal;
    }
    return result;
  }

  /**
   * Creates up to 50 payouts. An error is about the request as a whole; each result may carry one of its own.
   *
   * After a failure half way the error's answer has the results so far, and nothing is tried again. A lost answer is asked for again under the
   * idempotencyKey: payouts created by then, and not remembered by the service, come back refused with duplicate, internal_reference and
   * original_status, and must not be paid again under another reference.
   */
  async createPayouts(payouts: t.PayoutRequest[], options: { idempotencyKey?: string } = {}): Promise<t.PayoutAnswer> {
    return this.#create(payouts, options.idempotencyKey);
  }

  /** Returns the results createPayouts would, and creates nothing: a dry run. */
  async rehearsePayouts(payouts: t.PayoutRequest[]): Promise<t.PayoutRehearsal> {
    const answer = await this.#payouts<t.PayoutRehearsal>({
      method: "POST",
      path: "/v1/payout",
      query: { dry_run: "1" },
      body: payouts,
      harmless: true,
    });
    if (answer.dry_run !== true) throw new CausewayError("the API knows no dry runs: the payouts were created");
    return answer;
  }

  /** Looks a payout up by its internal reference. */
  async checkPayout(internalReference: string): Promise<t.PayoutRecord> {
    return (await this.#get<t.PayoutFound>("/v1/check-payout/" + encodeURIComponent(internalReference))).payment;
  }

  /** Returns a page of payouts, newest first. */
  async listPayouts(filter: t.ListPayoutsQuery = {}): Promise<t.PayoutList> {
    return this.#get("/v1/list-payout", filter);
  }

  /** Returns what an amount would come to now. Nothing is held: prices move. */
  async getQuote(request: t.GetQuoteQuery): Promise<t.QuoteAnswer> {
    return this.#get("/v1/quote", request);
  }

  /** Makes the check of a payout's wallet. */
  async validateAddress(network: string, wallet: string): Promise<t.AddressAnswer> {
    return this.#get("/v1/validate-address", { network, wallet });
  }

  /** Returns the balances of every active token. */
  async getBalances(): Promise<t.BalancesAnswer> {
    return this.#get("/v1/balances");
  }

  /** Returns a page of movements, newest first. Amounts are positive, direction tells the sign. */
  async listStatements(filter: t.ListStatementsQuery = {}): Promise<t.StatementsAnswer> {
    return this.#get("/v1/statements", filter);
  }

  /**
   * Returns every movement of the filter as CSV, or one page if the filter has page or per_page. A statement of more than 32 MB is a TooLongError:
   * ask for fewer days at a time.
   */
  async statementsCsv(filter: t.ListStatementsQuery = {}): Promise<string> {
    const answer = await this.#sent({ method: "GET", path: "/v1/statements", query: filter, accept: "text/csv" });
    return new TextDecoder().decode(answer.body);
  }

  /** Sums up the movements of listStatements with the same filter. */
  async summarizeStatements(filter: t.SummarizeStatementsQuery = {}): Promise<t.StatementSum[]> {
    return (await this.#get<t.StatementsSummary>("/v1/statements/summary", filter)).summary;
  }

  /** Returns the catalogue and the account's terms. */
  async getSummary(): Promise<t.Summary> {
    return (await this.#get<t.SummaryAnswer>("/v1/summary")).data;
  }

  /** Returns the active tokens. */
  async getTokens(): Promise<t.AcceptedToken[]> {
    return (await this.#get<t.TokensAnswer>("/v1/summary/tokens")).tokens;
  }

  /** Returns the accepted fiats. */
  async getFiats(): Promise<t.AcceptedFiat[]> {
    return (await this.#get<t.FiatsAnswer>("/v1/summary/fiats")).fiats;
  }

  /** Returns the worth of one currency1 in currency2, written as 63.250,10; both are token symbols or fiat codes. */
  async getPrice(currency1: string, currency2: string): Promise<t.PriceAnswer> {
    return this.#get("/v1/get-price", { currency1, currency2 });
  }

  /** Returns the currencies for getPrice. */
  async getCurrencies(): Promise<t.CurrenciesAnswer> {
    return this.#get("/v1/get-currencies");
  }

  /** Gives a customer a wallet of a type, or returns the existing one: it may be called again after a failure. */
  async createFixedWallet(type: string, customerInfo: string): Promise<t.WalletAnswer> {
    return this.#post("/v1/fixed-wallets", { type, customer_info: customerInfo });
  }

  /** Returns a page of fixed wallets, newest first. */
  async listFixedWallets(filter: t.ListFixedWalletsQuery = {}): Promise<t.WalletList> {
    return this.#get("/v1/fixed-wallets", filter);
  }

  /** Returns the types open to creation. */
  async listFixedWalletTypes(): Promise<t.WalletTypesAnswer> {
    return this.#get("/v1/fixed-wallets/supported");
  }

  /** Returns where notices of fixed wallets go. */
  async getFixedWalletConfig(): Promise<t.WalletConfig> {
    return (await this.#get<t.WalletConfigAnswer>("/v1/fixed-wallets/config")).config;
  }

  /** Sets where notices of fixed wallets go. */
  async setFixedWalletConfig(config: t.WalletConfig): Promise<t.WalletConfig> {
    return (await this.#answered<t.WalletConfigAnswer>({ method: "PUT", path: "/v1/fixed-wallets/config", body: config })).config;
  }

  /** Returns a page of webhooks, newest first. */
  async listWebhookDeliveries(filter: t.ListWebhookDeliveriesQuery = {}): Promise<t.WebhookDeliveryList> {
    return this.#get("/v1/webhook-deliveries", filter);
  }

  /** Reads a webhook with its attempts and its body. */
  async getWebhookDelivery(id: string): Promise<t.WebhookDeliveryRecord> {
    return (await this.#get<t.WebhookDeliveryFound>("/v1/webhook-deliveries/" + encodeURIComponent(id))).delivery;
  }

  /** Sends a webhook once more and returns its repetition. While this is still to go out, asking again returns it again. */
  async redeliverWebhook(id: string): Promise<t.WebhookDelivery> {
    const path = `/v1/webhook-deliveries/${encodeURIComponent(id)}/redeliver`;
    return (await this.#answered<t.WebhookRedelivered>({ method: "POST", path })).delivery;
  }

  #create(body: object, idempotencyKey = ""): Promise<t.PayoutAnswer> {
    return this.#payouts({ method: "POST", path: "/v1/payout", body, idempotencyKey });
  }

  async #payouts<T extends t.PayoutAnswer | t.PayoutRehearsal>(call: Call): Promise<T> {
    const received = await this.#transport.send(call);
    const answer = received.json() as (t.PayoutAnswer & { error?: unknown }) | undefined;
    if (!Array.isArray(answer?.results) || answer.results.length === 0) throw received.refusal();
    if (received.headers.get("Idempotency-Body-Differs") === "true") throw new OtherBodyError(answer);
    if (answer.error) {
      const refusal = received.refusal();
      refusal.answer = answer;
      throw refusal;
    }
    return answer as unknown as T;
  }

  #get<T>(path: string, query: object = {}): Promise<T> {
    return this.#answered({ method: "GET", path, query });
  }

  #post<T>(path: string, body: object): Promise<T> {
    return this.#answered({ method: "POST", path, body });
  }

  async #answered<T>(call: Call): Promise<T> {
    const received = await this.#sent(call);
    const answer = received.json();
    if (!answer) throw received.refusal();
    return answer as T;
  }

  async #sent(call: Call): Promise<Answer> {
    const received = await this.#transport.send(call);
    if (received.status >= 300) throw received.refusal();
    return received;
  }
}
