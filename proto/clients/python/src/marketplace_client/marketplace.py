"""The connection to a marketplace."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol, TypeVar

import httpx

from .credentials import TOKEN_PATH, BearerToken, Credentials, ServiceAccount, TokenAuth
from .errors import ApiError, is_html
from .generated.api.uploads import create_upload_url
from .generated.client import Client
from .generated.models import CreateUploadInput
from .retries import MAX_RETRIES, RetryTransport

T = TypeVar("T")


class Page(Protocol[T]):
    """A page of any list."""

    items: list[T]
    has_more: bool


class Marketplace:
    """Signs in, repeats what is safe to repeat, and raises `ApiError` for refused requests.

    `market.client` is the argument `client` of every function in `marketplace_client.generated.api`.
    """

    def __init__(
        self,
        base_url: str,
        credentials: Credentials,
        *,
        timeout: float | httpx.Timeout = 30.0,
        max_retries: int = MAX_RETRIES,
        user_agent: str = "",
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        base_url = base_url.rstrip("/")
        if httpx.URL(base_url).scheme not in ("http", "https"):
            raise ValueError(f"{base_url!r} is no address such as https://marketplace.example.com")
        self.http = _Http(
            base_url=base_url,
            auth=TokenAuth(credentials, httpx.URL(base_url + TOKEN_PATH)),
            headers={"User-Agent": f"{user_agent} marketplace-client-python/0.1.0".strip()},
            timeout=timeout,
            # A file may be in a store, to which the marketplace redirects.
            follow_redirects=True,
            transport=RetryTransport(transport or httpx.HTTPTransport(), max_retries=max_retries),
        )
        self.client = Client(base_url=base_url).set_httpx_client(self.http)

    @classmethod
    def from_environment(cls) -> Marketplace:
        """MARKETPLACE_URL, and MARKETPLACE_CLIENT_ID with MARKETPLACE_CLIENT_SECRET, or MARKETPLACE_TOKEN."""
        base_url = _variable("MARKETPLACE_URL")
        if "MARKETPLACE_TOKEN" in os.environ:
            return cls(base_url, BearerToken(os.environ["MARKETPLACE_TOKEN"]))
        account = ServiceAccount(_variable("MARKETPLACE_CLIENT_ID"), _variable("MARKETPLACE_CLIENT_SECRET"))
        return cls(base_url, account)

    def pages(self, list_page: Callable[..., Page[T] | None], *args: Any, **filters: Any) -> Iterator[T]:
        """All items of a list: `market.pages(list_parts.sync, view=ListPartsView.IP_OWNER)`."""
        number = 1
        while True:
            page = ok(list_page(*args, client=self.client, page=number, **filters))
            yield from page.items
            if not page.has_more:
                return
            number += 1

    def upload(self, path: str | Path, *, public: bool = False) -> str:
        """Uploads a file, and returns the id of the upload, which is added to a part within 24 hours."""
        path = Path(path)
        body = CreateUploadInput(name=path.name, public=public)
        upload = ok(create_upload_url.sync(client=self.client, body=body))
        # The URL is the authorization, and can lead to another server.
        with path.open("rb") as content, httpx.Client(timeout=self.http.timeout) as http:
            headers = {**upload.headers.to_dict(), "Content-Length": str(path.stat().st_size)}
            response = http.request(upload.method, upload.upload_url, content=content, headers=headers)
        if response.is_error:
            raise ApiError.from_response(response)
        return upload.id

    def close(self) -> None:
        self.http.close()

    def __enter__(self) -> Marketplace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def ok(result: T | None) -> T:
    """The result of a generated function without the `None` of its declaration: errors were raised."""
    if result is None:
        raise ValueError("The answer is empty, as it is after if_none_match: read it with sync_detailed.")
    return result


def _variable(name: str) -> str:
    value = os.environ.get(name)
    if not value:
        raise ValueError(f"Set the environment variable {name}.")
    return value


class _Http(httpx.Client):
    """Adds an Idempotency-Key to each POST, and raises `ApiError`."""

    def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        if request.method == "POST" and "Idempotency-Key" not in request.headers:
            request.headers["Idempotency-Key"] = str(uuid.uuid4())
        response = super().send(request, **options)
        # Operations answer no HTML, so such a page is that of a proxy. Files of any kind are under /files.
        is_page = is_html(response) and not request.url.path.startswith("/files/")
        if response.is_error or is_page:
            response.read()
            raise ApiError.from_response(response)
        return response
