"""The client against scripted answers, and the cases shared with the other clients (clients/vectors.json)."""

from __future__ import annotations

import unittest
from typing import Any
from unittest import mock

from script import VECTORS, Script

import causeway
from causeway import transport

PAYOUT: Any = {"reference_id": "r-1"}

CALLS: dict[str, Any] = {
    "read": lambda api: api.get_balances(),
    "keyed": lambda api: api.create_payout(PAYOUT, idempotency_key="key-1"),
    "payout": lambda api: api.create_payout(PAYOUT),
    "rehearsal": lambda api: api.rehearse_payouts([PAYOUT]),
    "payin": lambda api: api.create_payin({"reference_id": "r-1"}),
}


def error(code: str) -> str:
    return '{"error":{"code":"%s","message":"m"}}' % code


class Calls(unittest.TestCase):
    def setUp(self) -> None:
        slept = mock.patch.object(transport.time, "sleep")
        self.sleep = slept.start()
        self.addCleanup(slept.stop)

    def client(self, script: Script, **settings: Any) -> causeway.Client:
        return causeway.Client(script.url + "/", "cw_live_x", **settings)

    def test_only_what_may_be_repeated_is_retried(self) -> None:
        for case in VECTORS["calls"]:
            with self.subTest(case["name"]), Script(case["answers"]) as script:
                self.assertEqual(outcome(lambda: CALLS[case["call"]](self.client(script))), expected(case))
                self.assertEqual(len(script.asked), case["asked"])
                keys = {request["headers"].get("Idempotency-Key") for request in script.asked}
                self.assertEqual((len(keys), len({request["body"] for request in script.asked})), (1, 1))

    def test_a_long_retry_after_is_the_callers(self) -> None:
        for case in VECTORS["waits"]:
            answers = [{"status": 429, "body": error("rate_limit_exceeded"), "headers": {"Retry-After": case["retry_after"]}},
                       {"status": 200, "body": "{}"}]
            with self.subTest(case), Script(answers) as script:
                self.sleep.reset_mock()
                api = self.client(script, longest_wait=case["longest_wait"])
                if case["waits"]:
                    api.get_balances()
                    self.sleep.assert_called_once_with(float(case["retry_after"]))
                    continue
                with self.assertRaises(causeway.ApiError) as caught:
                    api.get_balances()
                self.assertGreater(caught.exception.retry_after, case["longest_wait"])
                self.assertIn(", again in ", str(caught.exception))
                self.sleep.assert_not_called()

    def test_pauses_grow(self) -> None:
        with Script([{"status": 500, "body": error("internal_error")}]) as script, self.assertRaises(causeway.ApiError):
            self.client(script, retries=8).get_balances()
        for n, call in enumerate(self.sleep.call_args_list):
            most = min(0.2 * 2**n, 10)
            self.assertTrue(most / 2 <= call.args[0] <= most, call.args)
        self.assertEqual(self.sleep.call_count, 8)

    def test_a_key_the_api_would_ignore_is_refused(self) -> None:
        fine = next(case for case in VECTORS["calls"] if case["name"] == "a keyed payout, broken")["answers"][1]
        for case in VECTORS["keys"] + [{"of": "a\r\nX-Other: 1", "times": 1, "fits": False}]:
            with self.subTest(case), Script([fine]) as script:
                key = case["of"] * case["times"]
                try:
                    self.client(script).create_payout(PAYOUT, idempotency_key=key)
                    sent = script.asked[0]["headers"]["Idempotency-Key"].encode("latin-1").decode()
                    self.assertEqual((case["fits"], sent), (True, key))
                except ValueError:
                    self.assertEqual((case["fits"], script.asked), (False, []))

    def test_attempts_are_signed_afresh(self) -> None:
        with Script([{"status": 503, "body": error("service_unavailable")}, {"status": 200, "body": '{"deposit":{}}'}]) as script:
            self.client(script, signing_secret="secret", header_prefix="X-Acme-").check_payin("ref/1 é")
        for request in script.asked:
            given = request["headers"]
            path = "/v1/check-payin/ref%2F1%20%C3%A9"
            want = causeway.sign("secret", "GET", path, "", given["X-Acme-Timestamp"], given["X-Acme-Nonce"], b"")
            self.assertEqual((request["target"], given["X-Acme-Signature"], given["X-Acme-Invoke"]), (path, want, "cw_live_x"))
        self.assertEqual(len({request["headers"]["X-Acme-Nonce"] for request in script.asked}), 2)

    def test_amounts_are_text(self) -> None:
        with Script([{"status": 200, "body": "{}"}]) as script:
            api: Any = self.client(script)
            for wrong in ({"crypto_amount": 12.5}, {"crypto_amount": 12}, {"fiat_amount": 1}, {"expires_at": 1.5}):
                with self.assertRaises(TypeError):
                    api.create_payin(wrong)
            with self.assertRaises(TypeError):
                api.get_quote(operation="payout", network="Tron", token="USDT", amount=0.1)
        self.assertEqual(script.asked, [])

    def test_errors_tell_the_fields(self) -> None:
        body = '{"error":{"code":"invalid_parameters","message":"Wrong.","details":{"fields":{"memo":"must be digits"}}}}'
        with Script([{"status": 400, "body": body, "headers": {"X-Request-Id": "id-1"}}]) as script:
            with self.assertRaises(causeway.ApiError) as caught:
                self.client(script).create_payin({"reference_id": "r"})  # type: ignore[typeddict-item]
        self.assertEqual(caught.exception.fields, {"memo": "must be digits"})
        self.assertEqual(str(caught.exception), "invalid_parameters: Wrong. (HTTP 400, request id-1)")

    def test_a_long_answer_is_not_cut(self) -> None:
        for more, error_of in ((0, None), (1, causeway.TooLongError)):
            with self.subTest(more), Script([{"status": 200, "body": "x" * ((32 << 20) + more)}]) as script:
                if error_of is None:
                    self.assertEqual(len(self.client(script).statements_csv()), 32 << 20)
                else:
                    self.assertRaises(error_of, self.client(script).statements_csv)
                self.assertEqual(len(script.asked), 1)

    def test_the_queries_are_sent(self) -> None:
        with Script([{"status": 200, "body": "{}"}]) as script:
            self.client(script).list_payouts(page=2, status="pending", reference_id="", date_from="2026-01-02")
        self.assertEqual(script.asked[0]["target"], "/v1/list-payout?page=2&status=pending&date_from=2026-01-02")

    def test_wrong_settings_are_refused(self) -> None:
        for url, key in (("", "k"), ("nowhere", "k"), ("ftp://a.example", "k"), ("https://a.example", ""), ("https://a.example?x=1", "k")):
            with self.subTest(url), self.assertRaises(ValueError):
                causeway.Client(url, key)


def outcome(call: Any) -> str:
    try:
        call()
    except causeway.ApiError as refusal:
        return refusal.code or "refused"
    except causeway.OtherBodyError as other:
        return f"other body: {other.answer['results'][0]['status']}"  # type: ignore[typeddict-item]
    except causeway.NoAnswerError:
        return "no answer"
    except causeway.CausewayError:
        return "refused"
    return "done"


def expected(case: dict[str, Any]) -> str:
    for name, text in {"other_body": "other body: created", "no_answer": "no answer", "refused": "refused"}.items():
        if case.get(name):
            return text
    return case["code"] or "done"


class Signatures(unittest.TestCase):
    def test_sign(self) -> None:
        for case in VECTORS["signing"]:
            body = case["body"].encode()
            got = causeway.sign(case["secret"], case["method"], case["path"], case["query"], case["timestamp"], case["nonce"], body)
            self.assertEqual(got, case["signature"])

    def test_verify_webhook(self) -> None:
        for case in VECTORS["webhooks"]:
            headers = {f"{case['header_prefix']}-{name.title()}": case[name] for name in ("signature", "timestamp", "delivery")}
            with self.subTest(case["name"]):
                try:
                    notice = causeway.verify_webhook(
                        headers, case["body"].encode(), case["secrets"], header_prefix=case["header_prefix"], now=case["now"])
                    self.assertEqual((case["good"], notice.event, notice.delivery), (True, "payment_processed", "dlv_0001"))
                except causeway.WebhookError:
                    self.assertFalse(case["good"])

    def test_hashes(self) -> None:
        self.assertEqual(causeway.hashes(None), [])
        self.assertEqual(causeway.hashes('["a","b"]'), ["a", "b"])


if __name__ == "__main__":
    unittest.main()
