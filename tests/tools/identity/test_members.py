"""`member.*`, `role.*`, `team.*`: the people of an organization, and what they may do."""

from typing import Any

import msgspec
import pytest

from svc.domain.identity.limits import INVITATIONS_MAX, ROLES_MAX, TEAMS_MAX
from svc.domain.limits import LIST_ROWS
from svc.domain.locale.times import DAY_MS
from svc.storage.identity import members, roles
from svc.storage.identity.members import MemberChanges
from svc.storage.store import Tx
from svc.tools import execution
from svc.tools.catalogue import REGISTRY
from tests import tables
from tests.people import call_of
from tests.tooling import tool_town


async def test_members_are_listed_by_pages(autojump_clock):
    """Each once, in the order of their accounts, also if members join meanwhile."""
    async with tool_town() as here:
        for number in range(4):
            await here.member(f"p{number}@example.com", "viewer")
        first = await here.answer("member.list", {"limit": 3})
        await here.member("p4@example.com", "viewer")
        rest = await here.answer("member.list", {"limit": 3, "cursor": first["nextCursor"]})

        assert ["owner", "p0", "p1", "p2", "p3", "p4"] == [
            one["email"].partition("@")[0] for one in (*first["members"], *rest["members"])
        ]
        assert rest["nextCursor"] is None


async def test_members_are_listed_by_role_team_and_status(autojump_clock):
    """What is given must all hold, and a cursor is good for its own question alone."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        team = (await here.answer_to_person("team.create", {"name": "Workshop"}, csrf=csrf))["id"]
        people = [await here.member(f"p{number}@example.com", "viewer") for number in range(4)]
        for person in people[:3]:
            await here.answer_to_person("member.update", {"id": person.id, "teams": [team]}, csrf=csrf)
        await here.answer_to_person("member.update", {"id": people[0].id, "status": "frozen"}, csrf=csrf)
        await here.answer_to_person("member.update", {"id": people[1].id, "role": "admin"}, csrf=csrf)

        async def listed(**asked: Any) -> list[int]:
            found = (await here.answer("member.list", asked))["members"]
            ids = [person.id for person in people]
            return [ids.index(one["id"]) for one in found if one["id"] in ids]

        assert [0, 1, 2] == await listed(team=team)
        assert [1, 2] == await listed(team=team, status="active")
        assert [0, 2, 3] == await listed(role="viewer")
        assert [1] == await listed(role="admin", team=team)
        assert [3] == await listed(id=people[3].id)
        assert [] == await listed(id=people[3].id, team=team)
        assert [] == await listed(team="tea_none")
        assert 3 == (await here.answer("team.list"))["teams"][0]["memberCount"]
        cursor = (await here.answer("member.list", {"team": team, "limit": 1}))["nextCursor"]
        refused = await here.call("member.list", {"cursor": cursor})
        assert ["/cursor"] == [fault["pointer"] for fault in refused.json()["errors"]]


async def test_an_invitation_makes_a_member(autojump_clock):
    """Its token is shown once, it is listed while it waits, and its bearer comes in as was offered."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        asked = {"email": " New@Example.com", "role": "viewer"}
        made = await here.answer_to_person("member.invite", asked, csrf=csrf)
        waiting = await here.answer("member.list")
        here.client.cookies.clear()
        joined = await here.client.post(
            "/app/api/sign-up", json={"token": made["token"], "name": "New", "password": "a long password"}
        )
        after = await here.answer("member.list", {"role": "viewer"})

        assert [(made["id"], "new@example.com", "viewer", here.owner.id)] == [
            (one["id"], one["email"], one["role"], one["invitedBy"]) for one in waiting["invitations"]
        ]
        assert made["token"] not in str(waiting)
        assert 200 == joined.status_code
        assert [("new@example.com", "active")] == [(one["email"], one["status"]) for one in after["members"]]
        assert [] == (await here.answer("member.list"))["invitations"]


async def test_an_invitation_is_withdrawn(autojump_clock):
    """Then its token is worth nothing, and it cannot be withdrawn again."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        asked = {"email": "new@example.com", "role": "viewer"}
        made = await here.answer_to_person("member.invite", asked, csrf=csrf)
        out = await here.answer_to_person("member.deactivate", {"id": made["id"]}, csrf=csrf)
        again = await here.call_as_person("member.deactivate", {"id": made["id"]}, csrf=csrf)
        here.client.cookies.clear()
        joined = await here.client.post(
            "/app/api/sign-up", json={"token": made["token"], "name": "New", "password": "a long password"}
        )

        assert {"id": made["id"], "status": "withdrawn"} == out
        assert (404, 404) == (again.status_code, joined.status_code)


@pytest.mark.parametrize(
    ("tool", "body", "status", "code"),
    [
        ("member.invite", {"email": "no address", "role": "viewer"}, 422, "validation_failed"),
        ("member.invite", {"email": "a@example.com", "role": "king"}, 422, "validation_failed"),
        (
            "member.invite",
            {"email": "a@example.com", "role": "viewer", "teams": ["x"]},
            422,
            "validation_failed",
        ),
        ("member.invite", {"email": "owner@example.com", "role": "viewer"}, 409, "conflict"),
        ("member.update", {"id": "usr_none", "role": "viewer"}, 404, "not_found"),
        ("member.update", {"id": "{owner}", "role": "viewer"}, 409, "conflict"),
        ("member.update", {"id": "{owner}", "status": "frozen"}, 409, "conflict"),
        ("member.update", {"id": "{owner}", "status": "deactivated"}, 422, "validation_failed"),
        ("member.update", {"id": "{owner}", "teams": ["tea_none"]}, 422, "validation_failed"),
        ("member.deactivate", {"id": "{owner}"}, 409, "conflict"),
        ("member.deactivate", {"id": "inv_none"}, 404, "not_found"),
        ("role.create", {"name": "Viewer", "permissions": []}, 409, "conflict"),
        ("role.create", {"name": " ", "permissions": []}, 422, "validation_failed"),
        ("role.create", {"name": "A", "permissions": ["flying"]}, 422, "validation_failed"),
        ("role.update", {"id": "owner", "permissions": []}, 409, "conflict"),
        ("role.update", {"id": "rol_none", "name": "A"}, 404, "not_found"),
        ("role.delete", {"id": "viewer"}, 409, "conflict"),
        ("role.delete", {"id": "rol_none"}, 404, "not_found"),
        ("team.create", {"name": "A\u0000B"}, 422, "validation_failed"),
        ("team.update", {"id": "tea_none", "name": "A"}, 404, "not_found"),
    ],
)
async def test_what_cannot_be_is_refused(
    tool: str, body: dict[str, Any], status: int, code: str, autojump_clock
):
    """With the status and the code that the contract names, and nothing is changed."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        asked = {name: here.owner.id if value == "{owner}" else value for name, value in body.items()}
        refused = await here.call_as_person(tool, asked, csrf=csrf)

        assert (status, code) == (refused.status_code, refused.json()["code"])
        assert 0 == await here.count(tables.audit, action=tool)


async def test_roles_are_made_changed_and_deleted(autojump_clock):
    """A custom one beside the built-in ones, while no member has it."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        asked = {"name": "Front desk", "permissions": ["records.write", "records.read", "records.read"]}
        made = await here.answer_to_person("role.create", asked, csrf=csrf)
        changed = await here.answer_to_person("role.update", {"id": made["id"], "permissions": []}, csrf=csrf)
        listed = (await here.answer("role.list"))["roles"]
        person = await here.member("p@example.com", made["id"])
        in_use = await here.call_as_person("role.delete", {"id": made["id"]}, csrf=csrf)
        await here.answer_to_person("member.update", {"id": person.id, "role": "viewer"}, csrf=csrf)
        deleted = await here.answer_to_person("role.delete", {"id": made["id"]}, csrf=csrf)

        assert (["records.read", "records.write"], False) == (made["permissions"], made["builtin"])
        assert ("Front desk", []) == (changed["name"], changed["permissions"])
        assert [("owner", True), ("admin", True), ("viewer", True), (made["id"], False)] == [
            (one["id"], one["builtin"]) for one in listed
        ]
        assert (409, made["id"]) == (in_use.status_code, deleted["id"])
        assert 3 == len((await here.answer("role.list"))["roles"])


async def test_teams_are_made_and_renamed(autojump_clock):
    """Under a name that no other has."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        made = await here.answer_to_person("team.create", {"name": "Workshop"}, csrf=csrf)
        taken = await here.call_as_person("team.create", {"name": "WORKSHOP"}, csrf=csrf)
        renamed = await here.answer_to_person("team.update", {"id": made["id"], "name": " Works "}, csrf=csrf)

        assert 409 == taken.status_code
        assert {"id": made["id"], "name": "Works", "memberCount": 0} == renamed
        assert [renamed] == (await here.answer("team.list"))["teams"]


async def test_another_organizations_things_are_not_there(autojump_clock):
    """Its members, roles, teams and invitations are as unknown as any id."""
    async with tool_town() as other, tool_town() as here:
        theirs = await other.sign_in()
        role = await other.answer_to_person("role.create", {"name": "A", "permissions": []}, csrf=theirs)
        team = await other.answer_to_person("team.create", {"name": "A"}, csrf=theirs)
        csrf = await here.sign_in()
        calls: list[tuple[str, dict[str, Any]]] = [
            ("member.update", {"id": other.owner.id, "role": "viewer"}),
            ("member.deactivate", {"id": other.owner.id}),
            ("role.update", {"id": role["id"], "name": "B"}),
            ("role.delete", {"id": role["id"]}),
            ("team.update", {"id": team["id"], "name": "B"}),
        ]

        into_team = {"id": here.owner.id, "teams": [team["id"]]}

        assert [404] * len(calls) == [
            (await here.call_as_person(tool, body, csrf=csrf)).status_code for tool, body in calls
        ]
        assert 422 == (await here.call_as_person("member.update", into_team, csrf=csrf)).status_code


async def test_no_key_changes_people(autojump_clock):
    """Not even the Owner's own; the trail has that it tried."""
    async with tool_town() as here:
        refused = await here.call("member.update", {"id": here.owner.id, "role": "viewer"})

        assert (403, "person_only") == (refused.status_code, refused.json()["code"])
        assert 1 == await here.count(tables.audit, action="member.update", reason="person_only")


@pytest.mark.parametrize(
    ("tool", "most", "body"),
    [
        ("role.create", ROLES_MAX, {"name": "{number}", "permissions": []}),
        ("team.create", TEAMS_MAX, {"name": "{number}"}),
        ("member.invite", INVITATIONS_MAX, {"email": "p{number}@example.com", "role": "viewer"}),
    ],
)
async def test_there_is_an_end_to_everything(tool: str, most: int, body: dict[str, Any], autojump_clock):
    """The one after the last is refused, and the tool's description says how many there may be."""
    async with tool_town() as here:
        call = call_of(here.owner)

        def numbered(number: int) -> dict[str, Any]:
            return {
                name: value.format(number=number) if isinstance(value, str) else value
                for name, value in body.items()
            }

        def fill(tx: Tx) -> None:
            for number in range(most):
                asked = REGISTRY[tool].read(msgspec.json.encode(numbered(number)))
                execution.write(tx, REGISTRY[tool], call, asked)

        await here.store.write(fill)
        refused = await here.call_as_person(tool, numbered(most), csrf=await here.sign_in())

        assert (409, "conflict") == (refused.status_code, refused.json()["code"])
        assert f" {most} " in REGISTRY[tool].description


async def test_a_deactivated_member_is_out_with_the_next_call(autojump_clock):
    """Their session opens the organization no more, until they are let in again."""
    async with tool_town() as here:
        person = await here.member("ada@example.com", "admin")
        csrf = await here.sign_in("ada@example.com")
        statuses = []
        for status in ("active", "frozen", "active"):
            changes = MemberChanges(status=status)
            await here.store.write(members.update, call_of(here.owner), person.id, changes)
            statuses.append((await here.call_as_person("organization.get", csrf=csrf)).status_code)
        out = await here.call_as_person("member.deactivate", {"id": person.id}, csrf=csrf)
        statuses.append((await here.call_as_person("organization.get", csrf=csrf)).status_code)

        assert {"id": person.id, "status": "deactivated"} == out.json()
        assert [200, 403, 200, 403] == statuses


async def test_nobody_gives_more_than_they_have(autojump_clock):
    """Neither by a role, nor by an invitation, nor by a member; and each refusal is in the trail."""
    async with tool_town() as here:
        clerk = await here.store.write(roles.create, call_of(here.owner), "Clerk", ["settings"])
        person = await here.member("clerk@example.com", clerk.id)
        csrf = await here.sign_in("clerk@example.com")
        calls: list[tuple[str, dict[str, Any]]] = [
            ("role.create", {"name": "More", "permissions": ["settings", "security"]}),
            ("role.update", {"id": clerk.id, "permissions": ["settings", "ai"]}),
            ("member.invite", {"email": "new@example.com", "role": "viewer"}),
            ("member.update", {"id": person.id, "role": "admin"}),
            ("member.deactivate", {"id": here.owner.id}),
        ]
        answers = [await here.call_as_person(tool, body, csrf=csrf) for tool, body in calls]

        assert [(403, "forbidden")] * len(calls) == [(one.status_code, one.json()["code"]) for one in answers]
        assert len(calls) == await here.count(tables.audit, outcome="refused", person_id=person.id)


async def test_invitations_that_ended_are_not_listed(autojump_clock):
    """After seven days."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        await here.answer_to_person("member.invite", {"email": "a@example.com", "role": "viewer"}, csrf=csrf)
        here.clock.jump(7 * DAY_MS)

        listed = await here.answer("member.list")
        assert [] == listed["invitations"]
        assert LIST_ROWS > len(listed["members"])
