"""Repeats requests that are safe to repeat."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from email.utils import parsedate_to_datetime

import httpx

MAX_RETRIES = 4
MAX_PAUSE_SECONDS = 60.0
_SAFE = {"GET", "HEAD", "OPTIONS"}
#: Marks a request that may be repeated although its method does not say so.
REPEATABLE = "marketplace_client.repeatable"


class RetryTransport(httpx.BaseTransport):
    """Repeats reads and commands with an Idempotency-Key after 429, 503 and failures of the network."""

    def __init__(
        self,
        transport: httpx.BaseTransport,
        sleep: Callable[[float], None] = time.sleep,
        max_retries: int = MAX_RETRIES,
    ) -> None:
        self._transport = transport
        self._max_retries = max_retries
        self._sleep = sleep

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        for attempt in range(1, self._max_retries + 1):
            try:
                response = self._transport.handle_request(request)
            except httpx.TransportError:
                if not is_repeatable(request):
                    raise
                self._sleep(pause_after(attempt))
                continue
            if not is_repeated_after(request, response):
                return response
            response.read()
            response.close()
            self._sleep(max(pause_after(attempt), retry_after(response.headers.get("Retry-After"), time.time())))
        return self._transport.handle_request(request)

    def close(self) -> None:
        self._transport.close()


class AsyncRetryTransport(httpx.AsyncBaseTransport):
    """Repeats the same requests as `RetryTransport`, for `asyncio`."""

    def __init__(
        self,
        transport: httpx.AsyncBaseTransport,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        max_retries: int = MAX_RETRIES,
    ) -> None:
        self._transport = transport
        self._max_retries = max_retries
        self._sleep = sleep

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        for attempt in range(1, self._max_retries + 1):
            try:
                response = await self._transport.handle_async_request(request)
            except httpx.TransportError:
                if not is_repeatable(request):
                    raise
                await self._sleep(pause_after(attempt))
                continue
            if not is_repeated_after(request, response):
                return response
            await response.aread()
            await response.aclose()
            await self._sleep(max(pause_after(attempt), retry_after(response.headers.get("Retry-After"), time.time())))
        return await self._transport.handle_async_request(request)

    async def aclose(self) -> None:
        await self._transport.aclose()


def is_repeated_after(request: httpx.Request, response: httpx.Response) -> bool:
    """Whether an answer asks for another attempt. A request that was answered with 429 was not carried out."""
    return response.status_code == 429 or (response.status_code == 503 and is_repeatable(request))


def is_repeatable(request: httpx.Request) -> bool:
    """Whether a second request has no second effect."""
    return request.method in _SAFE or "Idempotency-Key" in request.headers or REPEATABLE in request.extensions


def pause_after(attempt: int) -> float:
    """Seconds: up to 0.5, 1, 2, 4, at random, so that clients that failed together do not return together."""
    return 0.25 * float(2**attempt) * (0.5 + random.random() / 2)


def retry_after(header: str | None, now: float) -> float:
    """The pause that a Retry-After header asks for, in seconds, or 0."""
    if header is None:
        return 0.0
    try:
        seconds = float(header) if header.strip().isdigit() else parsedate_to_datetime(header).timestamp() - now
    except ValueError:
        return 0.0
    return min(MAX_PAUSE_SECONDS, max(0.0, seconds))
