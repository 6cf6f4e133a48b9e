"""Credentials, and the access tokens that are obtained with them."""

from __future__ import annotations

import asyncio
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Generator
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import httpx

from .errors import ApiError
from .retries import REPEATABLE

TOKEN_PATH = "/flows/v1/oauth/token"
#: A token is replaced this many seconds before it expires.
MARGIN_SECONDS = 30.0


class Credentials(ABC):
    """What a program signs in with."""

    @abstractmethod
    def form(self) -> dict[str, str]:
        """The form that obtains a token at the token endpoint (RFC 6749)."""


@dataclass(frozen=True)
class ServiceAccount(Credentials):
    """A key of a service account. Each process obtains tokens of its own, so processes may share a key."""

    client_id: str
    client_secret: str

    def form(self) -> dict[str, str]:
        return {
            "grant_type": "client_credentials",
            "client_id": self.client_id,
            "client_secret": self.client_secret,
        }


@dataclass(frozen=True)
class Password(Credentials):
    """A person. Each process has a session of its own, so processes never refresh the same token."""

    username: str
    password: str

    def form(self) -> dict[str, str]:
        return {"grant_type": "password", "username": self.username, "password": self.password}


@dataclass(frozen=True)
class BearerToken(Credentials):
    """An access token that the program got elsewhere, and renews itself."""

    access_token: str

    def form(self) -> dict[str, str]:
        raise ValueError("A given token is not renewed.")


class TokenAuth(httpx.Auth):
    """Sends a valid access token with each request. Of several threads, or tasks of an event loop, one obtains a token
    while the others wait.
    """

    def __init__(self, credentials: Credentials, token_url: httpx.URL) -> None:
        self._credentials = credentials
        self._token_url = token_url
        self._lock = threading.Lock()
        #: A lock belongs to an event loop, and a program can have several.
        self._async_locks: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()
        self._refresh_token: str | None = None
        given = isinstance(credentials, BearerToken)
        self._access_token = credentials.access_token if isinstance(credentials, BearerToken) else None
        self._fresh_until = float("inf") if given else 0.0

    def sync_auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        rejected: str | None = None
        while True:
            with self._lock:
                obtaining = self._valid_token(request, rejected)
                try:
                    token_request = next(obtaining)
                    while True:
                        response = yield token_request
                        response.read()
                        token_request = obtaining.send(response)
                except StopIteration as obtained:
                    token: str = obtained.value
            request.headers["Authorization"] = f"Bearer {token}"
            response = yield request
            if not self._is_renewable(response) or rejected is not None:
                return
            rejected = token

    async def async_auth_flow(self, request: httpx.Request) -> AsyncGenerator[httpx.Request, httpx.Response]:
        rejected: str | None = None
        while True:
            async with self._async_locks.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
                obtaining = self._valid_token(request, rejected)
                try:
                    token_request = next(obtaining)
                    while True:
                        response = yield token_request
                        await response.aread()
                        token_request = obtaining.send(response)
                except StopIteration as obtained:
                    token: str = obtained.value
            request.headers["Authorization"] = f"Bearer {token}"
            response = yield request
            if not self._is_renewable(response) or rejected is not None:
                return
            rejected = token

    def _is_renewable(self, response: httpx.Response) -> bool:
        # The session has ended, or the key was replaced. A given token is the caller's to renew.
        return response.status_code == 401 and not isinstance(self._credentials, BearerToken)

    def _valid_token(
        self, request: httpx.Request, rejected: str | None
    ) -> Generator[httpx.Request, httpx.Response, str]:
        timeout = request.extensions.get("timeout")
        token = self._access_token
        if token is not None and token != rejected and time.monotonic() < self._fresh_until:
            return token
        if self._refresh_token is not None:
            form = {"grant_type": "refresh_token", "refresh_token": self._refresh_token}
            response = yield self._token_request(form, timeout)
            if response.is_success:
                return self._store(response)
        response = yield self._token_request(self._credentials.form(), timeout)
        if not response.is_success:
            raise ApiError.from_response(response)
        return self._store(response)

    def _token_request(self, form: dict[str, str], timeout: object) -> httpx.Request:
        # The service answers a repeated refresh with the same tokens, and another sign-in does no harm.
        extensions = {REPEATABLE: True, "timeout": timeout}
        return httpx.Request("POST", self._token_url, data=form, extensions=extensions)

    def _store(self, response: httpx.Response) -> str:
        tokens = response.json()
        token = str(tokens["access_token"])
        self._access_token = token
        self._refresh_token = tokens.get("refresh_token")
        self._fresh_until = time.monotonic() + max(0.0, float(tokens["expires_in"]) - MARGIN_SECONDS)
        return token
