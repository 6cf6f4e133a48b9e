from __future__ import annotations

import base64
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from standardwebhooks.webhooks import Webhook

from marketplace_client import Event, WebhookVerificationError, verify_webhook

SECRET = "whsec_" + base64.b64encode(b"a secret of thirty-two bytes....").decode()
BODY = json.dumps(
    {
        "id": "evt_1",
        "type": "cases.created",
        "timestamp": "2026-04-29T09:10:00.5Z",
        "tenant_id": "org_1",
        "data": {"caseId": "case_1"},
    }
)


def signed(body: str = BODY, at: datetime | None = None, secret: str = SECRET) -> dict[str, str]:
    at = at or datetime.now(tz=UTC)
    signature = Webhook(secret).sign("evt_1", at, body)
    return {"Webhook-Id": "evt_1", "Webhook-Timestamp": str(int(at.timestamp())), "Webhook-Signature": signature}


def test_a_signed_delivery_is_its_event() -> None:
    event: Event[str, Any] = verify_webhook(SECRET, signed(), BODY.encode())
    assert (event.id, event.type, event.tenant_id, event.data) == (
        "evt_1",
        "cases.created",
        "org_1",
        {"caseId": "case_1"},
    )
    assert event.timestamp == datetime(2026, 4, 29, 9, 10, 0, 500_000, tzinfo=UTC)


def test_the_type_of_an_event_tells_its_data() -> None:
    text = json.dumps({**json.loads(BODY), "data": {"case": {"id": "case_1", "title": "Bracket"}}})
    event = verify_webhook(SECRET, signed(text), text)
    assert event.type == "cases.created"
    assert event.data["case"]["title"] == "Bracket"
    with pytest.raises(KeyError):
        # mypy refuses this comment unless the keys are known.
        print(event.data["task"])  # type: ignore[typeddict-item]


def test_an_event_of_a_later_version_is_its_event() -> None:
    text = json.dumps({**json.loads(BODY), "type": "cases.split"})
    event: Event[str, Any] = verify_webhook(SECRET, signed(text), text)
    assert (event.type, event.data) == ("cases.split", {"caseId": "case_1"})


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        (signed(), BODY.replace("case_1", "case_2")),
        (signed(secret="whsec_" + base64.b64encode(b"another secret").decode()), BODY),
        (signed(at=datetime.now(tz=UTC) - timedelta(minutes=6)), BODY),
        ({}, BODY),
        (signed('{"id": "evt_1"}'), '{"id": "evt_1"}'),
        (signed("[]"), "[]"),
    ],
    ids=["another body", "another secret", "an old timestamp", "no headers", "half an event", "no event"],
)
def test_any_other_delivery_is_refused(headers: dict[str, str], body: str) -> None:
    with pytest.raises(WebhookVerificationError):
        verify_webhook(SECRET, headers, body)
