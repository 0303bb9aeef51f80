"""Tries the client against a running service on simulated networks: `go test -run TestKits ./cmd/causeway` starts both."""

from __future__ import annotations

import os
import queue
import subprocess
import threading
import time
import uuid
from collections.abc import Callable
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import causeway

ENV = os.environ
ADDRESS = "TNDFkUNA2TukukC1Moeqj61pAS53NFchGF"
ELSEWHERE = "0x2222222222222222222222222222222222222222"  # on Ethereum


def client(key: str, **settings: Any) -> causeway.Client:
    return causeway.Client(ENV["CAUSEWAY_URL"], ENV[key], header_prefix=ENV["CAUSEWAY_HEADER_PREFIX"], **settings)


class Receiver:
    """Receives webhooks, and believes the verified ones only."""

    def __init__(self) -> None:
        notices: queue.Queue[causeway.Notice] = queue.Queue()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                try:
                    notice = causeway.verify_webhook(
                        self.headers, body, ENV["CAUSEWAY_WEBHOOK_SECRET"], header_prefix=ENV["CAUSEWAY_HEADER_PREFIX"])
                except causeway.WebhookError:
                    self.send_response(401)
                else:
                    notices.put(notice)
                    self.send_response(200)
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        self._notices, self._seen = notices, []
        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{server.server_port}/webhooks"

    def wait(self, reference: str, event: str) -> causeway.Notice:
        """Return the notice of an event of a payin or payout, received by now or to come."""
        while True:
            for notice in self._seen:
                if (notice.data["internal_reference"], notice.event) == (reference, event):
                    return notice
            self._seen.append(self._notices.get(timeout=60))


def eventually(reached: Callable[[], Any], what: str) -> Any:
    end = time.monotonic() + 60
    while not (found := reached()):
        assert time.monotonic() < end, f"not within a minute: {what}"
        time.sleep(0.2)
    return found


def refused(code: str, call: Callable[[], Any]) -> causeway.ApiError:
    try:
        answer = call()
    except causeway.ApiError as refusal:
        assert refusal.code == code, refusal
        return refusal
    raise AssertionError(f"{code} was expected, and the answer is {answer}")


def payout(reference: str, hook: str, amount: str = "5", wallet: str = ADDRESS) -> Any:
    return {"reference_id": reference, "network": "Tron", "crypto_currency": "USDT", "wallet": wallet, "process_by": "crypto_amount",
            "crypto_amount": amount, "feetakenfromamount": 0, "webhook_url": hook}


def prices(api: causeway.Client) -> None:
    assert "USDT" in api.get_currencies()["tokens"]
    assert api.get_price("USDT", "USD")["price"]
    assert any(token["symbol"] == "USDT" for token in api.get_tokens())
    assert any(fiat["code"] == "USD" for fiat in api.get_fiats())
    assert api.get_summary()["user_info"]["payment_rate"]
    assert api.get_quote(operation="payout", network="Tron", token="USDT", amount="5")["accepted"]
    assert api.validate_address("trc20", ADDRESS)["valid"]
    assert not api.validate_address("Tron", "TJRab")["valid"]


def paid_in(api: causeway.Client, hooks: Receiver) -> str:
    wanted: Any = {"reference_id": f"order/{uuid.uuid4()} ä", "network": "Tron", "crypto_currency": "USDT", "process_by": "crypto_amount",
                   "crypto_amount": "30", "webhook_url": hooks.url}
    payin = api.create_payin(wanted)
    refused("duplicate_reference_id", lambda: api.create_payin(wanted))
    assert api.check_payin(wanted["reference_id"])["status"] == "pending"
    subprocess.run([ENV["CAUSEWAY_PROGRAM"], "sandbox", "pay", "--network", "Tron", "--token", "USDT", "--to", payin["wallet"],
                    "--amount", "30", "--data-dir", ENV["CAUSEWAY_DATA_DIR"]], check=True, stdout=subprocess.DEVNULL)
    notice: Any = hooks.wait(payin["internal_reference"], "payment_confirmed").data
    assert (notice["received_amount"], notice["reference_id"]) == ("30", wanted["reference_id"])
    record = api.check_payin(payin["internal_reference"])
    assert (record["status"], record["received_amount"], record["payment_status"]) == ("completed", "30", "exact"), record
    assert causeway.hashes(record["txid"]) == [record["payments"][0]["txid"]]
    return payin["internal_reference"]


def paid_out(hooks: Receiver) -> None:
    """A payout by signed requests, its first answer lost: the service loses it for keys that begin with lost-."""
    api = client("CAUSEWAY_SIGNED_KEY", signing_secret=ENV["CAUSEWAY_SIGNING_SECRET"])
    wanted = payout(f"salary-{uuid.uuid4()}", hooks.url)
    rehearsed = api.rehearse_payouts([wanted])
    assert rehearsed["dry_run"] and rehearsed["results"][0]["internal_reference"] is None  # type: ignore[typeddict-item]
    key = f"lost-{uuid.uuid4()}"
    made = api.create_payout(wanted, idempotency_key=key)
    assert hooks.wait(made["internal_reference"], "payment_processed").data["status"] == "success"
    assert api.list_payouts(reference_id=wanted["reference_id"])["meta"]["total"] == 1
    assert api.check_payout(made["internal_reference"])["status"] == "completed"
    again = refused("duplicate_payment_reference", lambda: api.create_payout(wanted))
    assert again.result["internal_reference"] == made["internal_reference"]  # type: ignore[index,typeddict-item]
    try:
        api.create_payout({**wanted, "crypto_amount": "6"}, idempotency_key=key)
        raise AssertionError("another body under the same key was taken")
    except causeway.OtherBodyError as other:
        assert other.answer["results"][0]["internal_reference"] == made["internal_reference"]  # type: ignore[typeddict-item]


def paid_together(api: causeway.Client, hooks: Receiver) -> None:
    start = f"batch-{uuid.uuid4()}"
    wanted = [payout(f"{start}-{n}", hooks.url, amount=f"1.{n}") for n in range(3)] + [payout(f"{start}-bad", hooks.url, wallet=ELSEWHERE)]
    answer = api.create_payouts(wanted, idempotency_key=start)
    assert (answer["summary"]["successful"], answer["summary"]["failed"]) == (3, 1), answer
    results: Any = answer["results"]
    assert results[3]["error"]["code"] == "invalid_format"
    for result in results[:3]:
        hooks.wait(result["internal_reference"], "payment_processed")
    pages = api.list_payouts(per_page=2)["meta"]["total_pages"]
    found = [p["internal_reference"] for page in range(1, pages + 1) for p in api.list_payouts(per_page=2, page=page)["payments"]]
    assert len(set(found)) == len(found) and {r["internal_reference"] for r in results[:3]} <= set(found)


def books(api: causeway.Client) -> None:
    """The statement ends at the balance, and its lines sum to it, in JSON and in CSV."""
    lines: list[Any] = []
    while len(lines) < (page := api.list_statements(balance="USDT", per_page=50, page=len(lines) // 50 + 1))["meta"]["total"]:
        lines += page["statements"]
    total = sum(Decimal(line["amount"]) * (1 if line["direction"] == "in" else -1) for line in lines)
    balance = api.get_balances()["balances"]["USDT"]
    assert lines[0]["balance_after"] == balance and total == Decimal(balance), (total, balance)
    assert len(api.statements_csv(balance="USDT").splitlines()) == len(lines) + 1
    sums = sum(Decimal(s["total_amount"]) * (1 if s["direction"] == "in" else -1) for s in api.summarize_statements(balance="USDT"))
    assert sums == total


def redelivered(api: causeway.Client, reference: str) -> None:
    def delivered() -> Any:
        return api.list_webhook_deliveries(reference=reference, status="delivered", event="payment_confirmed")["deliveries"]

    first = eventually(delivered, "the webhook is listed as delivered")[0]
    shown = api.get_webhook_delivery(first["id"])
    assert shown["attempts"][-1]["http_status"] == 200, shown
    assert api.redeliver_webhook(first["id"])["redelivery_of"] == first["id"]


def refusals(hooks: Receiver) -> None:
    refused("scope_denied", lambda: client("CAUSEWAY_READ_ONLY_KEY").create_payout(payout("never-made", hooks.url)))
    refused("api_key_invalid", lambda: causeway.Client(ENV["CAUSEWAY_URL"], "cw_live_x").get_balances())
    refused("record_not_found", lambda: client("CAUSEWAY_KEY").check_payout(str(uuid.uuid4())))
    unsigned = refused("signature_headers_missing", lambda: client("CAUSEWAY_SIGNED_KEY").get_balances())
    assert unsigned.status in (400, 401) and unsigned.request_id, unsigned


def main() -> None:
    api, hooks = client("CAUSEWAY_KEY"), Receiver()
    prices(api)
    reference = paid_in(api, hooks)
    paid_out(hooks)
    paid_together(api, hooks)
    books(api)
    redelivered(api, reference)
    refusals(hooks)


if __name__ == "__main__":
    main()
