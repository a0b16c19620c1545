"""Rolling a key, and what a caller is told of itself."""

from svc.domain.identity.limits import CONFIRMATION_MS
from svc.domain.locale.times import DAY_MS, HOUR_MS
from tests.connecting import BASE, register, result
from tests.tooling import PASSWORD, ToolTown, tool_town


async def works(here: ToolTown, key: str) -> bool:
    return (await here.call("caller.get", key=key)).status_code == 200


async def test_a_key_is_rolled(autojump_clock):
    """Same id and narrowing, a new value for as long as was asked; the one before works for the overlap."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        asked = {"name": "Till", "expiresIn": "30d", "tools": ["record.list"], "role": "viewer"}
        minted = await here.answer_to_person("apikey.mint", asked, csrf=csrf)
        assert await works(here, minted["key"])
        here.clock.jump(HOUR_MS)
        rolled = await here.answer_to_person(
            "apikey.roll", {"id": minted["id"], "overlapHours": 2}, csrf=csrf
        )
        both = [await works(here, key) for key in (minted["key"], rolled["key"])]
        me = await here.answer("caller.get", key=minted["key"])
        new = await here.answer("caller.get", key=rolled["key"])
        here.clock.jump(2 * HOUR_MS)
        after = [await works(here, key) for key in (minted["key"], rolled["key"])]
        [listed] = [key for key in (await here.answer("apikey.list"))["apiKeys"] if key["id"] == minted["id"]]

    assert minted["id"] == rolled["id"] == me["id"] == new["id"]
    assert (["record.list"], "viewer") == (new["tools"], new["role"]["id"])
    assert ([True, True], [False, True]) == (both, after)
    assert "2026-09-18T03:00:00.000Z" == rolled["previousEndsAt"] == me["expiresAt"]
    assert "2026-10-18T01:00:00.000Z" == rolled["expiresAt"] == new["expiresAt"] == listed["expiresAt"]
    assert rolled["visibleStart"] == listed["visibleStart"] != minted["visibleStart"]


async def test_only_one_value_before_works_and_not_past_its_end(autojump_clock):
    """Rolled again, the first ends at once; revoked, all do."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        first = await here.answer_to_person("apikey.mint", {"name": "Till", "expiresIn": "30d"}, csrf=csrf)
        here.clock.jump(30 * DAY_MS - HOUR_MS)
        csrf = await here.sign_in()
        second = await here.answer_to_person(
            "apikey.roll", {"id": first["id"], "overlapHours": 72}, csrf=csrf
        )
        third = await here.answer_to_person("apikey.roll", {"id": first["id"], "overlapHours": 1}, csrf=csrf)
        now = [await works(here, one["key"]) for one in (first, second, third)]
        await here.answer_to_person("apikey.revoke", {"id": first["id"]}, csrf=csrf)
        revoked = [await works(here, one["key"]) for one in (second, third)]
        gone = await here.call_as_person("apikey.roll", {"id": first["id"]}, csrf=csrf)

    assert first["expiresAt"] == second["previousEndsAt"]
    assert ([False, True, True], [False, False]) == (now, revoked)
    assert 404 == gone.status_code


async def test_who_rolls_a_key(autojump_clock):
    """The person who made it alone, with fresh identity; no key does, and no idempotency key is taken."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        made = await here.answer_to_person("apikey.mint", {"name": "Till"}, csrf=csrf)
        body = {"id": made["id"]}
        by_key = await here.call("apikey.roll", body)
        repeated = await here.call_as_person("apikey.roll", body, csrf=csrf, idempotency_key="1")
        here.clock.jump(CONFIRMATION_MS)
        stale = await here.call_as_person("apikey.roll", body, csrf=csrf)
        await here.member("admin@example.com", "admin")
        other = await here.call_as_person("apikey.roll", body, csrf=await here.sign_in("admin@example.com"))
        too_long = await here.call_as_person(
            "apikey.roll", body | {"overlapHours": 73}, csrf=await here.sign_in()
        )

    assert (403, "person_only") == (by_key.status_code, by_key.json()["code"])
    assert (422, 422) == (repeated.status_code, too_long.status_code)
    assert (403, "confirmation_required") == (stale.status_code, stale.json()["code"])
    assert (403, "forbidden") == (other.status_code, other.json()["code"])


async def test_a_caller_is_told_who_it_is(autojump_clock):
    """A key, a person and an app; not a gateway key."""
    async with tool_town(public_url=BASE) as here:
        gateway = await here.mint(limited_to="ai.gateway")
        csrf = await here.sign_in()
        key = await here.answer("caller.get", key=await here.mint(role_id="viewer", tools=("record.get",)))
        person = await here.answer_to_person("caller.get", csrf=csrf)
        app = await register(here)
        grant = (await result(here, (await app.connect(csrf))["access_token"]))["structuredContent"]
        refused = await here.call("caller.get", key=gateway)

    owner = {"id": here.owner.id, "name": "Owner", "email": "owner@example.com"}
    assert owner == key["person"] == person["person"] == grant["person"]
    assert ("key", "A key", ["record.get"], ["records.read"]) == (
        key["kind"],
        key["name"],
        key["tools"],
        key["permissions"],
    )
    assert ("person", "Owner", None, None) == tuple(
        person[member] for member in ("kind", "name", "tools", "expiresAt")
    )
    assert ("grant", "Reports", None) == (grant["kind"], grant["name"], grant["tools"])
    assert here.organization.id == grant["organization"]["id"]
    assert 403 == refused.status_code
    assert PASSWORD not in str(person)
