"""A body with a `Content-Encoding` is rejected at every door that reads one; no door decompresses."""

import gzip
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from structlog.testing import capture_logs

from svc.storage.sites import sites
from tests import tables
from tests.channels import channel_town
from tests.tooling import PASSWORD, ToolTown, tool_town

PACKED = gzip.compress(b"{}")
CODED = [
    {"content-encoding": coding} for coding in ("gzip", "br", "x-unheard-of", "identity, gzip", "gzip, gzip")
]
SIGN_IN = json.dumps({"email": "owner@example.com", "password": PASSWORD}).encode()


async def _post(here: Any, path: str, content: bytes, **headers: str) -> httpx.Response:
    given = {"authorization": f"Bearer {here.key}", "content-type": "application/json"} | headers
    answer: httpx.Response = await here.client.post(path, content=content, headers=given)
    return answer


@asynccontextmanager
async def person() -> AsyncIterator[tuple[ToolTown, dict[str, str]]]:
    async with tool_town() as here:
        yield here, {"x-csrf-token": await here.sign_in()}


@pytest.mark.parametrize("coded", CODED, ids=str)
@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/tools/tool.search",
        "/app/api/tools/tool.search",
        "/api/v1/mcp",
        "/api/v1/mcp/full",
        "/app/api/sign-in",
        "/app/api/confirm",
    ],
)
async def test_a_coded_body_is_no_body(autojump_clock, path: str, coded: dict[str, str]):
    """Tools, MCP and people answer 415, as a problem that says which codings there are."""
    async with person() as (here, csrf):
        answer = await _post(here, path, PACKED, **csrf, **coded)

    assert (415, "unsupported_media_type", "identity") == (
        answer.status_code,
        answer.json()["code"],
        answer.headers["accept-encoding"],
    )
    assert "Content-Encoding" in answer.json()["detail"]


@pytest.mark.parametrize("coded", CODED, ids=str)
async def test_channels_take_no_coded_body(autojump_clock, coded: dict[str, str]):
    """Nor do the doors of bridges."""
    async with channel_town() as here:
        answer = await _post(here, "/api/channels/v1/channel.outbox.pull", PACKED, **coded)

    assert (415, "unsupported_media_type") == (answer.status_code, answer.json()["code"])


@pytest.mark.parametrize("coded", CODED, ids=str)
async def test_forms_take_no_coded_body(autojump_clock, coded: dict[str, str]):
    """Nor does the form endpoint, in its own words, which a page may read."""
    async with tool_town() as here:
        form = await here.form()
        body = json.dumps({"f": form.form_key, "v": {"email": "ada@example.com"}}).encode()
        answer = await here.client.post(
            "/api/f/s", content=body, headers={"origin": "https://lamps.example"} | coded
        )
        stored = await here.count(tables.submissions)

    assert (415, {"ok": False, "reason": "shape"}) == (answer.status_code, answer.json())
    assert ("https://lamps.example", "identity") == (
        answer.headers["access-control-allow-origin"],
        answer.headers["accept-encoding"],
    )
    assert 0 == stored


async def test_the_tracker_passes_coded_bodies_over(autojump_clock):
    """The tracker answers 204 to those as to everything, and keeps nothing."""
    async with tool_town() as here:
        await here.store.write(sites.create, here.organization.id, "lamps.example")
        with capture_logs() as logged:
            answer = await here.client.post(
                "/api/t", content=b'{"url": "https://lamps.example/"}', headers={"content-encoding": "gzip"}
            )
        visits = await here.count(tables.visits)

    assert (204, 0, []) == (answer.status_code, visits, logged)


@pytest.mark.parametrize("coding", ["identity", "Identity", "", "identity, identity"])
@pytest.mark.parametrize(
    ("path", "body"), [("/api/v1/tools/tool.search", b'{"query":"a"}'), ("/app/api/sign-in", SIGN_IN)]
)
async def test_no_coding_is_fine(autojump_clock, coding: str, path: str, body: bytes):
    """`identity` is no coding at all."""
    async with tool_town() as here:
        answer = await _post(here, path, body, **{"content-encoding": coding})

    assert 200 == answer.status_code


async def test_the_size_is_checked_first(autojump_clock):
    """A body that says that it is over the limit is 413, coded or not."""
    async with tool_town() as here:
        answer = await here.client.post(
            "/api/f/s", content=b"x" * 64_001, headers={"content-encoding": "gzip"}
        )

    assert 413 == answer.status_code
