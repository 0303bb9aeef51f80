"""Sends requests, signs them, and repeats the ones safe to send twice."""

from __future__ import annotations

import http.client
import json
import random
import secrets
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .errors import ApiError, NoAnswerError, TooLongError
from .signing import sign

FIRST_PAUSE, LONGEST_PAUSE = 0.2, 10.0
LONGEST_KEY = 255  # characters of an Idempotency-Key
LONGEST_ANSWER = 32 << 20
ENDLESS = 1 << 32  # seconds; a longer Retry-After is no longer either


@dataclass(frozen=True)
class Call:
    """One operation with its arguments."""

    method: str
    path: str  # percent-encoded
    query: Mapping[str, Any] | None = None
    body: Any = None
    idempotency_key: str = ""
    harmless: bool = False  # changes nothing, whatever its method
    accept: str = "application/json"

    @property
    def repeatable(self) -> bool:
        """Sending twice has the effect of sending once."""
        return self.method == "GET" or self.harmless or self.idempotency_key != ""


@dataclass(frozen=True)
class Answer:
    """A received HTTP response."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """Return the body read as JSON; None if it is none."""
        try:
            return json.loads(self.body)
        except ValueError:
            return None

    def retry_after(self) -> float:
        """Return the seconds the API asks to wait; 0 when it does not say."""
        text = self.headers.get("Retry-After", "")
        if not (text.isascii() and text.isdigit()):
            return 0
        return float(min(int(text[:12]), ENDLESS))

    def refusal(self) -> ApiError:
        """Read the error. An answer not from the API, such as a proxy's page, has no code."""
        body = self.json()
        problem = body.get("error") if isinstance(body, dict) else None
        if not isinstance(problem, dict) or not problem.get("code"):
            problem = {"code": "", "message": http.client.responses.get(self.status, "")}
        return ApiError(problem, self.status, self.headers.get("X-Request-Id", ""), self.retry_after())

    def half_way(self) -> bool:
        """Report whether a failure tells of payouts created before it: asked again, the API would call these duplicates."""
        body = self.json()
        results = body.get("results") if isinstance(body, dict) else None
        return any(not result.get("error") for result in results or [])

    def passing(self) -> bool:
        """Report whether trying again can help."""
        if self.status == 409:
            return self.refusal().code == "idempotency_key_in_progress"
        return self.status == 429 or self.status >= 500 and not self.half_way()


class _Staying(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: the request and its key would go elsewhere."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Transport:
    """Reaches one API with one key. Safe for several threads."""

    def __init__(
        self, base_url: str, key: str, signing_secret: str, header_prefix: str, timeout: float, retries: int, longest_wait: float
    ) -> None:
        base = urllib.parse.urlsplit(base_url)
        if base.scheme not in ("http", "https") or not base.hostname or base.query or base.fragment:
            raise ValueError(f"{base_url!r} is not the base URL of an API")
        if not key:
            raise ValueError("there is no API key")
        self._origin, self._prefix = f"{base.scheme}://{base.netloc}", base.path.rstrip("/")
        self._key, self._secret, self._names = key, signing_secret, header_prefix.removesuffix("-")
        self._timeout, self._retries, self._longest_wait = timeout, retries, longest_wait
        self._opener = urllib.request.build_opener(_Staying)

    def send(self, call: Call) -> Answer:
        """Send until there is an answer that no further try would change."""
        _check_key(call.idempotency_key)
        body = b"" if call.body is None else json.dumps(_exact(call.body), allow_nan=False).encode()
        for attempt in range(self._retries + 1):
            last = attempt == self._retries or not call.repeatable
            try:
                answer = self._once(call, body)
            except NoAnswerError:
                if last:
                    raise
                answer = None
            if answer is not None and (last or not answer.passing() or answer.retry_after() > self._longest_wait):
                return answer
            time.sleep(_pause(attempt, answer))
        raise AssertionError("the last attempt returns or raises")

    def _once(self, call: Call, body: bytes) -> Answer:
        """Make one attempt, signed afresh."""
        path = self._prefix + call.path
        query = urllib.parse.urlencode({name: _text(value) for name, value in (call.query or {}).items() if value not in (None, "")})
        request = urllib.request.Request(
            self._origin + path + ("?" + query if query else ""),
            data=body if call.body is not None else None,
            headers=self._headers(call, path, query, body),
            method=call.method,
        )
        try:
            response = self._opener.open(request, timeout=self._timeout)
        except urllib.error.HTTPError as refused:
            response = refused
        except (OSError, http.client.HTTPException) as error:
            raise NoAnswerError(f"{call.method} {call.path}: {error}") from error
        with response:
            return Answer(response.status, response.headers, self._read(call, response))

    @staticmethod
    def _read(call: Call, response: Any) -> bytes:
        try:
            text = response.read(LONGEST_ANSWER + 1)
        except (OSError, http.client.HTTPException) as error:
            raise NoAnswerError(f"{call.method} {call.path}: {error}") from error
        if len(text) > LONGEST_ANSWER:
            raise TooLongError(f"{call.method} {call.path}: the answer has more than 32 MB")
        told = response.headers.get("Content-Length")
        if told is not None and len(text) != int(told):
            raise NoAnswerError(f"{call.method} {call.path}: the answer ended early")
        return text

    def _headers(self, call: Call, path: str, query: str, body: bytes) -> dict[str, str]:
        headers = {"Accept": call.accept, f"{self._names}-Invoke": self._key}
        if call.body is not None:
            headers["Content-Type"] = "application/json"
        if call.idempotency_key:
            headers["Idempotency-Key"] = call.idempotency_key.encode().decode("latin-1")  # as UTF-8
        if self._secret:
            timestamp, nonce = str(int(time.time())), secrets.token_hex(16)
            headers[f"{self._names}-Timestamp"], headers[f"{self._names}-Nonce"] = timestamp, nonce
            headers[f"{self._names}-Signature"] = sign(self._secret, call.method, path, query, timestamp, nonce, body)
        return headers


def _check_key(key: str) -> None:
    """Refuse an Idempotency-Key the API would take for none: sent twice under it, a payout could be made twice."""
    if len(key) > LONGEST_KEY or key and not key.strip(" \t") or any(ord(letter) < 32 and letter != "\t" for letter in key):
        raise ValueError(f"the idempotency key has {len(key)} characters: the API takes 1 to {LONGEST_KEY}, on one line, not all of them spaces")


def _exact(body: Any) -> Any:
    """Refuse a body with a float, or an amount not in text: it would not be the exact amount."""
    for item in body if isinstance(body, list) else [body]:
        for name, value in item.items():
            if isinstance(value, float) or name in ("crypto_amount", "fiat_amount") and not isinstance(value, str | None):
                raise TypeError(f"{name} must be a text such as '12.5', not {value!r}")
    return body


def _text(value: Any) -> str:
    if isinstance(value, float):
        raise TypeError(f"write {value!r} as a text: a float is not exact")
    return str(value)


def _pause(attempt: int, answer: Answer | None) -> float:
    """Return the wait asked for by the API, else longer each time, with a share of chance so that clients do not march in step."""
    asked = answer.retry_after() if answer is not None else 0
    most = min(FIRST_PAUSE * 2**attempt, LONGEST_PAUSE)
    return asked or most / 2 + random.random() * most / 2
