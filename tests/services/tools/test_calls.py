"""Calls that come together, and calls that wait while what they may do changes."""

import threading
from collections import Counter
from pathlib import Path
from typing import Any

import httpx
import pytest
import trio
import trio.testing

from svc.actors.identity.organization import Admission
from svc.clock import VirtualClock
from svc.domain.crypto.keys import digest
from svc.domain.errors import Forbidden, IdempotencyMismatch, NotFound, Unauthenticated
from svc.domain.identity.callers import Call, operator_call
from svc.domain.limits import CALLS_MAX
from svc.http.problems.problems import UNAUTHORIZED
from svc.services.tools import calls as tool_calls
from svc.storage import provisioning
from svc.storage.identity import api_keys, members
from svc.storage.identity.api_keys import NewKey
from svc.storage.identity.members import MemberChanges
from svc.storage.identity.organizations import NewOrganization
from svc.storage.sqlite.inline import create_tables
from svc.storage.sqlite.store import open_store
from svc.storage.store import Tx
from svc.tools import execution
from svc.tools.records import records
from svc.tools.records.records import CreateRecord, GetRecord
from svc.tools.tool import Tool, ToolInput
from tests import tables
from tests.people import a_member, call_of
from tests.tooling import ToolTown, tool_town
from tests.town import START, Town

ADA = {"objectType": "contact", "properties": {"name": "Ada"}}
CREATE = CreateRecord(object_type="contact", properties={"name": "Ada"})
AT_ONCE = 50


async def together(here: ToolTown, tool: str, body: Any, times: int, **asked: str) -> list[httpx.Response]:
    """The answers to so many calls that are made at the same time."""
    answers: list[httpx.Response] = []

    async def call() -> None:
        answers.append(await here.call(tool, body, **asked))

    async with trio.open_nursery() as nursery:
        for _ in range(times):
            nursery.start_soon(call)
    return answers


def a_call(admission: Admission) -> Call:
    return Call(caller=admission.caller, door="api", request_id="req-1")


async def test_of_many_at_once_under_one_idempotency_key_one_is_done(autojump_clock):
    """The others get its answer, or are asked to retry in a second, and then get it."""
    async with tool_town() as here:
        answers = await together(here, "record.create", ADA, AT_ONCE, idempotency_key="k-1")
        later = await here.call("record.create", ADA, idempotency_key="k-1")

        bodies = {one.content for one in answers if one.status_code == 200}
        first = [
            one for one in answers if one.status_code == 200 and "idempotent-replayed" not in one.headers
        ]
        early = [one for one in answers if one.status_code != 200]
        assert 1 == len(first)
        assert {later.content} == bodies
        assert "true" == later.headers["idempotent-replayed"]
        assert {(409, "idempotency_in_progress", "1")} >= {
            (one.status_code, one.json()["code"], one.headers["retry-after"]) for one in early
        }
        for table in (tables.records, tables.idempotency):
            assert 1 == await here.count(table)
        assert 1 == await here.count(tables.audit, action="record.create")
        assert 1 == await here.count(tables.events, type="record.created")


async def test_the_row_decides_which_call_is_the_first(autojump_clock):
    """Units under one key that share a transaction do one thing, and one with another body fails."""
    async with tool_town() as here:
        call = a_call(await tool_calls.admit_key(here.system, here.key))
        done: list[Any] = []

        async def write(asked: ToolInput) -> None:
            try:
                done.append(await here.store.write(execution.write, records.create, call, asked, "k-1"))
            except IdempotencyMismatch as error:
                done.append(type(error))

        other = CreateRecord(object_type="contact", properties={"name": "Bob"})
        async with trio.open_nursery() as nursery:
            for _ in range(AT_ONCE):
                nursery.start_soon(write, CREATE)
            nursery.start_soon(write, other)

        kinds = Counter(getattr(one, "replayed", one) for one in done)
        assert AT_ONCE + 1 == kinds.total()
        assert 1 == kinds[False]
        assert 1 == await here.count(tables.records)


async def test_a_key_belongs_to_its_tool_and_its_caller(autojump_clock):
    """The same idempotency key of another API key is another call."""
    async with tool_town() as here:
        answers = [
            await here.call("record.create", ADA, key=key, idempotency_key="k-1")
            for key in (here.key, await here.mint())
        ]

        assert [200, 200] == [one.status_code for one in answers]
        assert 2 == await here.count(tables.records)


async def test_a_person_has_an_idempotency_key_in_each_organization(autojump_clock):
    """A repeat in one organization is not answered with what was made in another."""
    async with tool_town() as here:
        other = await here.store.write(provisioning.create, NewOrganization(name="Another"))
        await here.store.write(members.add, operator_call(other.id), here.owner.id, "owner")
        csrf = await here.sign_in()
        answers = [
            await here.call_as_person(
                "record.create", ADA, csrf=csrf, idempotency_key="k-1", x_organization_id=organization_id
            )
            for organization_id in (here.organization.id, other.id) * 2
        ]

        assert [False, False, True, True] == ["idempotent-replayed" in one.headers for one in answers]
        assert [one.content for one in answers[:2]] == [one.content for one in answers[2:]]
        assert {here.organization.id, other.id} == {
            one.organization_id for one in await here.rows(tables.records)
        }


async def test_no_more_calls_than_the_budget_has_at_once(autojump_clock):
    """Of many at the same moment exactly so many are let through, another key's beside them not counted."""
    async with tool_town() as here:
        other = await here.mint()
        outcomes: Counter[tuple[int, str]] = Counter()
        for _ in range(CALLS_MAX // AT_ONCE + 2):
            for answer in await together(here, "no.such_tool", None, AT_ONCE):
                outcomes[answer.status_code, answer.headers["ratelimit-remaining"]] += 1
        beside = await here.call("no.such_tool", key=other)

        assert {(404, str(left)): 1 for left in range(CALLS_MAX)} | {(429, "0"): 2 * AT_ONCE} == outcomes
        assert str(CALLS_MAX - 1) == beside.headers["ratelimit-remaining"]


async def revoke(here: ToolTown) -> None:
    [key] = await here.rows(tables.api_keys, digest=digest(here.key))
    await here.store.write(api_keys.revoke, call_of(here.owner), key.id)


async def weaken(here: ToolTown) -> None:
    other = await here.member("other@example.com", "owner")
    await here.store.write(members.update, call_of(other), here.owner.id, MemberChanges(role_id="viewer"))


async def freeze(here: ToolTown) -> None:
    other = await here.member("other@example.com", "owner")
    await here.store.write(members.update, call_of(other), here.owner.id, MemberChanges(status="frozen"))


WAYS = [(revoke, Unauthenticated), (weaken, Forbidden), (freeze, Unauthenticated)]


async def test_a_write_that_waits_for_the_disk_is_judged_by_the_change(tmp_path: Path):
    """A unit that stood in the store's queue before its key was revoked, and runs after that, is refused."""
    clock = VirtualClock(START)
    held, free = trio.Event(), threading.Event()
    outcomes: list[type[Exception]] = []

    def hold(_tx: Tx) -> None:
        trio.from_thread.run_sync(held.set, trio_token=token)
        assert free.wait(10)

    async with open_store(tmp_path / "svc.db", clock, prepare=create_tables, batch_max=1) as store:
        token = trio.lowlevel.current_trio_token()
        here = Town(store, clock, await store.write(provisioning.create, NewOrganization(name="Lamps")))
        owner = await store.write(a_member, here.organization.id, "owner@example.com")
        asker = call_of(owner, confirmed_at=clock.now())
        minted = await store.write(api_keys.mint, asker, NewKey(name="A key"))
        async with here.live_system() as system, trio.open_nursery() as nursery:
            call = a_call(await tool_calls.admit_key(system, minted.key))

            async def write() -> None:
                with pytest.raises(Unauthenticated) as refused:
                    await tool_calls.run(system, records.create, call, CREATE, "k-1")
                outcomes.append(refused.type)

            nursery.start_soon(store.write, hold)
            await held.wait()
            units = store.of(here.organization.id)
            nursery.start_soon(units.write, api_keys.revoke, asker, minted.id)
            await trio.testing.wait_all_tasks_blocked()
            nursery.start_soon(write)
            await trio.testing.wait_all_tasks_blocked()
            free.set()

        assert [Unauthenticated] == outcomes
        assert 0 == await here.count(tables.records)
        assert 0 == await here.count(tables.idempotency)


@pytest.mark.parametrize(("change", "refusal"), WAYS)
@pytest.mark.parametrize(
    ("tool", "asked"),
    [(records.create, CREATE), (records.get, GetRecord(object_type="contact", id="rec_1"))],
    ids=["write", "read"],
)
async def test_a_call_that_was_let_in_is_judged_as_it_runs(
    change: Any, refusal: type[Exception], tool: Tool[Any, Any], asked: ToolInput, autojump_clock
):
    """Between the two lies the reading of its body."""
    async with tool_town() as here:
        call = a_call(await tool_calls.admit_key(here.system, here.key))
        await change(here)
        outcome: Any = None
        try:
            await tool_calls.run(here.system, tool, call, asked)
        except Exception as error:  # noqa: BLE001  # which one is what the test is about
            outcome = type(error)

        may_read = change is weaken and tool is records.get
        assert (NotFound if may_read else refusal) is outcome
        assert 0 == await here.count(tables.records)


async def test_a_body_on_its_way_buys_a_revoked_key_no_time(autojump_clock):
    """An admitted call whose body comes after the key was revoked gets the 401 of all others."""
    async with tool_town() as here:

        async def body() -> Any:
            yield b'{"objectType":"contact",'
            await revoke(here)
            yield b'"properties":{"name":"Ada"}}'

        answer = await here.client.post(
            "/api/v1/tools/record.create",
            content=body(),
            headers={"authorization": f"Bearer {here.key}", "content-type": "application/json"},
        )
        unknown = await here.call("record.create", ADA, key="svck_unknown")

        assert (401, UNAUTHORIZED.body) == (answer.status_code, answer.content)
        assert [*unknown.headers] == [*answer.headers]
        assert 0 == await here.count(tables.records)


async def test_other_changes_of_access_stop_no_call(autojump_clock):
    """A call that waits while a member joins, or another key is made, goes on."""
    async with tool_town() as here:
        call = a_call(await tool_calls.admit_key(here.system, here.key))
        await here.mint()
        await here.member("other@example.com", "viewer")
        await tool_calls.run(here.system, records.create, call, CREATE)

        assert 1 == await here.count(tables.records)


async def test_a_refusal_of_what_waited_is_in_the_trail(autojump_clock):
    """As it would be of a call that came later."""
    async with tool_town() as here:
        call = a_call(await tool_calls.admit_key(here.system, here.key))
        await weaken(here)
        with pytest.raises(Forbidden):
            await tool_calls.run(here.system, records.create, call, CREATE)

        [refused] = await here.rows(tables.audit, outcome="refused")
        assert ("record.create", "forbidden") == (refused.action, refused.reason)
