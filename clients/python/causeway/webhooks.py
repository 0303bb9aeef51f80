"""Verification of webhooks (docs: Verifying webhooks)."""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .errors import WebhookError
from .signing import hmac_of
from .types import PayinNoticeData, PayoutNoticeData

TOLERANCE = 300  # seconds a notice may be old, or ahead


@dataclass(frozen=True)
class Notice:
    """A verified webhook.

    Deduplicate by data["internal_reference"] together with event: the same notice may come more than once, under the same delivery or
    another. A payment_reversed ends this for its payin: a later notice under another delivery is news unless data["is_duplicated"].
    Each payment_updated is news: deduplicate it by delivery alone.
    """

    event: str
    timestamp: str
    data: PayinNoticeData | PayoutNoticeData
    delivery: str


def verify_webhook(
    headers: Mapping[str, str],
    body: bytes,
    secrets: str | Iterable[str],
    *,
    header_prefix: str = "X-Service",
    now: float | None = None,
) -> Notice:
    """Read a notice from the headers and the exact body of a webhook, or raise WebhookError.

    secrets are the live webhook secrets: two while one is rotated. Empty ones are left out. now is for tests.
    """
    found = {name.lower(): value for name, value in headers.items()}
    prefix = header_prefix.removesuffix("-").lower()
    timestamp, delivery = found.get(f"{prefix}-timestamp", ""), found.get(f"{prefix}-delivery", "")
    if not _fresh(timestamp, time.time() if now is None else now):
        raise WebhookError("its timestamp is missing or too far from now")
    text = "\n".join(["v1", timestamp, delivery, hashlib.sha256(body).hexdigest()])
    if not _signs(found.get(f"{prefix}-signature", ""), text, [secrets] if isinstance(secrets, str) else secrets):
        raise WebhookError("no signature matches")
    notice = json.loads(body)
    return Notice(notice["event"], notice.get("timestamp", ""), notice.get("data", {}), delivery)


def _fresh(timestamp: str, now: float) -> bool:
    return timestamp.isascii() and timestamp.isdigit() and len(timestamp) < 16 and abs(now - int(timestamp)) <= TOLERANCE


def _signs(signatures: str, text: str, secrets: Iterable[str]) -> bool:
    """Report whether any secret makes any of the signatures. An empty secret makes none: anybody could sign with it."""
    matched = False
    for secret in secrets:
        want = f"v1={hmac_of(secret, text)}".encode()
        for part in signatures.split(","):
            matched = (secret != "" and hmac.compare_digest(part.strip().encode(), want)) or matched
    return matched


def hashes(txid: str | None) -> list[str]:
    """Return the transaction hashes of a payin's txid: on the wire a JSON list inside a text, or null."""
    return json.loads(txid) if txid else []
