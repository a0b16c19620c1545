"""`event.list`: the order, the rights, the cursor, and waiting for what comes."""

from collections.abc import Callable
from typing import Any, get_args

import httpx
import pytest
import trio
import trio.testing

from svc.domain.events import EventType
from svc.domain.identity.callers import operator_call
from svc.domain.identity.roles import Permission
from svc.domain.limits import POLLS_WAITING_MAX
from svc.domain.webhooks.rights import event_needs
from svc.http.app import public_app
from svc.http.problems.problems import UNAUTHORIZED
from svc.services.tools import calls as tool_calls
from svc.storage import provisioning
from svc.storage.events import events
from svc.storage.identity import api_keys, members, roles
from svc.storage.identity.organizations import NewOrganization
from svc.tools.webhooks.payloads import EXAMPLES
from tests import tables
from tests.dispatching import dispatch
from tests.events import free_event
from tests.http.serving import in_memory, post
from tests.mcp.asking import mcp_town
from tests.people import call_of
from tests.pruning import prune
from tests.tooling import ToolTown, tool_town

ADA = {"objectType": "contact", "properties": {"name": "Ada"}}
API = {"kind": "api", "id": "key_1", "personId": "usr_1"}


async def happen(here: ToolTown, *types: str) -> None:
    """Record and dispatch an event of each of the *types*."""
    data = {"workflowId": "wfl_1", "approvalId": "apr_1"}
    happened = [free_event(type_, "rec_1", API, data) for type_ in types]  # type: ignore[arg-type]
    await here.store.write(events.record, here.organization.id, happened)
    await dispatch(here)


async def key_with(here: ToolTown, *permissions: Permission) -> str:
    """A key of a role with these permissions."""
    role = await here.store.write(roles.create, call_of(here.owner), f"Role {permissions}", [*permissions])
    return await here.mint(role_id=role.id)


def types(answer: Any) -> list[str]:
    return [event["type"] for event in answer["events"]]


async def test_a_program_reads_on_where_it_was(autojump_clock):
    """It gets each event once, as it was recorded; the cursor of the end goes on with what comes later."""
    async with tool_town() as here:
        made = await here.answer("record.create", ADA)
        await here.answer("record.create", ADA)
        await dispatch(here)
        first = await here.answer("event.list", {"limit": 1})
        second = await here.answer("event.list", {"cursor": first["nextCursor"]})
        nothing = await here.answer("event.list", {"cursor": second["nextCursor"]})
        await here.answer("record.update", {"id": made["id"], "properties": {"city": "Bonn"}})
        await dispatch(here)
        third = await here.answer("event.list", {"cursor": nothing["nextCursor"]})

        [event], [row, *_] = first["events"], await here.rows(tables.events)
        assert (row.id, "record.created", here.organization.id, made["id"]) == (
            event["id"],
            event["type"],
            event["organizationId"],
            event["data"]["recordId"],
        )
        assert {"id", "type", "timestamp", "organizationId", "data"} == event.keys()
        assert "api" == event["data"]["source"]["kind"]
        assert [["record.created"], [], ["record.updated"]] == [
            types(one) for one in (second, nothing, third)
        ]


async def test_a_list_begins_with_a_time(autojump_clock):
    """Whatever was before is left out; beside a cursor the time is a fault."""
    async with tool_town() as here:
        await happen(here, "record.created")
        here.clock.jump(60_000)
        await happen(here, "record.updated")
        late = await here.answer("event.list", {"since": "2026-09-18T00:00:30Z"})
        both = await here.call("event.list", {"since": "2026-09-18T00:00:30Z", "cursor": late["nextCursor"]})

        assert ["record.updated"] == types(late)
        assert [("/since", "invalid_value")] == [
            (one["pointer"], one["code"]) for one in both.json()["errors"]
        ]


async def test_a_caller_sees_what_it_may_see(autojump_clock):
    """Of each kind of event only with its own permission: none is listed, and to ask for one is refused."""
    kinds = get_args(EventType)
    async with tool_town() as here:
        await happen(here, *kinds)
        seen: dict[str, set[str]] = {}
        refused: dict[str, set[tuple[int, str]]] = {}
        for permission in ("records.read", "forms", "conversations", "channels", "workflows", "ai"):
            key = await key_with(here, "webhooks", permission)
            seen[permission] = set(types(await here.answer("event.list", key=key)))
            answers = {kind: await here.call("event.list", {"types": [kind]}, key=key) for kind in kinds}
            refused[permission] = {kind for kind, one in answers.items() if one.status_code == 403}
        alone = await here.answer("event.list", key=await key_with(here, "webhooks"))
        viewer = await here.call("event.list", key=await here.mint(role_id="viewer"))

        assert {
            "records.read": {"record.created", "record.updated", "record.deleted"},
            "forms": {"submission.filed", "submission.held"},
            "conversations": {
                "message.received",
                "message.status",
                "conversation.created",
                "conversation.handed_over",
            },
            "channels": {"connection.state"},
            "workflows": {"workflow.run_failed"},
            "ai": set(),
        } == seen
        assert {permission: {*kinds} - kinds_seen for permission, kinds_seen in seen.items()} == refused
        assert ([], 403) == (alone["events"], viewer.status_code)
        assert "event.list needs the permission webhooks" == viewer.json()["detail"]


def test_every_event_has_a_permission_and_an_example():
    """So that a new type is not seen by everybody, and not described nowhere."""
    kinds = get_args(EventType)

    assert all(event_needs(kind) for kind in kinds)
    assert {*kinds, "ping", "workflow.call"} == EXAMPLES.keys()


async def test_an_unknown_type_or_object_is_told_with_the_nearest(autojump_clock):
    """Each at its place."""
    async with tool_town() as here:
        asked = {"types": ["record.create"], "objectTypes": ["contact"]}
        answers = [
            await here.call("event.list", body) for body in (asked, {"objectTypes": ["contact", "contacts"]})
        ]

        faults = [(one["pointer"], one["detail"]) for answer in answers for one in answer.json()["errors"]]
        assert ["/types/0", "/objectTypes/1"] == [pointer for pointer, _ in faults]
        assert "did you mean `record.created`" in faults[0][1]
        assert faults[1][1].startswith("there is no object `contacts`; did you mean `contact`? There are")


async def test_objects_narrow_the_events_of_records_alone(autojump_clock):
    """A deal is left out; a submission has no object."""
    async with tool_town() as here:
        for kind in ("contact", "deal"):
            await here.answer("record.create", ADA | {"objectType": kind})
        await happen(here, "submission.held")
        found = await here.answer("event.list", {"objectTypes": ["deal"]})

        assert ["deal", None] == [one["data"].get("objectType") for one in found["events"]]


async def test_a_cursor_older_than_what_is_kept_is_gone(autojump_clock):
    """With 410: the reader has missed something, and must know."""
    async with tool_town() as here:
        start = await here.answer("event.list")
        await happen(here, "record.created")
        await happen(here, "record.updated")
        await here.store.write(prune, 0)
        answer = await here.call("event.list", {"cursor": start["nextCursor"]})

        assert (410, "gone") == (answer.status_code, answer.json()["code"])
        assert "ask again from the start" in answer.json()["detail"]
        assert "sunset" not in answer.headers


async def waiting(here: ToolTown, body: Any, do: Callable[[], Any]) -> tuple[httpx.Response, float]:
    """The answer to a long poll, and after how many seconds; *do* happens 7 seconds after it was sent."""
    answers: list[tuple[httpx.Response, float]] = []
    began = trio.current_time()

    async def ask() -> None:
        answer = await here.call("event.list", {"waitSeconds": 20} | body)
        answers.append((answer, trio.current_time() - began))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(ask)
        await trio.sleep(7)
        await do()
    return answers[0]


async def test_a_waiting_reader_is_answered_at_once(autojump_clock):
    """With the event that was dispatched, and not when its time is over."""
    async with tool_town() as here:
        answer, seconds = await waiting(here, {}, lambda: happen(here, "record.created"))

        assert (["record.created"], 7) == (types(answer.json()), seconds)


async def test_a_reader_waits_on_where_others_happen(autojump_clock):
    """Events of other types do not end its wait; in the end it has none, and a cursor behind those."""
    async with tool_town() as here:
        body = {"types": ["record.deleted"]}
        answer, seconds = await waiting(here, body, lambda: happen(here, "record.created", "submission.held"))
        behind = await here.answer("event.list", {"cursor": answer.json()["nextCursor"]})

        assert ([], 20, []) == (answer.json()["events"], seconds, behind["events"])


async def test_what_happens_between_reading_and_waiting_is_seen(autojump_clock, monkeypatch):
    """A dispatch after the first look, and before the wakeup is registered, is answered without a wait."""
    async with tool_town() as here:
        read, looks = tool_calls._read, 0

        async def late(*args: Any) -> Any:
            nonlocal looks
            found = await read(*args)
            looks += 1
            if looks == 1:
                await happen(here, "record.created")
            return found

        monkeypatch.setattr(tool_calls, "_read", late)
        began = trio.current_time()
        answer = await here.answer("event.list", {"waitSeconds": 20})

        assert (["record.created"], began) == (types(answer), trio.current_time())


async def test_another_organizations_events_wake_nobody(autojump_clock):
    """Nor are they seen."""
    async with tool_town() as here:
        other = here.system.wakeups
        answer, seconds = await waiting(here, {}, lambda: _notify(other))

        assert ([], 20) == (answer.json()["events"], seconds)


async def _notify(wakeups: Any) -> None:
    wakeups.notify("org_other")


async def test_a_key_that_is_revoked_while_it_waits_sees_nothing_more(autojump_clock):
    """Its wait ends with the event, and it gets the 401 of all others."""
    async with tool_town() as here:
        [key] = await here.rows(tables.api_keys)

        async def revoke() -> None:
            await here.store.write(api_keys.revoke, call_of(here.owner), key.id)
            await happen(here, "record.created")

        answer, seconds = await waiting(here, {}, revoke)

        assert (401, 7) == (answer.status_code, seconds)


async def test_only_so_many_readers_wait(autojump_clock):
    """One more is answered without waiting, and the others are not disturbed."""
    async with tool_town() as here, trio.open_nursery() as nursery:
        for _ in range(POLLS_WAITING_MAX):
            nursery.start_soon(here.call, "event.list", {"waitSeconds": 20})
        await trio.testing.wait_all_tasks_blocked()
        began = trio.current_time()
        await here.answer("event.list", {"waitSeconds": 20})

        assert began == trio.current_time()
        assert POLLS_WAITING_MAX == here.system.wakeups.waiting(here.organization.id)


async def test_waiting_readers_end_with_the_service(autojump_clock):
    """A reader that only waits does not delay a stop."""
    async with tool_town() as here, trio.open_nursery() as nursery:
        nursery.start_soon(here.call, "event.list", {"waitSeconds": 20})
        await trio.testing.wait_all_tasks_blocked()
        began = trio.current_time()
        here.system.wakeups.close()
        await trio.testing.wait_all_tasks_blocked()

        assert 0 == here.system.wakeups.waiting(here.organization.id)
        assert began == trio.current_time()


async def test_a_reader_that_leaves_is_not_waited_for(autojump_clock):
    """Its place is free at once, so that programs that come and go do not use them up."""
    async with tool_town() as here, in_memory(public_app(here.system)) as server:
        client = server.dial()
        headers = (b"Authorization: Bearer " + here.key.encode(), b"Content-Type: application/json")
        await client.send(post(b'{"waitSeconds": 20}', *headers, path=b"/api/v1/tools/event.list"))
        await trio.testing.wait_all_tasks_blocked()
        began = trio.current_time()
        waiting = [here.system.wakeups.waiting(here.organization.id)]
        await client.stream.aclose()
        await trio.testing.wait_all_tasks_blocked()
        waiting.append(here.system.wakeups.waiting(here.organization.id))

        assert ([1, 0], began) == (waiting, trio.current_time())


async def test_a_model_waits_for_events_too(autojump_clock):
    """Over MCP the tool is the same; what it may not see it is told in words."""
    async with mcp_town() as here, trio.open_nursery() as nursery:
        found: list[Any] = []

        async def ask() -> None:
            found.append(await here.use("event_list", {"waitSeconds": 20}, full=True))

        nursery.start_soon(ask)
        await trio.sleep(3)
        await happen(here, "record.created")
        await trio.testing.wait_all_tasks_blocked()
        key = await key_with(here, "webhooks")
        refused = await here.use("event_list", {"types": ["record.created"]}, full=True, key=key)

        assert ["record.created"] == types(found[0]["structuredContent"])
        assert refused["isError"]
        assert "events record.created need the permission records.read, too" in refused["content"][0]["text"]


@pytest.mark.parametrize("seconds", [-1, 21])
async def test_the_wait_has_a_limit(seconds: int, autojump_clock):
    """With its place."""
    async with tool_town() as here:
        answer = await here.call("event.list", {"waitSeconds": seconds})

        assert (422, "/waitSeconds") == (answer.status_code, answer.json()["errors"][0]["pointer"])


async def test_no_other_credential_lists_events(autojump_clock):
    """Not the keys of channels, forms, servers and embeds, and not a gateway key: each opens its own door."""
    async with tool_town() as here:
        await happen(here, "record.created", "message.received")
        csrf = await here.sign_in()
        connection = await here.answer_to_person(
            "connection.create", {"name": "Shop", "messenger": "other", "delivery": "pull"}, csrf=csrf
        )
        form = await here.answer("form.create", {"name": "Contact"})
        server = await here.answer_to_person("serverkey.mint", {"name": "Shop"}, csrf=csrf)
        embed = await here.answer("embed.create", {"name": "Lamps"})
        keys = [connection["channelKey"], form["formKey"], server["key"], embed["embedKey"]]
        answers = [await here.call("event.list", key=key) for key in keys]
        gateway = await here.call("event.list", key=await here.mint(limited_to="ai.gateway"))
        door = await here.client.get(f"/api/e/{embed['embedKey']}")

        assert {(401, UNAUTHORIZED.body)} == {(one.status_code, one.content) for one in answers}
        assert (403, "forbidden") == (gateway.status_code, gateway.json()["code"])
        assert "evt_" not in door.text


async def test_another_organizations_events_are_not_seen(autojump_clock):
    """A cursor is a place, and no permission; one that leads past all events is told, and not waited for."""
    async with tool_town() as here:
        other = await here.store.write(provisioning.create, NewOrganization(name="Other"))
        await here.store.write(members.add, operator_call(other.id), here.owner.id, "owner")
        await happen(here, "record.created")
        mine = await here.answer("event.list")
        csrf = await here.sign_in()
        theirs, by_mine = [
            await here.call_as_person("event.list", body, csrf=csrf, x_organization_id=other.id)
            for body in ({}, {"cursor": mine["nextCursor"]})
        ]

        assert [] == theirs.json()["events"]
        assert (410, "gone") == (by_mine.status_code, by_mine.json()["code"])
