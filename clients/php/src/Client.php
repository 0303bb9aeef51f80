<?php

declare(strict_types=1);

namespace Causeway;

/**
 * Speaks to one API with one key. The operations of the API are its methods, one for each.
 *
 * @phpstan-import-type AcceptedFiat from Types
 * @phpstan-import-type AcceptedToken from Types
 * @phpstan-import-type AddressAnswer from Types
 * @phpstan-import-type BalancesAnswer from Types
 * @phpstan-import-type CreatedPayout from Types
 * @phpstan-import-type CurrenciesAnswer from Types
 * @phpstan-import-type GetQuoteQuery from Types
 * @phpstan-import-type ListFixedWalletsQuery from Types
 * @phpstan-import-type ListPayinsQuery from Types
 * @phpstan-import-type ListPayoutsQuery from Types
 * @phpstan-import-type ListStatementsQuery from Types
 * @phpstan-import-type ListWebhookDeliveriesQuery from Types
 * @phpstan-import-type PayinCreatedData from Types
 * @phpstan-import-type PayinList from Types
 * @phpstan-import-type PayinRecord from Types
 * @phpstan-import-type PayinRefunds from Types
 * @phpstan-import-type PayinRequest from Types
 * @phpstan-import-type PaymentRequestBody from Types
 * @phpstan-import-type PayoutAnswer from Types
 * @phpstan-import-type PayoutList from Types
 * @phpstan-import-type PayoutRecord from Types
 * @phpstan-import-type PayoutRehearsal from Types
 * @phpstan-import-type PayoutRequest from Types
 * @phpstan-import-type PriceAnswer from Types
 * @phpstan-import-type QuoteAnswer from Types
 * @phpstan-import-type RefundRecord from Types
 * @phpstan-import-type RefundRequest from Types
 * @phpstan-import-type RequestRecord from Types
 * @phpstan-import-type StatementSum from Types
 * @phpstan-import-type StatementsAnswer from Types
 * @phpstan-import-type SummarizeStatementsQuery from Types
 * @phpstan-import-type Summary from Types
 * @phpstan-import-type WalletAnswer from Types
 * @phpstan-import-type WalletConfig from Types
 * @phpstan-import-type WalletList from Types
 * @phpstan-import-type WalletTypesAnswer from Types
 * @phpstan-import-type WebhookDelivery from Types
 * @phpstan-import-type WebhookDeliveryList from Types
 * @phpstan-import-type WebhookDeliveryRecord from Types
 */
final class Client
{
    private readonly Transport $transport;

    /**
     * @param string $signingSecret for keys that require signed requests
     * @param float $timeout longest time for a request and its answer, in seconds
     * @param int $retries how often a request safe to send twice is sent again
     * @param float $longestWait the longest Retry-After waited for, in seconds: a longer one ends the call, and ApiError::$retryAfter tells it
     * @param (\Closure(float): mixed)|null $wait pauses before a retry, for so many seconds
     */
    public function __construct(
        string $baseUrl,
        string $key,
        string $signingSecret = '',
        string $headerPrefix = 'X-Service',
        float $timeout = 30,
        int $retries = 3,
        float $longestWait = 60,
        ?\Closure $wait = null,
    ) {
        $this->transport = new Transport($baseUrl, $key, $signingSecret, $headerPrefix, $timeout, $retries, $longestWait, $wait);
    }

    /**
     * Creates a payin: an address for a customer to pay to.
     *
     * It is never retried. After a failure send it again with the same reference_id: if it exists, the error is duplicate_reference_id, and checkPayin
     * returns it.
     *
     * @param PayinRequest $payin
     * @return PayinCreatedData
     */
    public function createPayin(array $payin): array
    {
        return $this->answered(new Call('POST', '/v1/payin', body: $payin))['data'];
    }

    /**
     * Looks a payin up by its internal reference, or else by its reference_id.
     * @return PayinRecord
     */
    public function checkPayin(string $reference): array
    {
        return $this->get('/v1/check-payin/' . rawurlencode($reference))['deposit'];
    }

    /**
     * Returns a page of payins, newest first.
     * @param ListPayinsQuery $filter
     * @return PayinList
     */
    public function listPayins(array $filter = []): array
    {
        return $this->get('/v1/list-payin', $filter);
    }

    /**
     * Asks a payer for an amount. He chooses on its page, checkout_url, what to pay it with.
     *
     * It is never retried, as createPayin is not.
     *
     * @param PaymentRequestBody $request
     * @return RequestRecord
     */
    public function createPaymentRequest(array $request): array
    {
        return $this->answered(new Call('POST', '/v1/payment-request', body: $request))['payment_request'];
    }

    /**
     * Looks a payment request up by its internal reference, or else by its reference_id.
     * @return RequestRecord
     */
    public function checkPaymentRequest(string $reference): array
    {
        return $this->get('/v1/payment-request/' . rawurlencode($reference))['payment_request'];
    }

    /**
     * Makes a link for any number of payers, whose page is checkout_url. Each payer who chooses makes a payment request.
     *
     * It is never retried. After a failure send it again with the same slug: if the link exists, the error is slug_taken, and checkPaymentLink
     * returns it.
     *
     * @param PaymentLinkBody $link
     * @return LinkRecord
     */
    public function createPaymentLink(array $link): array
    {
        return $this->answered(new Call('POST', '/v1/payment-link', body: $link))['payment_link'];
    }

    /**
     * Looks a payment link up by its internal reference, or else by its slug.
     * @return LinkRecord
     */
    public function checkPaymentLink(string $reference): array
    {
        return $this->get('/v1/payment-link/' . rawurlencode($reference))['payment_link'];
    }

    /**
     * Returns a page of payment links, newest first.
     * @param ListPaymentLinksQuery $filter
     * @return LinkList
     */
    public function listPaymentLinks(array $filter = []): array
    {
        return $this->get('/v1/payment-links', $filter);
    }

    /**
     * Ends a payment link for good. One that has ended before is returned as it stands.
     * @return LinkRecord
     */
    public function endPaymentLink(string $reference): array
    {
        return $this->answered(new Call('POST', '/v1/payment-link/' . rawurlencode($reference) . '/end'))['payment_link'];
    }

    /**
     * Gives a payer back something of a payin. Without a wallet the payer says on its page, refund_url, where to.
     *
     * Without an idempotencyKey nothing is retried, and after a failure the reference must be looked up. A refusal frees the key. The same key with
     * another body is an OtherBodyError.
     *
     * @param RefundRequest $refund
     * @return RefundRecord
     */
    public function createRefund(array $refund, string $idempotencyKey = ''): array
    {
        $received = $this->sent(new Call('POST', '/v1/refund', body: $refund, idempotencyKey: $idempotencyKey));
        $answer = $received->json() ?? throw $received->refusal();
        if (($received->headers['idempotency-body-differs'] ?? '') === 'true') {
            throw new OtherBodyError($answer);
        }
        return $answer['refund'];
    }

    /**
     * Looks a refund up by its internal reference, or else by its reference_id.
     * @return RefundRecord
     */
    public function checkRefund(string $reference): array
    {
        return $this->get('/v1/refund/' . rawurlencode($reference))['refund'];
    }

    /**
     * Ends the link of a refund.
     * @return RefundRecord
     */
    public function revokeRefund(string $reference): array
    {
        return $this->answered(new Call('POST', '/v1/refund/' . rawurlencode($reference) . '/revoke'))['refund'];
    }

    /**
     * Returns the refunds of a payin, and what is left to refund. It is named by its internal reference, or else by its reference_id.
     * @return PayinRefunds
     */
    public function listPayinRefunds(string $payin): array
    {
        return $this->get('/v1/payin-refunds/' . rawurlencode($payin));
    }

    /**
     * Creates one payout. A refusal is an ApiError; with duplicate_payment_reference its result tells of the original.
     *
     * Without an idempotencyKey nothing is retried, and after a failure the reference must be looked up. A refusal is remembered under the key, too: a
     * payout sent again after one, corrected or later, needs a new key, and keeps its reference. The same key with another body is an OtherBodyError.
     *
     * @param PayoutRequest $payout
     * @return CreatedPayout
     */
    public function createPayout(array $payout, string $idempotencyKey = ''): array
    {
        $results = $this->payouts(new Call('POST', '/v1/payout', body: $payout, idempotencyKey: $idempotencyKey))['results'];
        if (count($results) !== 1) {
            throw new CausewayError('the API answered with another number of results than payouts');
        }
        if (isset($results[0]['error'])) {
            $refusal = new ApiError($results[0]['error']);
            $refusal->result = $results[0];
            throw $refusal;
        }
        return $results[0];
    }

    /**
     * Creates up to 50 payouts. An error is about the request as a whole; each result may carry one of its own.
     *
     * After a failure half way the error's answer has the results so far, and nothing is tried again. A lost answer is asked for again under the
     * idempotencyKey: payouts created by then, and not remembered by the service, come back refused with duplicate, internal_reference and
     * original_status, and must not be paid again under another reference.
     *
     * @param list<PayoutRequest> $payouts
     * @return PayoutAnswer
     */
    public function createPayouts(array $payouts, string $idempotencyKey = ''): array
    {
        return $this->payouts(new Call('POST', '/v1/payout', body: array_values($payouts), idempotencyKey: $idempotencyKey));
    }

    /**
     * Returns the results createPayouts would, and creates nothing: a dry run.
     * @param list<PayoutRequest> $payouts
     * @return PayoutRehearsal
     */
    public function rehearsePayouts(array $payouts): array
    {
        $answer = $this->payouts(new Call('POST', '/v1/payout', ['dry_run' => '1'], array_values($payouts), harmless: true));
        if (($answer['dry_run'] ?? false) !== true) {
            throw new CausewayError('the API knows no dry runs: the payouts were created');
        }
        return $answer;
    }

    /**
     * Looks a payout up by its internal reference.
     * @return PayoutRecord
     */
    public function checkPayout(string $internalReference): array
    {
        return $this->get('/v1/check-payout/' . rawurlencode($internalReference))['payment'];
    }

    /**
     * Returns a page of payouts, newest first.
     * @param ListPayoutsQuery $filter
     * @return PayoutList
     */
    public function listPayouts(array $filter = []): array
    {
        return $this->get('/v1/list-payout', $filter);
    }

    /**
     * Returns what an amount would come to now. Nothing is held: prices move.
     * @param GetQuoteQuery $request
     * @return QuoteAnswer
     */
    public function getQuote(array $request): array
    {
        return $this->get('/v1/quote', $request);
    }

    /**
     * Makes the check of a payout's wallet.
     * @return AddressAnswer
     */
    public function validateAddress(string $network, string $wallet): array
    {
        return $this->get('/v1/validate-address', ['network' => $network, 'wallet' => $wallet]);
    }

    /**
     * Returns the balances of every active token.
     * @return BalancesAnswer
     */
    public function getBalances(): array
    {
        return $this->get('/v1/balances');
    }

    /**
     * Returns a page of movements, newest first. Amounts are positive, direction tells the sign.
     * @param ListStatementsQuery $filter
     * @return StatementsAnswer
     */
    public function listStatements(array $filter = []): array
    {
        return $this->get('/v1/statements', $filter);
    }

    /**
     * Returns every movement of the filter as CSV, or one page if the filter has page or per_page. A statement of more than 32 MB is a TooLongError:
     * ask for fewer days at a time.
     *
     * @param ListStatementsQuery $filter
     */
    public function statementsCsv(array $filter = []): string
    {
        return $this->sent(new Call('GET', '/v1/statements', $filter, accept: 'text/csv'))->body;
    }

    /**
     * Sums up the movements of listStatements with the same filter.
     * @param SummarizeStatementsQuery $filter
     * @return list<StatementSum>
     */
    public function summarizeStatements(array $filter = []): array
    {
        return $this->get('/v1/statements/summary', $filter)['summary'];
    }

    /**
     * Returns the catalogue and the account's terms.
     * @return Summary
     */
    public function getSummary(): array
    {
        return $this->get('/v1/summary')['data'];
    }

    /**
     * Returns the active tokens.
     * @return list<AcceptedToken>
     */
    public function getTokens(): array
    {
        return $this->get('/v1/summary/tokens')['tokens'];
    }

    /**
     * Returns the accepted fiats.
     * @return list<AcceptedFiat>
     */
    public function getFiats(): array
    {
        return $this->get('/v1/summary/fiats')['fiats'];
    }

    /**
     * Returns the worth of one currency1 in currency2, written as 63.250,10; both are token symbols or fiat codes.
     * @return PriceAnswer
     */
    public function getPrice(string $currency1, string $currency2): array
    {
        return $this->get('/v1/get-price', ['currency1' => $currency1, 'currency2' => $currency2]);
    }

    /**
     * Returns the currencies for getPrice.
     * @return CurrenciesAnswer
     */
    public function getCurrencies(): array
    {
        return $this->get('/v1/get-currencies');
    }

    /**
     * Gives a customer a wallet of a type, or returns the existing one: it may be called again after a failure.
     * @return WalletAnswer
     */
    public function createFixedWallet(string $type, string $customerInfo): array
    {
        return $this->answered(new Call('POST', '/v1/fixed-wallets', body: ['type' => $type, 'customer_info' => $customerInfo]));
    }

    /**
     * Returns a page of fixed wallets, newest first.
     * @param ListFixedWalletsQuery $filter
     * @return WalletList
     */
    public function listFixedWallets(array $filter = []): array
    {
        return $this->get('/v1/fixed-wallets', $filter);
    }

    /**
     * Returns the types open to creation.
     * @return WalletTypesAnswer
     */
    public function listFixedWalletTypes(): array
    {
        return $this->get('/v1/fixed-wallets/supported');
    }

    /**
     * Returns where notices of fixed wallets go.
     * @return WalletConfig
     */
    public function getFixedWalletConfig(): array
    {
        return $this->get('/v1/fixed-wallets/config')['config'];
    }

    /**
     * Sets where notices of fixed wallets go.
     * @param WalletConfig $config
     * @return WalletConfig
     */
    public function setFixedWalletConfig(array $config): array
    {
        return $this->answered(new Call('PUT', '/v1/fixed-wallets/config', body: $config))['config'];
    }

    /**
     * Returns a page of webhooks, newest first.
     * @param ListWebhookDeliveriesQuery $filter
     * @return WebhookDeliveryList
     */
    public function listWebhookDeliveries(array $filter = []): array
    {
        return $this->get('/v1/webhook-deliveries', $filter);
    }

    /**
     * Reads a webhook with its attempts and its body.
     * @return WebhookDeliveryRecord
     */
    public function getWebhookDelivery(string $id): array
    {
        return $this->get('/v1/webhook-deliveries/' . rawurlencode($id))['delivery'];
    }

    /**
     * Sends a webhook once more and returns its repetition. While this is still to go out, asking again returns it again.
     * @return WebhookDelivery
     */
    public function redeliverWebhook(string $id): array
    {
        return $this->answered(new Call('POST', '/v1/webhook-deliveries/' . rawurlencode($id) . '/redeliver'))['delivery'];
    }

    /** @return array<string, mixed> */
    private function payouts(Call $call): array
    {
        $received = $this->transport->send($call);
        $answer = $received->json();
        if (empty($answer['results'])) {
            throw $received->refusal();
        }
        if (($received->headers['idempotency-body-differs'] ?? '') === 'true') {
            throw new OtherBodyError($answer);
        }
        if (isset($answer['error'])) {
            $refusal = $received->refusal();
            $refusal->answer = $answer;
            throw $refusal;
        }
        return $answer;
    }

    /**
     * @param array<string, mixed> $query
     * @return array<string, mixed>
     */
    private function get(string $path, array $query = []): array
    {
        return $this->answered(new Call('GET', $path, $query));
    }

    /** @return array<string, mixed> */
    private function answered(Call $call): array
    {
        $received = $this->sent($call);
        return $received->json() ?? throw $received->refusal();
    }

    private function sent(Call $call): Answer
    {
        $received = $this->transport->send($call);
        if ($received->status >= 300) {
            throw $received->refusal();
        }
        return $received;
    }
}
