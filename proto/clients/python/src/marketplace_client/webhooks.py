"""Verification of webhooks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, cast

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from .event import Event
from .generated.events import WebhookEvent


def verify_webhook(secret: str, headers: Mapping[str, str], body: bytes | str) -> WebhookEvent:
    """Returns the event of a delivery. Its `type` tells the keys of its `data`; one of a later version has another.

    Raises `WebhookVerificationError` unless the endpoint's secret has signed exactly these bytes within the last five
    minutes, and they are an event.
    """
    lower_case = {name.lower(): value for name, value in headers.items()}
    Webhook(secret).verify(body, lower_case)
    try:
        event = json.loads(body)
        verified: Event[str, dict[str, Any]] = Event(
            id=event["id"],
            type=event["type"],
            timestamp=datetime.fromisoformat(event["timestamp"].replace("Z", "+00:00")),
            tenant_id=event["tenant_id"],
            data=event["data"],
        )
        return cast(WebhookEvent, verified)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise WebhookVerificationError("The signed body is not an event.") from error
