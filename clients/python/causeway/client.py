"""The operations of the API, one method for each."""

from __future__ import annotations

from typing import Any, Unpack
from urllib.parse import quote

from . import types as t
from .errors import ApiError, CausewayError, OtherBodyError
from .transport import Answer, Call, Transport


class Client:
    """Speaks to one API with one key.

    signing_secret is for keys that require signed requests. timeout is the longest wait for the network, in seconds. retries is how often a
    request safe to send twice is sent again. longest_wait is the longest Retry-After waited for, in seconds: a longer one ends the call,
    and ApiError.retry_after tells it. A client is safe for several threads.
    """

    def __init__(
        self,
        base_url: str,
        key: str,
        *,
        signing_secret: str = "",
        header_prefix: str = "X-Service",
        timeout: float = 30.0,
        retries: int = 3,
        longest_wait: float = 60.0,
    ) -> None:
        self._transport = Transport(base_url, key, signing_secret, header_prefix, timeout, retries, longest_wait)

    def create_payin(self, payin: t.PayinRequest) -> t.PayinCreatedData:
        """Create a payin: an address for a customer to pay to.

        It is never retried. After a failure send it again with the same reference_id: if it exists, the error is duplicate_reference_id, and
        check_payin returns it.
        """
        return self._post("/v1/payin", payin)["data"]

    def check_payin(self, reference: str) -> t.PayinRecord:
        """Look a payin up by its internal reference, or else by its reference_id."""
        return self._get("/v1/check-payin/" + quote(reference, safe=""))["deposit"]

    def list_payins(self, **filter: Unpack[t.ListPayinsQuery]) -> t.PayinList:
        """Return a page of payins, newest first."""
        return self._get("/v1/list-payin", filter)

    def create_payment_request(self, request: t.PaymentRequestBody) -> t.RequestRecord:
        """Ask a payer for an amount. He chooses on its page, checkout_url, what to pay it with.

        It is never retried, as create_payin is not.
        """
        return self._post("/v1/payment-request", request)["payment_request"]

    def check_payment_request(self, reference: str) -> t.RequestRecord:
        """Look a payment request up by its internal reference, or else by its reference_id."""
        return self._get("/v1/payment-request/" + quote(reference, safe=""))["payment_request"]

    def create_payment_link(self, link: t.PaymentLinkBody) -> t.LinkRecord:
        """Make a link for any number of payers, whose page is checkout_url. Each payer who chooses makes a payment request.

        It is never retried. After a failure send it again with the same slug: if the link exists, the error is slug_taken, and
        check_payment_link returns it.
        """
        return self._post("/v1/payment-link", link)["payment_link"]

    def check_payment_link(self, reference: str) -> t.LinkRecord:
        """Look a payment link up by its internal reference, or else by its slug."""
        return self._get("/v1/payment-link/" + quote(reference, safe=""))["payment_link"]

    def list_payment_links(self, **filter: Unpack[t.ListPaymentLinksQuery]) -> t.LinkList:
        """Return a page of payment links, newest first."""
        return self._get("/v1/payment-links", filter)

    def end_payment_link(self, reference: str) -> t.LinkRecord:
        """End a payment link for good. One that has ended before is returned as it stands."""
        return self._answered(Call("POST", f"/v1/payment-link/{quote(reference, safe='')}/end"))["payment_link"]

    def create_refund(self, refund: t.RefundRequest, *, idempotency_key: str = "") -> t.RefundRecord:
        """Give a payer back something of a payin. Without a wallet the payer says on its page, refund_url, where to.

        Without idempotency_key nothing is retried, and after a failure the reference must be looked up. A refusal frees the key. The same key
        with another body is an OtherBodyError.
        """
        received = self._sent(Call("POST", "/v1/refund", body=refund, idempotency_key=idempotency_key))
        answer = received.json()
        if not isinstance(answer, dict):
            raise received.refusal()
        if received.headers.get("Idempotency-Body-Differs") == "true":
            raise OtherBodyError(answer)  # type: ignore[arg-type]
        return answer["refund"]

    def check_refund(self, reference: str) -> t.RefundRecord:
        """Look a refund up by its internal reference, or else by its reference_id."""
        return self._get("/v1/refund/" + quote(reference, safe=""))["refund"]

    def revoke_refund(self, reference: str) -> t.RefundRecord:
        """End the link of a refund."""
        return self._answered(Call("POST", f"/v1/refund/{quote(reference, safe='')}/revoke"))["refund"]

    def list_payin_refunds(self, payin: str) -> t.PayinRefunds:
        """Return the refunds of a payin, and what is left to refund. It is named by its internal reference, or else by its reference_id."""
        return self._get("/v1/payin-refunds/" + quote(payin, safe=""))

    def create_payout(self, payout: t.PayoutRequest, *, idempotency_key: str = "") -> t.CreatedPayout:
        """Create one payout. A refusal is an ApiError; with duplicate_payment_reference its result tells of the original.

        Without idempotency_key nothing is retried, and after a failure the reference must be looked up. A refusal is remembered under the
        key, too: a payout sent again after one, corrected or later, needs a new key, and keeps its reference. The same key with another body
        is an OtherBodyError.
        """
        results = self._create(payout, idempotency_key)["results"]
        if len(results) != 1:
            raise CausewayError("the API answered with another number of results than payouts")
        result: Any = results[0]
        if result.get("error"):
            refusal = ApiError(result["error"])
            refusal.result = result
            raise refusal
        return result

    def create_payouts(self, payouts: list[t.PayoutRequest], *, idempotency_key: str = "") -> t.PayoutAnswer:
        """Create up to 50 payouts. An error is about the request as a whole; each result may carry one of its own.

        After a failure half way the error's answer has the results so far, and nothing is tried again. A lost answer is asked for again under
        the idempotency_key: payouts created by then, and not remembered by the service, come back refused with duplicate, internal_reference
        and original_status, and must not be paid again under another reference.
        """
        return self._create(payouts, idempotency_key)

    def rehearse_payouts(self, payouts: list[t.PayoutRequest]) -> t.PayoutRehearsal:
        """Return the results create_payouts would, and create nothing: a dry run."""
        answer: Any = self._payouts(Call("POST", "/v1/payout", {"dry_run": "1"}, payouts, harmless=True))
        if answer.get("dry_run") is not True:
            raise CausewayError("the API knows no dry runs: the payouts were created")
        return answer

    def check_payout(self, internal_reference: str) -> t.PayoutRecord:
        """Look a payout up by its internal reference."""
        return self._get("/v1/check-payout/" + quote(internal_reference, safe=""))["payment"]

    def list_payouts(self, **filter: Unpack[t.ListPayoutsQuery]) -> t.PayoutList:
        """Return a page of payouts, newest first."""
        return self._get("/v1/list-payout", filter)

    def get_quote(self, **request: Unpack[t.GetQuoteQuery]) -> t.QuoteAnswer:
        """Return what an amount would come to now. Nothing is held: prices move."""
        return self._get("/v1/quote", request)

    def validate_address(self, network: str, wallet: str) -> t.AddressAnswer:
        """Make the check of a payout's wallet."""
        return self._get("/v1/validate-address", {"network": network, "wallet": wallet})

    def get_balances(self) -> t.BalancesAnswer:
        """Return the balances of every active token."""
        return self._get("/v1/balances")

    def list_statements(self, **filter: Unpack[t.ListStatementsQuery]) -> t.StatementsAnswer:
        """Return a page of movements, newest first. Amounts are positive, direction tells the sign."""
        return self._get("/v1/statements", filter)

    def statements_csv(self, **filter: Unpack[t.ListStatementsQuery]) -> bytes:
        """Return every movement of the filter as CSV, or one page if the filter has page or per_page.

        A statement of more than 32 MB is a TooLongError: ask for fewer days at a time.
        """
        return self._sent(Call("GET", "/v1/statements", filter, accept="text/csv")).body

    def summarize_statements(self, **filter: Unpack[t.SummarizeStatementsQuery]) -> list[t.StatementSum]:
        """Sum up the movements of list_statements with the same filter."""
        return self._get("/v1/statements/summary", filter)["summary"]

    def get_summary(self) -> t.Summary:
        """Return the catalogue and the account's terms."""
        return self._get("/v1/summary")["data"]

    def get_tokens(self) -> list[t.AcceptedToken]:
        """Return the active tokens."""
        return self._get("/v1/summary/tokens")["tokens"]

    def get_fiats(self) -> list[t.AcceptedFiat]:
        """Return the accepted fiats."""
        return self._get("/v1/summary/fiats")["fiats"]

    def get_price(self, currency1: str, currency2: str) -> t.PriceAnswer:
        """Return the worth of one currency1 in currency2, written as 63.250,10; both are token symbols or fiat codes."""
        return self._get("/v1/get-price", {"currency1": currency1, "currency2": currency2})

    def get_currencies(self) -> t.CurrenciesAnswer:
        """Return the currencies for get_price."""
        return self._get("/v1/get-currencies")

    def create_fixed_wallet(self, type: str, customer_info: str) -> t.WalletAnswer:
        """Give a customer a wallet of a type, or return the existing one: it may be called again after a failure."""
        return self._post("/v1/fixed-wallets", {"type": type, "customer_info": customer_info})

    def list_fixed_wallets(self, **filter: Unpack[t.ListFixedWalletsQuery]) -> t.WalletList:
        """Return a page of fixed wallets, newest first."""
        return self._get("/v1/fixed-wallets", filter)

    def list_fixed_wallet_types(self) -> t.WalletTypesAnswer:
        """Return the types open to creation."""
        return self._get("/v1/fixed-wallets/supported")

    def get_fixed_wallet_config(self) -> t.WalletConfig:
        """Return where notices of fixed wallets go."""
        return self._get("/v1/fixed-wallets/config")["config"]

    def set_fixed_wallet_config(self, config: t.WalletConfig) -> t.WalletConfig:
        """Set where notices of fixed wallets go."""
        return self._answered(Call("PUT", "/v1/fixed-wallets/config", body=config))["config"]

    def list_webhook_deliveries(self, **filter: Unpack[t.ListWebhookDeliveriesQuery]) -> t.WebhookDeliveryList:
        """Return a page of webhooks, newest first."""
        return self._get("/v1/webhook-deliveries", filter)

    def get_webhook_delivery(self, id: str) -> t.WebhookDeliveryRecord:
        """Read a webhook with its attempts and its body."""
        return self._get("/v1/webhook-deliveries/" + quote(id, safe=""))["delivery"]

    def redeliver_webhook(self, id: str) -> t.WebhookDelivery:
        """Send a webhook once more and return its repetition. While this is still to go out, asking again returns it again."""
        return self._answered(Call("POST", f"/v1/webhook-deliveries/{quote(id, safe='')}/redeliver"))["delivery"]

    def _create(self, body: Any, idempotency_key: str) -> t.PayoutAnswer:
        return self._payouts(Call("POST", "/v1/payout", body=body, idempotency_key=idempotency_key))

    def _payouts(self, call: Call) -> t.PayoutAnswer:
        received = self._transport.send(call)
        answer = received.json()
        if not isinstance(answer, dict) or not answer.get("results"):
            raise received.refusal()
        if received.headers.get("Idempotency-Body-Differs") == "true":
            raise OtherBodyError(answer)  # type: ignore[arg-type]
        if answer.get("error"):
            refusal = received.refusal()
            refusal.answer = answer  # type: ignore[assignment]
            raise refusal
        return answer  # type: ignore[return-value]

    def _get(self, path: str, query: Any = None) -> Any:
        return self._answered(Call("GET", path, query))

    def _post(self, path: str, body: Any) -> Any:
        return self._answered(Call("POST", path, body=body))

    def _answered(self, call: Call) -> Any:
        received = self._sent(call)
        answer = received.json()
        if not isinstance(answer, dict):
            raise received.refusal()
        return answer

    def _sent(self, call: Call) -> Answer:
        received = self._transport.send(call)
        if received.status >= 300:
            raise received.refusal()
        return received
