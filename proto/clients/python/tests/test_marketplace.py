from __future__ import annotations

import asyncio
import json
import os
import threading
from pathlib import Path

import httpx
import pytest

from marketplace_client import ApiError, BearerToken, Credentials, Marketplace, Password, ServiceAccount, ok
from marketplace_client.credentials import TOKEN_PATH
from marketplace_client.generated.api.audit_log_export import export_audit_log
from marketplace_client.generated.api.part_lifecycle import delete_part, patch_part
from marketplace_client.generated.api.parts import create_part, get_part, list_part_files, list_parts, update_part_files
from marketplace_client.generated.api.roles import list_roles
from marketplace_client.generated.api.webhook_endpoints import get_webhook_endpoint
from marketplace_client.generated.models import (
    FileGroup,
    ListPartsView,
    PartInput,
    PartPatch,
    UpdateFilesRequest,
    UpdateFilesRequestAddItem,
)

from .conftest import ACCOUNT, URL

PERSON = Password(os.environ["MARKETPLACE_USERNAME"], os.environ["MARKETPLACE_PASSWORD"])


class Recorder(httpx.HTTPTransport):
    """Passes requests on and keeps them."""

    def __init__(self) -> None:
        super().__init__()
        self.requests: list[httpx.Request] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        return super().handle_request(request)

    def grants(self) -> list[str]:
        """The grants with which tokens were obtained."""
        forms = [each.content.decode() for each in self.requests if each.url.path == TOKEN_PATH]
        return [dict(httpx.QueryParams(form))["grant_type"] for form in forms]


def recorded(credentials: Credentials) -> tuple[Marketplace, Recorder]:
    transport = Recorder()
    return Marketplace(URL, credentials, transport=transport), transport


def test_a_service_account_creates_parts_and_reads_every_page(market: Marketplace) -> None:
    created = {ok(create_part.sync(client=market.client, body=PartInput(title=f"Bracket {n}"))).id for n in range(12)}
    listed = [part.id for part in market.pages(list_parts.sync, view=ListPartsView.IP_OWNER, page_size=5)]
    assert created <= set(listed)
    assert len(listed) == len(set(listed))


def test_an_upload_becomes_a_file_of_a_part(market: Marketplace, tmp_path: Path) -> None:
    drawing = tmp_path / "bracket.stl"
    drawing.write_bytes(b"solid bracket\nendsolid bracket\n")
    part_id = ok(create_part.sync(client=market.client, body=PartInput(title="Bracket"))).id
    upload_id = market.upload(drawing)
    body = UpdateFilesRequest(add=[UpdateFilesRequestAddItem(upload_id=upload_id, group=FileGroup.PREVIEW)])
    update_part_files.sync(part_id, client=market.client, body=body)
    files = ok(list_part_files.sync(part_id, client=market.client)).items
    assert [(file.name, file.size) for file in files] == [("bracket.stl", 31)]


def test_an_outdated_if_match_is_an_error_with_its_code(market: Marketplace) -> None:
    part_id = ok(create_part.sync(client=market.client, body=PartInput(title="Bracket"))).id
    tag = get_part.sync_detailed(part_id, client=market.client).headers["ETag"]
    patch_part.sync(part_id, client=market.client, body=PartPatch(title="Bracket, left"), if_match=tag)
    with pytest.raises(ApiError) as refused:
        patch_part.sync(part_id, client=market.client, body=PartPatch(title="Bracket, right"), if_match=tag)
    assert (refused.value.status, refused.value.code) == (412, "precondition_failed")


def test_the_types_of_answers_with_304_and_without_a_body(market: Marketplace) -> None:
    part_id = ok(create_part.sync(client=market.client, body=PartInput(title="Bracket"))).id
    read = get_part.sync_detailed(part_id, client=market.client)
    with pytest.raises(AttributeError):
        # mypy refuses this comment unless the type is known.
        print(ok(read.parsed).no_such_field)  # type: ignore[attr-defined]
    unchanged = get_part.sync_detailed(part_id, client=market.client, if_none_match=read.headers["ETag"])
    assert (unchanged.status_code, unchanged.parsed) == (304, None)
    with pytest.raises(ValueError, match="The answer is empty"):
        ok(unchanged.parsed)
    assert ok(delete_part.sync(part_id, client=market.client)) == ""


def test_an_export_is_lines_of_text() -> None:
    with Marketplace(URL, PERSON) as market:
        first, *_ = ok(export_audit_log.sync(client=market.client)).splitlines()
    assert "procedure" in json.loads(first)


def test_the_environment_must_name_the_marketplace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MARKETPLACE_URL")
    with pytest.raises(ValueError, match="Set the environment variable MARKETPLACE_URL"):
        Marketplace.from_environment()


def test_errors_of_v1_name_the_fields_and_the_request(market: Marketplace) -> None:
    with pytest.raises(ApiError) as refused:
        create_part.sync(client=market.client, body=PartInput(title="Bracket", material_id="unobtainium"))
    error = refused.value
    assert (error.status, error.code) == (400, "validation_error")
    assert [each.field for each in error.fields] == ["materialId"]
    assert str(error) == f"POST /v1/parts answered 400 validation_error: {error.detail} (request {error.request_id})"


def test_errors_of_v2_3_have_the_same_shape(market: Marketplace) -> None:
    with pytest.raises(ApiError) as refused:
        get_webhook_endpoint.sync("wh_01JZ8Q4D3R1G5M7VJ0T6W2X9YB", client=market.client)
    assert refused.value.status in (403, 404)
    assert refused.value.code in ("forbidden", "not_found")


def test_a_wrong_secret_is_the_error_of_oauth() -> None:
    with (
        Marketplace(URL, ServiceAccount(ACCOUNT.client_id, "mkt_wrong")) as market,
        pytest.raises(ApiError) as refused,
    ):
        list_roles.sync(client=market.client)
    assert (refused.value.status, refused.value.code) == (401, "invalid_client")


def test_threads_share_one_token() -> None:
    market, transport = recorded(ACCOUNT)
    threads = [threading.Thread(target=lambda: list_roles.sync(client=market.client)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert transport.grants() == ["client_credentials"]
    assert len(transport.requests) == 9


def test_a_refused_token_is_replaced_once() -> None:
    market, transport = recorded(ACCOUNT)
    list_roles.sync(client=market.client)
    market.http.auth._access_token = "expired"  # type: ignore[union-attr]
    list_roles.sync(client=market.client)
    assert transport.grants() == ["client_credentials", "client_credentials"]
    assert transport.requests[-1].headers["Authorization"].startswith("Bearer ey")


def test_a_person_is_refreshed_without_the_password() -> None:
    market, transport = recorded(PERSON)
    list_roles.sync(client=market.client)
    market.http.auth._fresh_until = 0.0  # type: ignore[union-attr]
    list_roles.sync(client=market.client)
    assert transport.grants() == ["password", "refresh_token"]


def test_a_given_token_is_not_replaced() -> None:
    market, transport = recorded(BearerToken("not.a.token"))
    with pytest.raises(ApiError) as refused:
        list_roles.sync(client=market.client)
    assert refused.value.status == 401
    assert len(transport.requests) == 1


def test_each_post_has_a_key_and_every_request_the_user_agent() -> None:
    market, transport = recorded(ACCOUNT)
    create_part.sync(client=market.client, body=PartInput(title="Bracket"))
    create_part.sync(client=market.client, body=PartInput(title="Bracket"), idempotency_key="order-7")
    first, second = (each for each in transport.requests if each.url.path == "/v1/parts")
    assert len(first.headers["Idempotency-Key"]) == 36
    assert second.headers["Idempotency-Key"] == "order-7"
    assert "marketplace-client-python/" in first.headers["User-Agent"]


class AsyncRecorder(httpx.AsyncHTTPTransport):
    """Passes requests on and keeps their paths and keys."""

    def __init__(self) -> None:
        super().__init__()
        self.requests: list[httpx.Request] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        return await super().handle_async_request(request)


def test_asyncio_signs_in_once_for_all_tasks_of_each_loop() -> None:
    transport = AsyncRecorder()
    market = Marketplace(URL, ACCOUNT, async_transport=transport)

    async def concurrent() -> list[bool]:
        async with asyncio.TaskGroup() as tasks:
            reading = [tasks.create_task(list_roles.asyncio(client=market.client)) for _ in range(8)]
        return [len(ok(task.result()).items) > 0 for task in reading]

    assert asyncio.run(concurrent()) == [True] * 8
    assert [each.url.path for each in transport.requests].count(TOKEN_PATH) == 1
    assert len(transport.requests) == 9


def test_asyncio_replaces_a_refused_token_once_and_sends_a_key() -> None:
    async def created() -> list[str]:
        transport = AsyncRecorder()
        async with Marketplace(URL, ACCOUNT, async_transport=transport) as market:
            market.async_http.auth._access_token = "expired"  # type: ignore[union-attr]
            market.async_http.auth._fresh_until = float("inf")  # type: ignore[union-attr]
            ok(await create_part.asyncio(client=market.client, body=PartInput(title="Bracket")))
        assert len(transport.requests[0].headers["Idempotency-Key"]) == 36
        return [each.url.path for each in transport.requests]

    assert asyncio.run(created()) == ["/v1/parts", TOKEN_PATH, "/v1/parts"]


def test_asyncio_reads_every_page() -> None:
    async def listed() -> list[object]:
        async with Marketplace(URL, ACCOUNT) as market:
            for n in range(7):
                await create_part.asyncio(client=market.client, body=PartInput(title=f"Washer {n}"))
            return [
                part.title
                async for part in market.async_pages(
                    list_parts.asyncio, view=ListPartsView.IP_OWNER, q="Washer", page_size=5
                )
            ]

    assert asyncio.run(listed()) == [f"Washer {n}" for n in reversed(range(7))]


def test_asyncio_raises_refusals_and_a_wrong_secret() -> None:
    async def unknown(credentials: Credentials) -> None:
        async with Marketplace(URL, credentials) as market:
            await get_part.asyncio("part_01JZ8Q4D3R1G5M7VJ0T6W2X9YB", client=market.client)

    for credentials, expected in [
        (ACCOUNT, (404, "not_found")),
        (BearerToken("not.a.token"), (401, "unauthorized")),
        (ServiceAccount(ACCOUNT.client_id, "mkt_wrong"), (401, "invalid_client")),
    ]:
        with pytest.raises(ApiError) as refused:
            asyncio.run(unknown(credentials))
        assert (refused.value.status, refused.value.code) == expected
