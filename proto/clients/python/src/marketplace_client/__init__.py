"""Client of the Sourcing and Manufacturing Marketplace."""

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
    "ok",
    "verify_webhook",
]
