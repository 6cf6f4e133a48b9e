"""Errors of the API."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import httpx

PAGE = "a page of HTML, which is not of the marketplace"


@dataclass(frozen=True)
class FieldError:
    """A problem of one field of a request."""

    field: str
    message: str


@dataclass
class ApiError(Exception):
    """A response of 400 or above, or a page of HTML."""

    status: int
    """The HTTP status."""
    code: str
    """The stable error code, such as `not_found`; `unknown` where the response has none, such as one of a proxy."""
    detail: str
    fields: list[FieldError] = field(default_factory=list)
    request_id: str | None = None
    """Names the request in the logs of the marketplace."""
    method: str = ""
    path: str = ""

    def __str__(self) -> str:
        named = [f"{error.field}: {error.message}" for error in self.fields]
        # The detail is often that of the only field.
        fields = [f"\n  {text}" for text in named if text != self.detail]
        request = f" (request {self.request_id})" if self.request_id else ""
        answered = f"{self.method} {self.path} answered {self.status}"
        return f"{answered} {self.code}: {self.detail}{request}{''.join(fields)}"

    @classmethod
    def from_response(cls, response: httpx.Response) -> ApiError:
        """Reads the problem document of /v1, the envelope of /v2.3 or the error of OAuth. The body has been read."""
        body = _object(response)
        envelope = body.get("error")
        if isinstance(envelope, dict):
            code, detail, fields = envelope.get("code"), envelope.get("message"), envelope.get("details")
        elif isinstance(envelope, str):
            code, detail, fields = envelope, body.get("error_description"), None
        else:
            code, detail, fields = body.get("code"), body.get("detail"), body.get("errors")
        return cls(
            status=response.status_code,
            code=str(code or "unknown"),
            detail=str(detail or (PAGE if is_html(response) else response.reason_phrase)),
            fields=[FieldError(str(each["field"]), str(each["message"])) for each in fields or []],
            request_id=response.headers.get("X-Request-Id"),
            method=response.request.method,
            path=response.url.path,
        )


def is_html(response: httpx.Response) -> bool:
    return str(response.headers.get("Content-Type", "")).startswith("text/html")


def _object(response: httpx.Response) -> dict[str, Any]:
    try:
        body = response.json()
    except (json.JSONDecodeError, UnicodeDecodeError):
        return {}
    return body if isinstance(body, dict) else {}
