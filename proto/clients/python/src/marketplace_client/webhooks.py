"""Verification of webhooks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from standardwebhooks.webhooks import Webhook, WebhookVerificationError


@dataclass(frozen=True)
class Event:
    """An event of a webhook delivery. A repeated delivery has the same id."""

    id: str
    type: str
    timestamp: datetime
    tenant_id: str
    data: dict[str, Any]


def verify_webhook(secret: str, headers: Mapping[str, str], body: bytes | str) -> Event:
    """Returns the event of a delivery.

    Raises `WebhookVerificationError` unless the endpoint's secret has signed exactly these bytes within the last five
    minutes, and they are an event.
    """
    lower_case = {name.lower(): value for name, value in headers.items()}
    Webhook(secret).verify(body, lower_case)
    try:
        event = json.loads(body)
        return Event(
            id=event["id"],
            type=event["type"],
            timestamp=datetime.fromisoformat(event["timestamp"].replace("Z", "+00:00")),
            tenant_id=event["tenant_id"],
            data=event["data"],
        )
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise WebhookVerificationError("The signed body is not an event.") from error
