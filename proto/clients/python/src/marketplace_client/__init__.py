"""Client of the Sourcing and Manufacturing Marketplace."""

from standardwebhooks.webhooks import WebhookVerificationError

from .credentials import BearerToken, Credentials, Password, ServiceAccount
from .errors import ApiError, FieldError
from .marketplace import Marketplace, ok
from .webhooks import Event, verify_webhook

__all__ = [
    "ApiError",
    "BearerToken",
    "Credentials",
    "Event",
    "FieldError",
    "Marketplace",
    "Password",
    "ServiceAccount",
    "WebhookVerificationError",
    "ok",
    "verify_webhook",
]
