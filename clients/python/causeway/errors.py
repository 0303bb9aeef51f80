"""The errors of this package. All are a CausewayError."""

from __future__ import annotations

from typing import Any

from .types import PayoutAnswer, PayoutResult, Problem, RefundAnswer


class CausewayError(Exception):
    """The base of all errors of this package."""


class NoAnswerError(CausewayError):
    """No whole answer came. The request may have been carried out all the same: look its reference up."""


class TooLongError(CausewayError):
    """The answer has more than 32 MB, such as a CSV of many years. No part of it is returned."""


class WebhookError(CausewayError):
    """A webhook is not to be trusted: its signature is bad, or its timestamp too far from now."""


class ApiError(CausewayError):
    """A refusal by the API, or of one payout. Branch on code.

    code is empty for an answer that is not the API's own, such as a proxy's page: then nothing is known about the request.
    """

    def __init__(self, problem: Problem, status: int = 0, request_id: str = "", retry_after: float = 0) -> None:
        self.code: str = problem["code"]
        self.message: str = problem["message"]
        self.details: dict[str, Any] = problem.get("details") or {}
        self.status = status  # 0 for one payout of a request
        self.request_id = request_id
        self.retry_after = retry_after  # seconds; 0 when the API does not say
        self.answer: PayoutAnswer | None = None  # the results so far, after a failure half way
        self.result: PayoutResult | None = None  # of create_payout; of a duplicate it tells of the original
        super().__init__(self._text())

    def _text(self) -> str:
        if self.status == 0:
            return f"{self.code}: {self.message}"
        again = f", again in {self.retry_after:g} s" if self.retry_after else ""
        return f"{self.code}: {self.message} (HTTP {self.status}, request {self.request_id}{again})"

    @property
    def fields(self) -> dict[str, str]:
        """The faults of the request by field, for invalid_parameters and missing_required_fields."""
        found = self.details.get("fields")
        return found if isinstance(found, dict) else {}


class OtherBodyError(CausewayError):
    """The Idempotency-Key was used for a request with another body. answer is that request's: this one was not carried out."""

    def __init__(self, answer: PayoutAnswer | RefundAnswer) -> None:
        self.answer = answer
        super().__init__("the Idempotency-Key was used for a request with another body, and this one was not carried out")
