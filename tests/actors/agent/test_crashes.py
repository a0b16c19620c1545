"""A crash at any boundary of a run leaves all of a step or nothing; the next life goes on after it."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Literal

import msgspec
import pytest
import trio
from sqlalchemy import select

from svc.domain.ai.money import MICRO
from svc.domain.channels.messages import Sender
from svc.domain.identity.callers import Installation
from svc.storage import integrity
from svc.storage.agent import due
from svc.storage.ai import ledger
from svc.storage.ai import tables as ai_tables
from svc.storage.identity import accounts
from svc.storage.metadata import metadata
from svc.storage.store import Store, Tx
from svc.tools.agent.agents import SetAgent
from svc.tools.agent.agents import set_ as set_agent
from svc.tools.catalogue import REGISTRY
from svc.tools.inbox import messages as message_tools
from svc.tools.inbox.messages import WriteReply
from tests.agents import BEGINS, CATALOGUE, MODEL, Model
from tests.channels import a_connection, a_message
from tests.people import a_member, call_of
from tests.town import Town, town

TABLES = metadata.tables
Moment = Literal["before", "after"]


class Cut:
    """The store, of which one unit of an organization is the last: the process ends before or after it."""

    def __init__(self, store: Store, owner: str, unit: int, moment: Moment) -> None:
        self._store = store
        self._owner = owner
        self._left = unit
        self._moment = moment
        self.scope = trio.CancelScope()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def of(self, owner: str) -> Any:
        units = self._store.of(owner)
        if owner != self._owner:
            return units
        ways = {way: self._cut(getattr(units, way)) for way in ("write", "write_behind")}
        return SimpleNamespace(read=units.read, read_long=units.read_long, **ways)

    def _cut(self, run: Callable[..., Any]) -> Callable[..., Any]:
        async def write(fn: Any, *args: Any, **kwargs: Any) -> Any:
            self._left -= 1
            if self._left > 0:
                return await run(fn, *args, **kwargs)
            if self._left == 0 and self._moment == "after":
                await run(fn, *args, **kwargs)
            self.scope.cancel()
            # Settlements are shielded; a process that has ended does not wait for them.
            raise trio.ClosedResourceError

        return write


def says(asked: dict[str, Any]) -> Any:
    """What the model says, by what it is shown: it may be asked twice for the same."""
    messages = asked["messages"]
    told = [one for one in messages if one["role"] == "tool"]
    contact = messages[1]["content"]
    if not told:
        return [
            ("note_create", {"recordId": contact, "body": "wants to be forgotten"}),
            ("record_delete", {"id": contact}),
        ]
    return "A colleague looks at it." if len(told) == 2 else "What?"


def prepared(tx: Tx, organization_id: str) -> tuple[str, str]:
    """An agent with a note to write, a card to ask for, and a message to answer: the contact, the chat."""
    owner = a_member(tx, organization_id, "owner@example.com")
    ledger.grant(tx, organization_id, MICRO, "for tests")
    connection = a_connection(tx, organization_id)
    call = call_of(owner, organization_id)
    asked = SetAgent(
        connection_id=connection.id,
        enabled=True,
        model=MODEL,
        role="admin",
        tools=("note.create", "record.delete"),
    )
    set_agent(
        tx,
        msgspec.structs.replace(call, installation=Installation(registry=REGISTRY, models=CATALOGUE)),
        asked,
    )
    first = a_message(tx, connection, sender=Sender(name="Ada", phone="+4930123456"), text="x")
    contact = tx.conn.scalar(select(TABLES["conversations"].c.contact_id))
    tx.conn.execute(TABLES["messages"].update().values(text=contact))
    due.note_message(tx, connection.id, first.conversation)
    return str(contact), first.conversation


async def life(here: Town, model: Model, store: Any, scope: trio.CancelScope, seconds: float) -> None:
    """One life of the program, which ends without a drain."""
    here.models, here.upstreams = CATALOGUE, model
    kept, here.store = here.store, store
    try:
        with scope:
            async with here.live_system():
                await trio.sleep(seconds)
    except* trio.ClosedResourceError:
        pass
    finally:
        here.store = kept


async def crashed(unit: int, moment: Moment) -> tuple[bool, dict[str, Any]]:
    """Whether there was such a unit to crash at, and what two lives have left."""
    async with town() as here:
        await here.store.write(prepared, here.organization.id)
        model = Model(*[says] * 50)
        cut = Cut(here.store, here.organization.id, unit, moment)
        await life(here, model, cut, cut.scope, BEGINS)
        model.says = [says] * 50
        await life(here, model, here.store, trio.CancelScope(), 15)
        runs = await here.rows(TABLES["agent_runs"])
        left = {
            "runs": [run.state for run in runs],
            "notes": await here.count(TABLES["notes"]),
            "cards": await here.count(TABLES["approvals"]),
            "replies": await here.count(TABLES["replies"]),
            "deleted": await here.count(TABLES["records"], deleted_at=None),
            "open calls": await here.count(ai_tables.calls, ended_at=None),
            "events": await here.count(TABLES["events"], type="approval.created"),
            "broken": [
                one.promise
                for one in await here.store.read(lambda conn: [*integrity.check(conn)])
                if one.broken
            ],
        }
        return cut.scope.cancel_called, left


ONCE = {
    "runs": ["replied"],
    "notes": 1,
    "cards": 1,
    "replies": 1,
    "deleted": 1,
    "open calls": 0,
    "events": 1,
    "broken": [],
}


@pytest.mark.fuzz
@pytest.mark.parametrize("moment", ["before", "after"])
async def test_each_effect_is_there_once_wherever_it_crashes(autojump_clock, moment):
    """Before and after each unit of work of a run with a call, a card and a reply."""
    unit = 0
    cut = True
    while cut:
        unit += 1
        cut, left = await crashed(unit, moment)

        assert ONCE == left, unit

    assert unit > 8


class Meanwhile:
    """The store, where something else is done right before one unit of an organization."""

    def __init__(self, store: Store, owner: str, unit: int, act: Callable[[], Any]) -> None:
        self._store = store
        self._owner = owner
        self._left = unit
        self._act = act
        self.done = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def of(self, owner: str) -> Any:
        units = self._store.of(owner)
        if owner != self._owner:
            return units
        ways = {way: self._acting(getattr(units, way)) for way in ("write", "write_behind")}
        return SimpleNamespace(read=units.read, read_long=units.read_long, **ways)

    def _acting(self, run: Callable[..., Any]) -> Callable[..., Any]:
        async def write(fn: Any, *args: Any, **kwargs: Any) -> Any:
            self._left -= 1
            if self._left == 0:
                self.done = True
                await self._act()
            return await run(fn, *args, **kwargs)

        return write


async def interrupted(unit: int) -> tuple[bool, list[str | None], list[str]]:
    """Whether a member wrote before that unit; the authors of all messages, in order; the runs' states."""
    async with town() as here:
        await here.store.write(prepared, here.organization.id)
        [conversation] = await here.rows(TABLES["conversations"])

        def member_writes(tx: Tx) -> None:
            person = tx.conn.scalar(select(TABLES["people"].c.id))
            asked = WriteReply(conversation_id=conversation.id, text="It is me.")
            call = call_of(accounts.get(tx.conn, str(person)), here.organization.id)
            message_tools.reply(tx, call, asked)

        kept = here.store
        acting = Meanwhile(kept, here.organization.id, unit, lambda: kept.write(member_writes))
        await life(here, Model(*[says] * 50), acting, trio.CancelScope(), 2 * BEGINS)
        messages = await here.rows(TABLES["messages"])
        runs = await here.rows(TABLES["agent_runs"])
        return acting.done, [row.author_kind for row in messages], [run.state for run in runs]


@pytest.mark.fuzz
async def test_no_reply_of_an_agent_comes_after_a_persons(autojump_clock):
    """Whichever unit of a run a member writes before: the agent replies before them, or not at all."""
    unit = 0
    wrote = True
    seen = set()
    while wrote:
        unit += 1
        wrote, authors, states = await interrupted(unit)
        seen.add((tuple(authors), *states))

        assert authors in ([None, "agent"], [None, "member"], [None, "agent", "member"]), unit

    assert {
        ((None, "agent"), "replied"),
        ((None, "member"), "silenced"),
        ((None, "agent", "member"), "replied"),
    } == seen
