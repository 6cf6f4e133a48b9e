from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest

from marketplace_client import ApiError, BearerToken, Credentials, Marketplace, ServiceAccount
from marketplace_client.generated.api.parts import get_part
from marketplace_client.generated.client import AuthenticatedClient, Client
from marketplace_client.generated.errors import UnexpectedStatus
from marketplace_client.generated.models import RfqState
from marketplace_client.retries import AsyncRetryTransport, RetryTransport, retry_after


@contextmanager
def server(statuses: list[int | None], headers: dict[str, str] | None = None) -> Iterator[tuple[str, list[str]]]:
    """Answers each request with the next status; None closes the connection without an answer."""
    received: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            received.append(self.command)
            status = statuses.pop(0)
            if status is None:
                self.close_connection = True
                return
            self.send_response(status)
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_GET = do_POST = answer

        def log_message(self, *_: object) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{http.server_port}/", received
    finally:
        http.shutdown()
        thread.join()
        http.server_close()


def client(pauses: list[float], max_retries: int = 4) -> httpx.Client:
    transport = RetryTransport(httpx.HTTPTransport(), sleep=pauses.append, max_retries=max_retries)
    return httpx.Client(transport=transport)


@contextmanager
def silent_server() -> Iterator[str]:
    """Accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


def test_reads_are_repeated_after_503_and_lost_connections() -> None:
    pauses: list[float] = []
    with server([503, None, 200]) as (url, received), client(pauses) as http:
        assert http.get(url).status_code == 200
    assert received == ["GET", "GET", "GET"]
    assert 0.25 <= pauses[0] <= 0.5 <= pauses[1] <= 1.0


def test_a_retry_waits_as_long_as_the_server_asks() -> None:
    pauses: list[float] = []
    with server([429, 200], {"Retry-After": "7"}) as (url, _), client(pauses) as http:
        assert http.get(url).status_code == 200
    assert pauses == [7.0]


def test_a_command_without_a_key_is_not_repeated_after_503() -> None:
    pauses: list[float] = []
    with server([503]) as (url, received), client(pauses) as http:
        assert http.post(url).status_code == 503
    assert (received, pauses) == (["POST"], [])


def test_a_command_without_a_key_is_not_repeated_after_a_lost_connection() -> None:
    with server([None]) as (url, received), client([]) as http, pytest.raises(httpx.TransportError):
        http.post(url)
    assert received == ["POST"]


def test_a_command_with_a_key_is_repeated() -> None:
    with server([503, None, 200]) as (url, received), client([]) as http:
        assert http.post(url, headers={"Idempotency-Key": "order-7"}).status_code == 200
    assert received == ["POST", "POST", "POST"]


def test_the_last_of_five_answers_is_returned() -> None:
    pauses: list[float] = []
    with server([503] * 5) as (url, received), client(pauses) as http:
        assert http.get(url).status_code == 503
    assert (len(received), len(pauses)) == (5, 4)


def test_a_page_of_html_is_an_error() -> None:
    with (
        server([200], {"Content-Type": "text/html; charset=utf-8"}) as (url, _),
        Marketplace(url, BearerToken("a.b.c")) as market,
        pytest.raises(ApiError) as refused,
    ):
        get_part.sync("part_1", client=market.client)
    page = "a page of HTML, which is not of the marketplace"
    assert str(refused.value) == f"GET /v1/parts/part_1 answered 200 unknown: {page}"


def test_the_number_of_retries_is_chosen() -> None:
    pauses: list[float] = []
    with server([503] * 5) as (url, received), client(pauses, max_retries=1) as http:
        assert http.get(url).status_code == 503
    assert (len(received), len(pauses)) == (2, 1)


@pytest.mark.parametrize(
    "credentials", [ServiceAccount("sak_1", "mkt_1"), BearerToken("a.b.c")], ids=["a token request", "a request"]
)
def test_a_time_out_ends(credentials: Credentials) -> None:
    with (
        silent_server() as url,
        Marketplace(url, credentials, timeout=0.05, max_retries=1) as market,
        pytest.raises(httpx.ReadTimeout) as ended,
    ):
        get_part.sync("part_1", client=market.client)
    assert str(ended.value.request.url).startswith(url)


@pytest.mark.parametrize("address", ["", "localhost:8080", "ftp://market.example.com"])
def test_an_address_without_http_is_refused_at_once(address: str) -> None:
    with pytest.raises(ValueError, match="is no address such as https://"):
        Marketplace(address, BearerToken("a.b.c"))


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, 0.0),
        ("3", 3.0),
        ("86400", 60.0),
        ("Thu, 01 Jan 1970 00:00:10 GMT", 10.0),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0),
        ("soon", 0.0),
        ("-5", 0.0),
    ],
)
def test_retry_after(header: str | None, seconds: float) -> None:
    assert retry_after(header, now=0.0) == seconds


def test_asyncio_repeats_the_same_requests() -> None:
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    async def status(url: str, method: str) -> int:
        transport = AsyncRetryTransport(httpx.AsyncHTTPTransport(), sleep=sleep)
        async with httpx.AsyncClient(transport=transport) as http:
            return (await http.request(method, url)).status_code

    with server([503, None, 429, 200], {"Retry-After": "7"}) as (url, received):
        assert asyncio.run(status(url, "GET")) == 200
    assert (received, pauses[0], pauses[2]) == (["GET"] * 4, 7.0, 7.0)
    with server([503]) as (url, received):
        assert asyncio.run(status(url, "POST")) == 503
    assert received == ["POST"]


def test_a_plain_client_of_the_generated_code_raises() -> None:
    with server([401]) as (url, _), pytest.raises(UnexpectedStatus):
        asyncio.run(get_part.asyncio("part_1", client=Client(base_url=url)))
    with server([401]) as (url, _), pytest.raises(UnexpectedStatus):
        get_part.sync("part_1", client=AuthenticatedClient(base_url=url, token="a.b.c"))


def test_a_value_that_an_enumeration_does_not_know_is_kept() -> None:
    assert RfqState("SPLIT") == "SPLIT"
    assert (RfqState("SPLIT").value, str(RfqState("SPLIT")), RfqState("OPEN")) == ("SPLIT", "SPLIT", RfqState.OPEN)
    with pytest.raises(ValueError, match="7 is not a valid RfqState"):
        RfqState(7)  # type: ignore[arg-type]
