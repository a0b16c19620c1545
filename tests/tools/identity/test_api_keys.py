"""`apikey.*` over HTTP: who gets a key, what it opens, and what stops it with the very next call."""

from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest
import trio

from svc.actors.forms.form_window import FormWindow
from svc.domain.crypto.keys import API_KEY, GATEWAY_KEY, SERVER_KEY, digest, well_formed
from svc.domain.identity.callers import operator_call
from svc.domain.identity.limits import CONFIRMATION_MS, LIVE_KEYS_MAX, LIVE_SERVER_KEYS_MAX
from svc.domain.identity.people import Person
from svc.domain.locale.times import DAY_MS, rfc3339
from svc.http.problems.problems import UNAUTHORIZED
from svc.storage import provisioning
from svc.storage.identity import api_keys, members, organizations, roles
from svc.storage.identity.api_keys import NewKey
from svc.storage.identity.members import MemberChanges
from svc.storage.identity.organizations import NewOrganization
from svc.storage.identity.roles import RoleChanges
from svc.tools.catalogue import REGISTRY
from tests import tables
from tests.people import a_member, allow_keys_elsewhere, call_of
from tests.tooling import PASSWORD, ToolTown, tool_town
from tests.town import HASHER, START, a_post

ADA = {"objectType": "contact", "properties": {"name": "Ada"}}


async def test_a_minted_key_opens_the_tools(autojump_clock):
    """It is shown this once, with all that decides about it, and is nowhere in the database."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        made = await here.answer_to_person("apikey.mint", {"name": " Warehouse "}, csrf=csrf)
        called = await here.call("record.create", ADA, key=made["key"])
        [row] = await here.rows(tables.api_keys, id=made["id"])

        assert {
            "id": made["id"],
            "name": "Warehouse",
            "key": made["key"],
            "visibleStart": made["key"][:11],
            "role": "owner",
            "limitedTo": None,
            "tools": None,
            "monthlyBudgetMicroCredits": None,
            "models": None,
            "expiresAt": rfc3339(START + 90 * DAY_MS),
        } == made
        assert well_formed(made["key"], API_KEY)
        assert 200 == called.status_code
        assert digest(made["key"]) == row.digest
        assert made["key"] not in str(row)


async def test_a_key_is_as_was_asked(autojump_clock):
    """With a role, an end, and tools by their own names, whichever way they were written."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        asked = {"role": "viewer", "expiresIn": "1y", "tools": ["record_get", "record.get", "record.create"]}
        made = await here.answer_to_person("apikey.mint", {"name": "A"} | asked, csrf=csrf)
        key = made["key"]
        answers = [
            await here.call("record.get", {"objectType": "contact", "id": "rec_1"}, key=key),
            await here.call("record.create", ADA, key=key),
            await here.call("organization.get", key=key),
        ]

        assert ("viewer", ["record.get", "record.create"]) == (made["role"], made["tools"])
        assert rfc3339(START + 365 * DAY_MS) == made["expiresAt"]
        assert [(404, "not_found"), (403, "forbidden"), (403, "forbidden")] == [
            (one.status_code, one.json()["code"]) for one in answers
        ]


async def test_a_gateway_key_opens_no_tool(autojump_clock):
    """It lives a year, and is refused with the reason."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        asked = {"name": "Models", "limitedTo": "ai.gateway"}
        made = await here.answer_to_person("apikey.mint", asked, csrf=csrf)
        refused = await here.call("organization.get", key=made["key"])

        assert well_formed(made["key"], GATEWAY_KEY)
        assert ("ai.gateway", rfc3339(START + 365 * DAY_MS)) == (made["limitedTo"], made["expiresAt"])
        assert (403, "forbidden") == (refused.status_code, refused.json()["code"])
        assert "ai.gateway" in refused.json()["detail"]


@pytest.mark.parametrize(
    ("asked", "pointers"),
    [
        ({"name": ""}, ["/name"]),
        ({"name": " "}, ["/name"]),
        ({"expiresIn": "2y"}, ["/expiresIn"]),
        ({"tools": []}, ["/tools"]),
        ({"tools": ["record.get", "record.fly", "", "apikey_mint"]}, ["/tools/1", "/tools/2"]),
        ({"tools": ["record.get"] * 201}, ["/tools"]),
        ({"limitedTo": "everything"}, ["/limitedTo"]),
        ({"limitedTo": "ai.gateway", "expiresIn": "90d"}, ["/expiresIn"]),
        ({"limitedTo": "ai.gateway", "tools": ["record.get"]}, ["/tools"]),
        ({"limitedTo": "ai.gateway", "role": "viewer"}, ["/role"]),
        ({"scope": "all"}, ["/scope"]),
        ({"monthlyBudgetMicroCredits": 1, "models": ["m"]}, ["/monthlyBudgetMicroCredits", "/models"]),
        ({"limitedTo": "ai.gateway", "monthlyBudgetMicroCredits": -1}, ["/monthlyBudgetMicroCredits"]),
        ({"limitedTo": "ai.gateway", "monthlyBudgetMicroCredits": 0.5}, ["/monthlyBudgetMicroCredits"]),
        ({"limitedTo": "ai.gateway", "models": [""]}, ["/models/0"]),
    ],
)
async def test_a_key_that_makes_no_sense_is_refused(
    asked: dict[str, Any], pointers: list[str], autojump_clock
):
    """With a pointer to each thing that is wrong."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        refused = await here.call_as_person("apikey.mint", {"name": "A"} | asked, csrf=csrf)

        assert (422, pointers) == (
            refused.status_code,
            [fault["pointer"] for fault in refused.json()["errors"]],
        )


async def test_a_gateway_key_has_a_budget_and_models_that_can_be_changed(autojump_clock):
    """What is left out stays, and null takes a limit away."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        asked = {"limitedTo": "ai.gateway", "monthlyBudgetMicroCredits": 5, "models": ["b", "a", "b"]}
        made = await here.answer_to_person("apikey.mint", {"name": "A"} | asked, csrf=csrf)
        steps: list[dict[str, Any]] = [
            {"name": " B "},
            {"monthlyBudgetMicroCredits": 0},
            {"models": None},
            {"monthlyBudgetMicroCredits": None, "models": []},
            {},
        ]
        answers = [
            await here.answer_to_person("apikey.update", {"id": made["id"]} | step, csrf=csrf)
            for step in steps
        ]

        def seen(key: dict[str, Any]) -> tuple[Any, ...]:
            return key["name"], key["monthlyBudgetMicroCredits"], key["models"]

        assert ("A", 5, ["b", "a"]) == seen(made)
        assert [
            ("B", 5, ["b", "a"]),
            ("B", 0, ["b", "a"]),
            ("B", 0, None),
            ("B", None, []),
            ("B", None, []),
        ] == list(map(seen, answers))
        listed = (await here.answer("apikey.list"))["apiKeys"]
        assert answers[-1] in listed


async def test_a_change_of_a_key_that_makes_no_sense_is_refused(autojump_clock):
    """A key that is not there is not found, and keys of tools have none of the limits."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        made = await here.answer_to_person("apikey.mint", {"name": "A"}, csrf=csrf)
        renamed = await here.answer_to_person("apikey.update", {"id": made["id"], "name": "B"}, csrf=csrf)
        refused = [
            await here.call_as_person("apikey.update", {"id": made["id"]} | step, csrf=csrf)
            for step in ({"models": ["m"], "monthlyBudgetMicroCredits": 1}, {"name": " "})
        ]
        unknown = await here.call_as_person("apikey.update", {"id": "key_1", "name": "B"}, csrf=csrf)
        by_key = await here.call("apikey.update", {"id": made["id"], "name": "C"})

        assert "B" == renamed["name"]
        assert [{"/monthlyBudgetMicroCredits", "/models"}, {"/name"}] == [
            {fault["pointer"] for fault in one.json()["errors"]} for one in refused
        ]
        assert [422, 422, 404, 403] == [one.status_code for one in (*refused, unknown, by_key)]


@pytest.mark.parametrize("mint", ["apikey.mint", "serverkey.mint"])
async def test_a_key_is_made_within_two_hours_of_signing_in(mint: str, autojump_clock):
    """After that the password is asked for once more; the trail has the refusal."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        here.clock.jump(CONFIRMATION_MS)
        late = await here.call_as_person(mint, {"name": "A"}, csrf=csrf)
        confirmed = await here.client.post(
            "/app/api/confirm", json={"password": PASSWORD}, headers={"x-csrf-token": csrf}
        )
        again = await here.call_as_person(mint, {"name": "A"}, csrf=csrf)

        assert (403, "confirmation_required") == (late.status_code, late.json()["code"])
        assert (204, 200) == (confirmed.status_code, again.status_code)
        assert 1 == await here.count(tables.audit, action=mint, reason="confirmation_required")


async def test_the_twenty_first_key_is_refused(autojump_clock):
    """API and gateway keys together; one that is revoked makes room."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        minted = []
        for number in range(LIVE_KEYS_MAX - 1):  # there is the Owner's
            asked = {"name": "A", "limitedTo": "ai.gateway"} if number % 2 else {"name": "A"}
            minted.append((await here.answer_to_person("apikey.mint", asked, csrf=csrf))["id"])
        refused = await here.call_as_person("apikey.mint", {"name": "One more"}, csrf=csrf)
        await here.answer_to_person("apikey.revoke", {"id": minted[0]}, csrf=csrf)
        after_one = await here.call_as_person("apikey.mint", {"name": "One more"}, csrf=csrf)
        full = await here.call_as_person("apikey.mint", {"name": "One more"}, csrf=csrf)

        assert [(409, "key_limit")] * 2 == [(one.status_code, one.json()["code"]) for one in (refused, full)]
        assert 200 == after_one.status_code


async def test_twenty_at_once_get_what_room_there_is(autojump_clock):
    """However many ask at the same moment."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        statuses: list[int] = []

        async def mint() -> None:
            statuses.append((await here.call_as_person("apikey.mint", {"name": "A"}, csrf=csrf)).status_code)

        async with trio.open_nursery() as nursery:
            for _ in range(LIVE_KEYS_MAX + 5):
                nursery.start_soon(mint)

        assert [200] * (LIVE_KEYS_MAX - 1) + [409] * 6 == sorted(statuses)


async def test_a_list_shows_all_but_the_keys(autojump_clock):
    """Name, start, role, limits, last use and end; expired ones for another 90 days, revoked ones not."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        used = await here.answer_to_person("apikey.mint", {"name": "Used", "role": "viewer"}, csrf=csrf)
        short = await here.answer_to_person("apikey.mint", {"name": "Short", "expiresIn": "30d"}, csrf=csrf)
        gone = await here.answer_to_person("apikey.mint", {"name": "Gone"}, csrf=csrf)
        await here.answer_to_person("apikey.revoke", {"id": gone["id"]}, csrf=csrf)
        await here.answer("organization.get", key=used["key"])
        await trio.sleep(2)
        listed = {one["name"]: one for one in (await here.answer("apikey.list"))["apiKeys"]}

        assert {
            "id": used["id"],
            "name": "Used",
            "visibleStart": used["visibleStart"],
            "role": "viewer",
            "limitedTo": None,
            "tools": None,
            "monthlyBudgetMicroCredits": None,
            "models": None,
            "createdBy": here.owner.id,
            "createdAt": rfc3339(START),
            "lastUsedAt": rfc3339(START),
            "expiresAt": rfc3339(START + 90 * DAY_MS),
            "state": "live",
            "stoppedBecause": None,
        } == listed["Used"]
        assert {"A key", "Used", "Short"} == set(listed)
        assert not any(one["key"] in str(listed) for one in (used, short, gone))
        for passed, still in ((120 * DAY_MS - 1, True), (120 * DAY_MS, False)):
            known = await here.store.read(api_keys.list_all, here.organization.id, START + passed)
            assert still == ("Short" in {one.name for one in known})


async def test_a_key_is_revoked_once_and_by_its_own(autojump_clock):
    """Then it is as if there were none; and another organization's never was."""
    async with tool_town() as other, tool_town() as here:
        csrf = await here.sign_in()
        [theirs] = (await other.answer("apikey.list"))["apiKeys"]
        made = await here.answer_to_person("apikey.mint", {"name": "A"}, csrf=csrf)
        revoked = await here.answer_to_person("apikey.revoke", {"id": made["id"]}, csrf=csrf)
        again = [
            await here.call_as_person("apikey.revoke", {"id": key_id}, csrf=csrf)
            for key_id in (made["id"], theirs["id"], "key_none")
        ]

        assert {"id": made["id"], "revokedAt": rfc3339(START)} == revoked
        assert [404] * 3 == [one.status_code for one in again]
        assert 200 == (await other.call("organization.get")).status_code


async def test_what_shows_a_secret_is_not_kept(autojump_clock):
    """So it takes no idempotency key."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        secretive = [one.name for one in REGISTRY.values() if one.shows_secret]
        answers = [
            await here.call_as_person(name, {"name": "A"}, csrf=csrf, idempotency_key="k")
            for name in ("apikey.mint", "serverkey.mint")
        ]

        assert {"apikey.mint", "serverkey.mint", "member.invite"} <= set(secretive)
        assert [422, 422] == [one.status_code for one in answers]
        assert 0 == await here.count(tables.idempotency)


class Other:
    """A member with a home elsewhere that allows keys here, and a key."""

    def __init__(self, here: ToolTown, person: Person, home: str, key: str) -> None:
        self.here = here
        self.person = person
        self.home = home
        self.key = key

    async def revoke(self) -> None:
        [row] = await self.here.rows(tables.api_keys, digest=digest(self.key))
        await self.here.store.write(api_keys.revoke, call_of(self.here.owner), row.id)

    async def deactivate(self) -> None:
        await self.here.store.write(members.deactivate, call_of(self.here.owner), self.person.id)

    async def freeze(self) -> None:
        await self._change(status="frozen")

    async def close(self) -> None:
        await self.here.store.write(organizations.close, self.here.organization.id)

    async def expire(self) -> None:
        self.here.clock.jump(90 * DAY_MS)

    async def switch_off(self) -> None:
        await self.here.store.write(allow_keys_elsewhere, self.home, allowed=False)

    async def close_home(self) -> None:
        await self.here.store.write(organizations.close, self.home)

    async def weaken(self) -> None:
        await self._change(role_id="viewer")

    async def _change(self, **changes: Any) -> None:
        asked = MemberChanges(**changes)
        await self.here.store.write(members.update, call_of(self.here.owner), self.person.id, asked)


async def other_of(here: ToolTown) -> Other:
    home = await here.store.write(provisioning.create, NewOrganization(name="Elsewhere"))
    await here.store.write(allow_keys_elsewhere, home.id, allowed=True)
    person = await here.store.write(
        a_member,
        here.organization.id,
        "guest@example.com",
        "admin",
        home=home.id,
        password_hash=HASHER.hash(PASSWORD),
    )
    return Other(here, person, home.id, await here.mint(person))


Stop = Callable[[Other], Awaitable[None]]
STOPS: list[Stop] = [
    Other.revoke,
    Other.deactivate,
    Other.freeze,
    Other.close,
    Other.expire,
    Other.switch_off,
    Other.close_home,
]


@pytest.mark.parametrize("stop", STOPS)
async def test_every_way_to_stop_a_key(stop: Stop, autojump_clock):
    """With the very next call: the same 401 to the byte, whatever the way, and nothing about a budget."""
    async with tool_town() as here:
        other = await other_of(here)
        before = await here.call("organization.get", key=other.key)
        await stop(other)
        after = await here.call("organization.get", key=other.key)
        unknown = await here.call("organization.get", key="svck_unknown")

        assert 200 == before.status_code
        assert (401, UNAUTHORIZED.body, unknown.headers.keys()) == (
            after.status_code,
            after.content,
            after.headers.keys(),
        )


async def queued(here: ToolTown, key: str, change: Callable[[], Awaitable[None]]) -> list[httpx.Response]:
    """The answers to calls that were under way when the *change* was committed; the first may be older."""
    answers: list[httpx.Response] = []

    async def call() -> None:
        answers.append(await here.call("record.create", ADA, key=key))

    await here.call("organization.get", key=key)
    # The first turn has to read the facts again; the others wait behind it for the change.
    here.system.identity.access_revisions.note(here.organization.id)
    async with trio.open_nursery() as nursery:
        for _ in range(10):
            nursery.start_soon(call)
        nursery.start_soon(change)
    return answers


@pytest.mark.parametrize(
    ("change", "status"),
    [
        (Other.revoke, 401),
        (Other.deactivate, 401),
        (Other.freeze, 401),
        (Other.close, 401),
        (Other.weaken, 403),
    ],
)
async def test_calls_that_wait_already_are_judged_by_the_change(change: Stop, status: int, autojump_clock):
    """What runs after the change was committed is refused, however long it has waited."""
    async with tool_town() as here:
        other = await other_of(here)
        answers = await queued(here, other.key, lambda: change(other))
        statuses = [one.status_code for one in answers]

        done = statuses.count(200)
        assert [status] * (len(statuses) - done) == [one for one in statuses if one != 200]
        assert done < len(statuses)
        assert done == await here.count(tables.records)


async def test_a_key_follows_the_roles_call_by_call(autojump_clock):
    """Its own role's changes and its creator's, up and down, each from the very next call on."""
    async with tool_town() as here:
        owner = call_of(here.owner)
        role = await here.store.write(roles.create, owner, "Desk", ["security", "records.write"])
        person = await here.member("desk@example.com", role.id)
        key = await here.mint(person)

        async def status() -> int:
            return (await here.call("record.create", ADA, key=key)).status_code

        async def permit(*permissions: str) -> int:
            await here.store.write(roles.update, owner, role.id, RoleChanges(permissions=permissions))
            return await status()

        async def put_in(role_id: str) -> int:
            await here.store.write(members.update, owner, person.id, MemberChanges(role_id=role_id))
            return await status()

        assert [200, 403, 200, 403, 200, 403] == [
            await status(),
            await permit("records.read"),
            await permit("records.write"),
            await put_in("viewer"),
            await put_in("owner"),
            await permit(),
        ]


async def test_a_person_from_elsewhere_mints_when_their_home_allows_it(autojump_clock):
    """And the refusal says why not, when it does not."""
    async with tool_town() as here:
        other = await other_of(here)
        csrf = await here.sign_in("guest@example.com")
        headers = {"x_organization_id": here.organization.id}
        statuses = []
        for allowed in (True, False):
            await here.store.write(allow_keys_elsewhere, other.home, allowed=allowed)
            answer = await here.call_as_person("apikey.mint", {"name": "A"}, csrf=csrf, **headers)
            statuses.append((answer.status_code, answer.json().get("code")))

        assert [(200, None), (403, "forbidden")] == statuses


async def test_a_list_says_how_many_keys_are_live(autojump_clock):
    """And how many may be; an expired one is listed, and counts no more."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        before = await here.answer("apikey.list")
        await here.answer_to_person("apikey.mint", {"name": "A", "expiresIn": "30d"}, csrf=csrf)
        await here.answer_to_person("serverkey.mint", {"name": "Shop"}, csrf=csrf)
        during = await here.answer("apikey.list")
        servers = await here.answer("serverkey.list")
        here.clock.jump(31 * DAY_MS)
        after = await here.answer("apikey.list")

    assert (1, 2, 1) == tuple(one["live"] for one in (before, during, after))
    assert 2 == len(after["apiKeys"])
    assert (LIVE_KEYS_MAX, 1, LIVE_SERVER_KEYS_MAX) == (
        during["liveMax"],
        servers["live"],
        servers["liveMax"],
    )


@pytest.mark.parametrize(
    ("status", "because"), [("frozen", "creator_frozen"), ("deactivated", "creator_deactivated")]
)
async def test_a_key_stops_with_its_creator(status, because, autojump_clock):
    """It is listed as stopped, with why, and makes room; letting the creator in brings it back."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        grace = await here.store.write(a_member, here.organization.id, "grace@example.com", "admin")
        call = call_of(grace, confirmed_at=here.clock.now())
        await here.store.write(api_keys.mint, call, NewKey(name="Till"))
        before = await here.answer("apikey.list")
        call = operator_call(here.organization.id)
        await here.store.write(members.update, call, grace.id, MemberChanges(status=status))
        stopped = await here.answer("apikey.list")
        await here.answer_to_person("member.update", {"id": grace.id, "status": "active"}, csrf=csrf)
        after = await here.answer("apikey.list")

    assert (2, 1, 2) == tuple(one["live"] for one in (before, stopped, after))
    assert [("live", None), ("stopped", because)] == [
        (key["state"], key["stoppedBecause"]) for key in stopped["apiKeys"]
    ]
    assert ["live", "live"] == [key["state"] for key in after["apiKeys"]]


async def test_nobody_is_let_in_with_too_many_keys(autojump_clock):
    """The keys of a frozen member made room, which is taken: the refusal says how many to revoke."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        grace = await here.store.write(a_member, here.organization.id, "grace@example.com", "admin")
        call = call_of(grace, confirmed_at=here.clock.now())
        till = await here.store.write(api_keys.mint, call, NewKey(name="Till"))
        frozen = {"id": grace.id, "status": "frozen"}
        await here.answer_to_person("member.update", frozen, csrf=csrf)
        for _ in range(LIVE_KEYS_MAX - 1):
            await here.answer_to_person("apikey.mint", {"name": "A"}, csrf=csrf)
        full = await here.call_as_person("apikey.mint", {"name": "A"}, csrf=csrf)
        back = {"id": grace.id, "status": "active"}
        refused = await here.call_as_person("member.update", back, csrf=csrf)
        listed = await here.answer("apikey.list")
        await here.answer_to_person("apikey.revoke", {"id": till.id}, csrf=csrf)
        await here.answer_to_person("member.update", back, csrf=csrf)

    assert (409, "key_limit") == (full.status_code, full.json()["code"])
    assert (409, "key_limit") == (refused.status_code, refused.json()["code"])
    assert "revoke 1 first, such as “Till”" in refused.json()["detail"]
    assert (LIVE_KEYS_MAX, "stopped") == (listed["live"], listed["apiKeys"][1]["state"])


async def test_server_keys_are_minted_listed_and_revoked(autojump_clock):
    """By a person; one is shown once, and counts with the very next submission until it is revoked."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        window = FormWindow(here.system, (await here.form()).form_key)
        made = await here.answer_to_person("serverkey.mint", {"name": " Shop server "}, csrf=csrf)
        listed = (await here.answer("serverkey.list"))["serverKeys"]
        relays = [(await window.submit(a_post(key_digest=digest(made["key"])))).relay]
        revoked = await here.answer_to_person("serverkey.revoke", {"id": made["id"]}, csrf=csrf)
        relays.append((await window.submit(a_post(key_digest=digest(made["key"])))).relay)
        again = await here.call_as_person("serverkey.revoke", {"id": made["id"]}, csrf=csrf)
        as_a_key = await here.call("organization.get", key=made["key"])

        shown = {
            "id": made["id"],
            "name": "Shop server",
            "visibleStart": made["key"][:14],
            "createdAt": rfc3339(START),
            "expiresAt": rfc3339(START + 365 * DAY_MS),
        }
        assert well_formed(made["key"], SERVER_KEY)
        assert shown | {"key": made["key"]} == made
        assert [shown] == listed
        assert ["accepted", "refused"] == relays
        assert {"id": made["id"], "revokedAt": rfc3339(START)} == revoked
        assert [] == (await here.answer("serverkey.list"))["serverKeys"]
        assert (404, 401) == (again.status_code, as_a_key.status_code)


async def test_there_are_as_many_server_keys_as_may_be(autojump_clock):
    """The next is refused until one is revoked."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        for number in range(LIVE_SERVER_KEYS_MAX):
            made = await here.answer_to_person("serverkey.mint", {"name": str(number)}, csrf=csrf)
        refused = await here.call_as_person("serverkey.mint", {"name": "One more"}, csrf=csrf)
        await here.answer_to_person("serverkey.revoke", {"id": made["id"]}, csrf=csrf)

        assert (409, "key_limit") == (refused.status_code, refused.json()["code"])
        await here.answer_to_person("serverkey.mint", {"name": "One more"}, csrf=csrf)


@pytest.mark.parametrize("name", ["apikey.mint", "serverkey.mint"])
def test_what_mints_says_how_many_there_may_be(name: str) -> None:
    """In the words that the contract and the reference show."""
    most = {"apikey.mint": LIVE_KEYS_MAX, "serverkey.mint": LIVE_SERVER_KEYS_MAX}[name]

    assert f" {most} live " in REGISTRY[name].description


async def test_a_key_is_narrowed_and_never_widened(autojump_clock):
    """To tools that it may call now, from its next call on; the names are those of today."""
    asked = {"objectType": "contact"}
    async with tool_town() as here:
        csrf = await here.sign_in()
        made = await here.answer_to_person("apikey.mint", {"name": "A", "role": "viewer"}, csrf=csrf)

        async def narrow(*tools: str) -> Any:
            return await here.call_as_person("apikey.update", {"id": made["id"], "tools": tools}, csrf=csrf)

        refused = [
            await narrow("record.list", "record.create"),
            await narrow("record.delete"),
            await narrow("apikey.mint"),
            await narrow("no.such"),
            await narrow(),
        ]
        first = await narrow("record_list", "record.get", "record.list")
        listed = await here.call("record.list", asked, key=made["key"])
        counted = await here.call("record.count", asked, key=made["key"])
        wider = await narrow("record.list", "record.count")
        second = await narrow("record.get")

        assert ["/tools/1", "/tools/0", "/tools/0", "/tools/0", "/tools"] == [
            one.json()["errors"][0]["pointer"] for one in refused
        ]
        assert ["record.list", "record.get"] == first.json()["tools"]
        assert (200, 403) == (listed.status_code, counted.status_code)
        assert (422, ["/tools/1"]) == (
            wider.status_code,
            [fault["pointer"] for fault in wider.json()["errors"]],
        )
        assert ["record.get"] == second.json()["tools"]


async def test_only_a_live_key_of_tools_is_narrowed(autojump_clock):
    """A gateway key calls none, and one that has expired opens nothing that could be left to it."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        gateway = await here.answer_to_person(
            "apikey.mint", {"name": "A", "limitedTo": "ai.gateway"}, csrf=csrf
        )
        short = await here.answer_to_person("apikey.mint", {"name": "B", "expiresIn": "30d"}, csrf=csrf)
        tools = {"tools": ["record.get"]}
        by_gateway = await here.call_as_person("apikey.update", {"id": gateway["id"]} | tools, csrf=csrf)
        unknown = await here.call_as_person("apikey.update", {"id": "key_1"} | tools, csrf=csrf)
        here.clock.jump(31 * DAY_MS)
        csrf = await here.sign_in()
        expired = await here.call_as_person("apikey.update", {"id": short["id"]} | tools, csrf=csrf)

        assert [(422, "/tools"), (422, "/tools")] == [
            (one.status_code, one.json()["errors"][0]["pointer"]) for one in (by_gateway, expired)
        ]
        assert 404 == unknown.status_code
