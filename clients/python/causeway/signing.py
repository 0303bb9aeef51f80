"""Signatures of requests (docs: Signing requests)."""

from __future__ import annotations

import hashlib
import hmac


def sign(secret: str, method: str, path: str, query: str, timestamp: str, nonce: str, body: bytes) -> str:
    """Return the value of the signature header of a request.

    path is percent-encoded as it is sent, query is without "?".
    """
    lines = [method, path, query, timestamp, nonce, hashlib.sha256(body).hexdigest()]
    return hmac_of(secret, "\n".join(lines))


def hmac_of(secret: str, text: str) -> str:
    """Return the HMAC-SHA256 of a text in hex."""
    return hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()
