"""Every door that takes an idempotency key: its effect and the row that answers a repeat are one unit.

A crash between the two is tried by letting either fail: then neither is there, and the call can come again.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import httpx
import pytest
import trio
from sqlalchemy import Connection, Table, select

from svc.storage.metadata import metadata
from tests.channels import ChannelTown, channel_town
from tests.tooling import ToolTown, tool_town
from tests.town import Town

SETTLED_SECONDS = 10
"""Until all that was begun by itself, such as a filing, is done."""


class Door(NamedTuple):
    """A call that has an effect, and what it writes its effect to."""

    name: str
    body: Callable[[Any], Awaitable[dict[str, Any]]]
    effect: str


async def _message(_: ChannelTown) -> dict[str, Any]:
    return {"conversationId": "chat-9", "messageId": "m-1", "direction": "in", "text": "Hi"}


async def _identification(_: ChannelTown) -> dict[str, Any]:
    return {"conversationId": "chat-9", "evidence": [{"kind": "email", "value": "ada@example.com"}]}


async def _status(here: ChannelTown) -> dict[str, Any]:
    await here.write_reply()
    [reply] = await here.pull()
    return {"replyId": reply["replyId"], "status": "sent"}


async def _pull(here: ChannelTown) -> dict[str, Any]:
    await here.write_reply()
    return {"limit": 1}


async def _long_poll(here: ChannelTown) -> dict[str, Any]:
    await here.write_reply()
    return {"limit": 1, "waitSeconds": 20}


async def _health(_: ChannelTown) -> dict[str, Any]:
    return {"state": "offline", "reason": "network"}


async def _contact(_: ToolTown) -> dict[str, Any]:
    return {"objectType": "contact", "properties": {"name": "Ada"}}


async def _change(here: ToolTown) -> dict[str, Any]:
    made = await here.answer("record.create", await _contact(here))
    return {"objectType": "contact", "id": made["id"], "properties": {"name": "Bob"}}


async def _form(_: ToolTown) -> dict[str, Any]:
    return {"name": "Contact us"}


async def _site(_: ToolTown) -> dict[str, Any]:
    return {"domain": "lamps.example"}


CHANNEL_DOORS = [
    Door("channel.message.receive", _message, "INSERT ON messages"),
    Door("channel.conversation.identify", _identification, "INSERT ON conversations"),
    Door("channel.message.status", _status, "UPDATE ON replies"),
    Door("channel.outbox.pull", _pull, "UPDATE ON replies"),
    Door("channel.outbox.pull", _long_poll, "UPDATE ON replies"),
    Door("channel.connection.report", _health, "UPDATE ON connections"),
]
TOOLS = [
    Door("record.create", _contact, "INSERT ON records"),
    Door("record.update", _change, "UPDATE ON records"),
    Door("form.create", _form, "INSERT ON forms"),
    Door("site.create", _site, "INSERT ON sites"),
]
Ask = Callable[..., Awaitable[httpx.Response]]


@asynccontextmanager
async def at_door(door: Door) -> AsyncIterator[tuple[Town, Ask]]:
    """A town and how to call *door* in it: a tool, or one of a bridge's."""
    if door in TOOLS:
        async with tool_town() as tools:
            await tools.answer("record.search", {"query": "ada"})  # its key is noted as used for a minute
            yield tools, tools.call
    else:
        async with channel_town() as channels:
            await channels.pull()  # and so is a channel key
            yield channels, channels.ask


@asynccontextmanager
async def failing(here: Town, effect: str) -> AsyncIterator[None]:
    """Whatever does *effect* loses its unit of work."""
    await _run(
        here, f"CREATE TRIGGER fails BEFORE {effect} BEGIN SELECT RAISE(ROLLBACK, 'the disk is full'); END"
    )
    try:
        yield
    finally:
        await _run(here, "DROP TRIGGER fails")


async def _run(here: Town, statement: str) -> None:
    await here.store.write(lambda tx: tx.conn.exec_driver_sql(statement))


async def everything(here: Town) -> dict[str, list[Any]]:
    """All rows of all tables, but how often keys were used."""

    def read(conn: Connection) -> dict[str, list[Any]]:
        return {
            table.name: [tuple(row) for row in conn.execute(select(*_columns(table)))]
            for table in metadata.sorted_tables
        }

    await trio.sleep(SETTLED_SECONDS)
    return await here.store.read(read)


def _columns(table: Table) -> list[Any]:
    return [column for column in table.columns if column.name != "last_used_at"]


@pytest.mark.parametrize("door", [*CHANNEL_DOORS, *TOOLS], ids=lambda door: door.body.__name__[1:])
@pytest.mark.parametrize("what", ["the row", "the effect"])
async def test_neither_is_there_without_the_other(door: Door, what: str, autojump_clock):
    """Where one of them fails nothing is changed; what comes again is the first call, and then a repeat."""
    async with at_door(door) as (here, ask):
        body = await door.body(here)
        before = await everything(here)
        async with failing(here, "INSERT ON idempotency" if what == "the row" else door.effect):
            failed = await ask(door.name, body, idempotency_key="k-1")
            after = await everything(here)
        first = await ask(door.name, body, idempotency_key="k-1")
        done = await everything(here)
        again = await ask(door.name, body, idempotency_key="k-1")

        assert 503 == failed.status_code
        assert before == after
        assert (200, False) == (first.status_code, "idempotent-replayed" in first.headers)
        assert (first.content, "true") == (again.content, again.headers.get("idempotent-replayed"))
        assert done == await everything(here)
        assert [1] == [len(rows) for name, rows in done.items() if name == "idempotency"]
        assert before != done


@pytest.mark.parametrize("door", [*CHANNEL_DOORS, *TOOLS], ids=lambda door: door.body.__name__[1:])
async def test_a_call_is_one_unit_of_work(door: Door, autojump_clock):
    """There is no moment between two of them at which a crash could come."""
    async with at_door(door) as (here, ask):
        body = await door.body(here)
        await trio.sleep(SETTLED_SECONDS)
        units = here.store.statistics().units
        answered = await ask(door.name, body, idempotency_key="k-1")

        assert (200, 1) == (answered.status_code, here.store.statistics().units - units)
