"""Client of the Sourcing and Manufacturing Marketplace."""

from standardwebhooks.webhooks import WebhookVerificationError

from .credentials import BearerToken, Credentials, Password, ServiceAccount
from .errors import ApiError, FieldError
from .event import Event
from .generated.events import WebhookEvent
from .marketplace import Marketplace, ok
from .webhooks import verify_webhook

__all__ = [
    "ApiError",
    "BearerToken",
    "Credentials",
    "Event",
    "FieldError",
    "Marketplace",
    "Password",
    "ServiceAccount",
    "WebhookEvent",
    "WebhookVerificationError",
    "ok",
    "verify_webhook",
]
