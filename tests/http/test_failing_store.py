"""Answers to callers and operators while the data cannot be written, and under overload."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import httpx
import pytest
import trio
from sqlalchemy import Table
from structlog.testing import capture_logs

from svc.actors._core.errors import Draining, MailboxFull, Overcrowded, Quarantined
from svc.actors.reconciler import Reconciler
from svc.domain.errors import Unavailable
from svc.http.operator.app import operator_app
from svc.http.problems.problems import problem_for
from svc.storage.channels import keys as channel_keys
from svc.storage.channels import tables as channel_tables
from svc.storage.store import Store, StoreClosed, StoreFailed, StoreFull, Tx
from tests import tables
from tests.channels import a_connection
from tests.http.asking import client_of
from tests.tooling import PASSWORD, ToolTown, tool_town

TOKEN: Final = "a-token-of-the-operator"
ADA: Final = {"objectType": "contact", "properties": {"name": "Ada"}}
UNWRITTEN: Final = "the data cannot be written at the moment; nothing of this was kept"


def fill(tx: Tx) -> None:
    """Write what has no room in a database that may not grow."""
    tx.conn.exec_driver_sql("INSERT INTO visitor_keys VALUES (-1, zeroblob(1000000))").close()


@asynccontextmanager
async def no_room(store: Store) -> AsyncIterator[None]:
    """Meanwhile the database cannot grow: to SQLite, the disk is full."""

    def set_pages_max(tx: Tx, most: int) -> int:
        return int(tx.conn.exec_driver_sql(f"PRAGMA max_page_count = {most}").scalar_one())

    await store.write(set_pages_max, 1)  # as many as there are
    yield
    await store.write(set_pages_max, 1_000_000)


@asynccontextmanager
async def operated() -> AsyncIterator[tuple[ToolTown, httpx.AsyncClient]]:
    """A town, and its operator."""
    async with tool_town() as here, client_of(operator_app(here.system, TOKEN)) as operator:
        await Reconciler(here.system, "main").start()
        operator.headers["authorization"] = f"Bearer {TOKEN}"
        yield here, operator


async def test_a_failing_store_is_unready_until_it_can_write(autojump_clock):
    """`/readyz` says why in a line, without the token, and finds out by itself when there is room again."""
    async with operated() as (here, operator):
        del operator.headers["authorization"]
        with capture_logs():
            async with no_room(here.store):
                before = await operator.get("/readyz")
                with pytest.raises(StoreFailed):
                    await here.store.write(fill)
                failing = [await operator.get("/readyz") for _ in range(3)]
            after = await operator.get("/readyz")

        assert 200 == before.status_code
        why = {"ok": False, "why": "the data cannot be written: the disk is full"}
        assert [(503, why)] * 3 == [(one.status_code, one.json()["checks"]["store"]) for one in failing]
        assert (200, {"ok": True}) == (after.status_code, after.json()["checks"]["store"])


async def test_an_operator_sees_that_the_store_fails(autojump_clock):
    """`/debug/store` says why nothing can be written and for how long; nothing once it can."""
    async with operated() as (here, operator):
        with capture_logs():
            async with no_room(here.store):
                with pytest.raises(StoreFailed):
                    await here.store.write(fill)
                await trio.sleep(7)
                failing = (await operator.get("/debug/store")).json()
            await here.store.write(lambda _: None)
        well = (await operator.get("/debug/store")).json()

        assert ("the disk is full", 7.0) == (failing["failure"], failing["failingSeconds"])
        assert (None, None) == (well["failure"], well["failingSeconds"])


async def test_a_unit_that_finds_room_is_stored_while_others_do_not(autojump_clock):
    """What is tried for the sake of it fails alone: what has room is written, and makes room."""
    async with operated() as (here, operator):
        with capture_logs():
            async with no_room(here.store):
                with pytest.raises(StoreFailed):
                    await here.store.write(fill)
                small = await here.store.write(lambda tx: tx.now)
                unready = await operator.get("/readyz")

        assert (here.clock.now(), 503) == (small, unready.status_code)


async def answer_of(door: str, here: ToolTown) -> httpx.Response:
    """What a door answers to a call that would write."""
    match door:
        case "tool":
            return await here.call("record.create", ADA)
        case "screen":
            csrf = await here.sign_in()
            async with here.full_disk(tables.records):
                return await here.call_as_person("record.create", ADA, csrf=csrf)
        case "sign-in":
            credentials = {"email": "owner@example.com", "password": PASSWORD}
            return await here.client.post("/app/api/sign-in", json=credentials)
    connection = await here.store.write(a_connection, here.organization.id)
    key = (await here.store.write(channel_keys.mint, here.organization.id, connection.id)).key
    message = {"conversationId": "chat-1", "messageId": "m-1", "direction": "in", "text": "Hello"}
    async with here.full_disk(channel_tables.messages):
        return await here.client.post(
            "/api/channels/v1/channel.message.receive",
            json=message,
            headers={"authorization": f"Bearer {key}"},
        )


@pytest.mark.parametrize(
    ("door", "table"),
    [("tool", tables.records), ("screen", None), ("sign-in", tables.sessions), ("channel", None)],
)
async def test_a_failed_write_is_answered_with_its_cause(autojump_clock, door: str, table: Table | None):
    """Wherever it is asked: 503 `overloaded`, that the data cannot be written, and nothing of the inside."""
    async with tool_town() as here:
        with capture_logs():
            if table is None:
                answer = await answer_of(door, here)
            else:
                async with here.full_disk(table):
                    answer = await answer_of(door, here)

        told = answer.json()
        del told["requestId"]
        assert 503 == answer.status_code
        assert "5" == answer.headers["retry-after"]
        assert {
            "type": "/problems/overloaded",
            "title": "This cannot be done at the moment",
            "status": 503,
            "code": "overloaded",
            "detail": UNWRITTEN,
        } == told


async def test_mcp_answers_it_too(autojump_clock):
    """MCP's error says what cannot be done, and when to try again."""
    async with tool_town() as here:
        call = {"name": "record_create", "arguments": ADA}
        with capture_logs():
            async with here.full_disk(tables.records):
                answer = await here.client.post(
                    "/api/v1/mcp/full",
                    json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call},
                    headers={"authorization": f"Bearer {here.key}"},
                )

        assert (503, "5") == (answer.status_code, answer.headers["retry-after"])
        assert f"{UNWRITTEN}: try again in 5 s" == answer.json()["error"]["message"]


async def test_the_page_of_the_problem_distinguishes_them(autojump_clock):
    """`/problems/overloaded` says that it may be the disk, and what helps."""
    async with tool_town() as here:
        page = await here.client.get("/problems/overloaded")

        assert "the data cannot be written" in page.text
        assert "more came at once than can be done" in page.text


@pytest.mark.parametrize(
    ("error", "detail"),
    [
        (
            MailboxFull("the mailbox of Organization('org_1') is full"),
            "too many requests for this wait already",
        ),
        (Overcrowded("100 actors of Organization are live"), "too much is in use at once"),
        (
            Quarantined("Organization('org_1')"),
            "this part of the service kept failing and is left alone for a while",
        ),
        (Draining("the system is shutting down"), "the service is shutting down"),
        (StoreFull("4096 units wait for the disk already"), "too much waits to be written or read already"),
        (StoreClosed("the store is closing"), "the service is shutting down"),
        (StoreFailed("/var/lib/svc.db: SELECT secret"), UNWRITTEN),
        (Unavailable("too many sign-ins at once"), "too many sign-ins at once"),
    ],
)
def test_what_is_inside_is_not_named_outside(error: Exception, detail: str):
    """Each kind of overload has words of its own for callers; none has names, paths or SQL in it."""
    answer = problem_for(error, b"1")

    problem: Any = httpx.Response(answer.status, content=bytes(answer.body)).json()
    assert (503, detail) == (problem["status"], problem["detail"])
