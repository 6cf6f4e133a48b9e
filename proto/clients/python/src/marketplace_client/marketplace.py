"""The connection to a marketplace."""

from __future__ import annotations

import os
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, Protocol, TypeVar

import httpx

from .credentials import TOKEN_PATH, BearerToken, Credentials, ServiceAccount, TokenAuth
from .errors import ApiError, is_html
from .generated.api.uploads import create_upload_url
from .generated.client import Client
from .generated.models import CreateUploadInput
from .retries import MAX_RETRIES, AsyncRetryTransport, RetryTransport

T = TypeVar("T")


class Page(Protocol[T]):
    """A page of any list."""

    items: list[T]
    has_more: bool


class Marketplace:
    """Signs in, repeats what is safe to repeat, and raises `ApiError` for refused requests.

    `market.client` is the argument `client` of every function in `marketplace_client.generated.api`. Those named
    `asyncio` and `asyncio_detailed` sign in and repeat alike; `async with` closes what they use.
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
        async_transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        base_url = base_url.rstrip("/")
        if httpx.URL(base_url).scheme not in ("http", "https"):
            raise ValueError(f"{base_url!r} is no address such as https://marketplace.example.com")
        options: dict[str, Any] = {
            "base_url": base_url,
            "auth": TokenAuth(credentials, httpx.URL(base_url + TOKEN_PATH)),
            "headers": {"User-Agent": f"{user_agent} marketplace-client-python/0.1.0".strip()},
            "timeout": timeout,
            # A file may be in a store, to which the marketplace redirects.
            "follow_redirects": True,
        }
        retried = RetryTransport(transport or httpx.HTTPTransport(), max_retries=max_retries)
        self.http = _Http(**options, transport=retried)
        async_retried = AsyncRetryTransport(async_transport or httpx.AsyncHTTPTransport(), max_retries=max_retries)
        self.async_http = _AsyncHttp(**options, transport=async_retried)
        # The clients above raise errors themselves, and a 304 is none.
        client = Client(base_url=base_url, raise_on_unexpected_status=False)
        self.client = client.set_httpx_client(self.http).set_async_httpx_client(self.async_http)

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

    async def async_pages(
        self, list_page: Callable[..., Awaitable[Page[T] | None]], *args: Any, **filters: Any
    ) -> AsyncIterator[T]:
        """All items of a list: `market.async_pages(list_parts.asyncio, view=ListPartsView.IP_OWNER)`."""
        number = 1
        while True:
            page = ok(await list_page(*args, client=self.client, page=number, **filters))
            for item in page.items:
                yield item
            if not page.has_more:
                return
            number += 1

    def upload(self, path: str | Path, *, public: bool = False) -> str:
        """Uploads a file, and returns the id of the upload, which is added to a record within 24 hours."""
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

    async def aclose(self) -> None:
        self.close()
        await self.async_http.aclose()

    async def __aenter__(self) -> Marketplace:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

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
        response = super().send(_with_key(request), **options)
        if _is_refusal(response):
            response.read()
            raise ApiError.from_response(response)
        return response


class _AsyncHttp(httpx.AsyncClient):
    """Does the same for `asyncio`."""

    async def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        response = await super().send(_with_key(request), **options)
        if _is_refusal(response):
            await response.aread()
            raise ApiError.from_response(response)
        return response


def _with_key(request: httpx.Request) -> httpx.Request:
    if request.method == "POST" and "Idempotency-Key" not in request.headers:
        request.headers["Idempotency-Key"] = str(uuid.uuid4())
    return request


def _is_refusal(response: httpx.Response) -> bool:
    # Operations answer no HTML, so such a page is that of a proxy. Files of any kind are under /files.
    is_page = is_html(response) and not response.request.url.path.startswith("/files/")
    return response.is_error or is_page
