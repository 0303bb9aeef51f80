"""Speaks to a Causeway API: payins, payouts, balances and webhooks. Amounts are decimals in text, never floats."""

from .client import Client
from .errors import ApiError, CausewayError, NoAnswerError, OtherBodyError, TooLongError, WebhookError
from .signing import sign
from .webhooks import Notice, hashes, verify_webhook

__all__ = [
    "ApiError", "CausewayError", "Client", "NoAnswerError", "Notice", "OtherBodyError", "TooLongError", "WebhookError",
    "hashes", "sign", "verify_webhook",
]
