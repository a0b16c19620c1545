"""`audit.list`: the trail of what was done and refused, and by whom."""

from typing import Any

import pytest

from svc.domain.identity.callers import operator_call
from svc.domain.locale.times import HOUR_MS, MINUTE_MS, rfc3339
from svc.storage import audit, provisioning
from svc.storage.identity.organizations import NewOrganization
from tests import tables
from tests.people import call_of
from tests.tooling import ToolTown, tool_town
from tests.town import START

ADA = {"objectType": "contact", "properties": {"name": "Ada"}}


async def test_a_write_is_in_the_trail_once(autojump_clock):
    """By whom, through which door, what, to what, under which request id; a mere repeat is not."""
    async with tool_town() as here:
        answers = [await here.call("record.create", ADA, idempotency_key="k") for _ in range(2)]
        [entry] = (await here.answer("audit.list", {"action": "record.create"}))["entries"]
        [key] = (await here.answer("apikey.list"))["apiKeys"]

        assert {
            "id": entry["id"],
            "at": rfc3339(START),
            "callerKind": "key",
            "callerId": key["id"],
            "personId": here.owner.id,
            "door": "api",
            "action": "record.create",
            "target": answers[0].json()["id"],
            "outcome": "done",
            "reason": None,
            "requestId": answers[0].headers["x-request-id"],
            "askedBy": None,
        } == entry


async def test_every_change_of_people_and_keys_is_in_the_trail_once(autojump_clock):
    """Under the tool's own name, with the id that it was done to."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        person = await here.member("p@example.com", "viewer")
        done: list[tuple[str, str]] = []

        async def do(tool: str, **asked: Any) -> str:
            target: str = (await here.answer_to_person(tool, asked, csrf=csrf))["id"]
            done.append((tool, target))
            return target

        role = await do("role.create", name="A", permissions=[])
        await do("role.update", id=role, name="B")
        await do("role.delete", id=role)
        team = await do("team.create", name="A")
        await do("team.update", id=team, name="B")
        await do("member.invite", email="new@example.com", role="viewer")
        await do("member.update", id=person.id, status="frozen")
        await do("member.deactivate", id=person.id)
        key = await do("apikey.mint", name="A")
        await do("apikey.revoke", id=key)
        server_key = await do("serverkey.mint", name="A")
        await do("serverkey.revoke", id=server_key)
        await do("organization.update", name="B")

        entries = (await here.answer("audit.list", {"personId": here.owner.id}))["entries"]
        assert done[::-1] == [(one["action"], one["target"]) for one in entries]
        assert {("person", "app", "done")} == {
            (one["callerKind"], one["door"], one["outcome"]) for one in entries
        }


async def filled(here: ToolTown) -> None:
    """Six refusals of the Owner's, a minute apart, of two actions and to three targets."""
    for number in range(6):
        action = ("record.update", "record.merge")[number % 2]
        await here.store.write(
            audit.note_refusal, call_of(here.owner), action, "forbidden", f"rec_{number // 2}"
        )
        here.clock.jump(MINUTE_MS)


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"outcome": "refused"}, [5, 4, 3, 2, 1, 0]),
        ({"outcome": "refused", "action": "record.update"}, [4, 2, 0]),
        ({"target": "rec_1"}, [3, 2]),
        ({"target": "rec_1", "action": "record.merge"}, [3]),
        ({"outcome": "done", "target": "rec_1"}, []),
        ({"personId": "{owner}", "outcome": "refused"}, [5, 4, 3, 2, 1, 0]),
        ({"personId": "usr_none"}, []),
        ({"callerId": "{owner}", "target": "rec_0"}, [1, 0]),
        ({"callerId": "key_none"}, []),
        ({"since": "2026-09-18T00:04:00Z", "personId": "{owner}"}, [5, 4]),
        ({"since": "2026-09-18T02:04:00+02:00", "personId": "{owner}"}, [5, 4]),
        ({"since": "2026-09-18T00:03:59.999Z", "until": "2026-09-18T00:04:00Z"}, []),
        ({"until": "2026-09-18T00:02:00.000Z", "personId": "{owner}"}, [1, 0]),
        ({"since": "2026-09-18T00:01:00Z", "until": "2026-09-18T00:03:00Z"}, [2, 1]),
        ({"since": "0001-01-01T00:00:00Z", "until": "9999-12-31T23:59:59Z", "target": "rec_2"}, [5, 4]),
        ({"until": "1970-01-01T00:00:00Z"}, []),
    ],
)
async def test_what_is_asked_must_all_hold(asked: dict[str, Any], found: list[int], autojump_clock):
    """Who, what, to what, with which outcome, from when until when."""
    async with tool_town() as here:
        await filled(here)
        body = {name: here.owner.id if value == "{owner}" else value for name, value in asked.items()}
        listed = (await here.answer("audit.list", body))["entries"]

        assert [rfc3339(START + number * MINUTE_MS) for number in found] == [one["at"] for one in listed]


async def test_pages_follow_one_another(autojump_clock):
    """The newest first, each once, whatever is written meanwhile; a cursor is its own question's."""
    async with tool_town() as here:
        await filled(here)
        asked = {"personId": here.owner.id, "limit": 2}
        seen, cursor = [], None
        for _ in range(3):
            page = await here.answer("audit.list", asked | {"cursor": cursor})
            seen += [one["at"] for one in page["entries"]]
            cursor = page["nextCursor"]
            await here.store.write(audit.note_refusal, call_of(here.owner), "x", "forbidden")
        refused = await here.call("audit.list", {"cursor": page["nextCursor"] or "x"})

        assert [rfc3339(START + number * MINUTE_MS) for number in (5, 4, 3, 2, 1, 0)] == seen
        assert cursor is None
        assert (422, ["/cursor"]) == (
            refused.status_code,
            [fault["pointer"] for fault in refused.json()["errors"]],
        )


@pytest.mark.parametrize(
    ("asked", "pointer"),
    [
        ({"since": "yesterday"}, "/since"),
        ({"since": "2026-09-18T00:00:00"}, "/since"),
        ({"until": 1}, "/until"),
        ({"outcome": "maybe"}, "/outcome"),
        ({"limit": 0}, "/limit"),
        ({"limit": 201}, "/limit"),
        ({"cursor": "YQ"}, "/cursor"),
        ({"who": "me"}, "/who"),
    ],
)
async def test_what_makes_no_sense_is_refused(asked: dict[str, Any], pointer: str, autojump_clock):
    """With a pointer to it."""
    async with tool_town() as here:
        refused = await here.call("audit.list", asked)

        assert (422, [pointer]) == (
            refused.status_code,
            [fault["pointer"] for fault in refused.json()["errors"]],
        )


async def test_an_entry_is_found_by_its_own_time(autojump_clock):
    """Also where its id is of a later one, as after the clock was set back."""
    async with tool_town() as here:
        await filled(here)
        here.clock.jump(-HOUR_MS)
        await here.store.write(audit.note_refusal, call_of(here.owner), "late", "forbidden")
        at = here.clock.now()
        asked = {"since": rfc3339(at), "until": rfc3339(at + 1)}

        assert ["late"] == [one["action"] for one in (await here.answer("audit.list", asked))["entries"]]


async def test_the_trail_is_its_organizations_own(autojump_clock):
    """And needs the permission `security`."""
    async with tool_town() as here:
        await filled(here)
        viewer = await here.call("audit.list", key=await here.mint(role_id="viewer"))

        assert (403, "forbidden") == (viewer.status_code, viewer.json()["code"])


async def test_the_actions_of_all_time_are_answered(autojump_clock):
    """Whatever the list is narrowed to: those that were refused, too, and each once; nobody else's."""
    async with tool_town() as here:
        for _ in range(2):
            await here.call("record.create", ADA)
        csrf = await here.sign_in()
        await here.answer_to_person("team.create", {"name": "A"}, csrf=csrf)
        await here.call("apikey.mint", {"name": "No"})  # refused to a key
        other = await here.store.write(provisioning.create, NewOrganization(name="Other"))
        await here.store.write(audit.note, operator_call(other.id), "site.create", "sit_1")
        listed = await here.answer("audit.list", {"actions": True, "action": "team.create", "limit": 1})
        plain = await here.answer("audit.list", {"limit": 1})

        assert ["team.create"] == [entry["action"] for entry in listed["entries"]]
        assert (
            sorted(
                {row.action for row in await here.rows(tables.audit, organization_id=here.organization.id)}
            )
            == (listed["actions"])
        )
        assert {"apikey.mint", "record.create", "team.create"} <= set(listed["actions"])
        assert "site.create" not in listed["actions"]
        assert "actions" not in plain
