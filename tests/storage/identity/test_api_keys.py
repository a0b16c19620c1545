"""Keys: who makes them, how many there may be, and what is kept of them."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection

from svc.domain.crypto.keys import API_KEY, GATEWAY_KEY, digest, well_formed
from svc.domain.errors import (
    ConfirmationRequired,
    DomainError,
    Forbidden,
    InvalidInput,
    KeyLimit,
    NotFound,
    PersonOnly,
)
from svc.domain.identity.limits import API_KEY_LIVES_MS, LIVE_KEYS_MAX
from svc.domain.locale.times import DAY_MS, HOUR_MS
from svc.storage import provisioning
from svc.storage.identity import api_keys, organizations, roles
from svc.storage.identity.api_keys import MintedKey, NewKey, Route
from svc.storage.identity.organizations import NewOrganization
from tests import tables
from tests.people import a_member, a_stored_key, allow_keys_elsewhere, call_of, key_call
from tests.town import START, Town, town


@pytest.fixture
async def here() -> AsyncIterator[Town]:
    async with town() as here:
        yield here


async def minted(here: Town, maker: str = "owner", /, **asked: Any) -> MintedKey:
    """A key made by a new member of that role, who has just signed in."""
    count = await here.count(tables.people)
    person = await here.store.write(a_member, here.organization.id, f"p{count}@example.com", maker)
    call = call_of(person, confirmed_at=here.clock.now())
    return await here.store.write(api_keys.mint, call, NewKey(**({"name": "A key"} | asked)))


async def test_a_key_is_shown_once(here):
    """The secret is in the answer, and its digest and visible start are all that is stored."""
    made = await minted(here, name=" Warehouse ", role_id="owner")

    [row] = await here.rows(tables.api_keys)
    assert well_formed(made.key, API_KEY)
    assert made.key.startswith(made.visible_start)
    assert digest(made.key) == row.digest
    assert made.key not in str(row)
    assert ("Warehouse", "owner", None, None) == (made.name, made.role_id, made.tools, made.limited_to)


@pytest.mark.parametrize(
    ("asked", "life_ms"),
    [
        ({}, 90 * DAY_MS),
        ({"expires_in": "30d"}, 30 * DAY_MS),
        ({"expires_in": "90d"}, 90 * DAY_MS),
        ({"expires_in": "1y"}, 365 * DAY_MS),
        ({"limited_to": "ai.gateway"}, 365 * DAY_MS),
        ({"limited_to": "ai.gateway", "expires_in": "1y"}, 365 * DAY_MS),
    ],
)
async def test_a_key_expires(here, asked, life_ms, autojump_clock):
    """As was chosen, after 90 days if nothing was; a gateway key after a year."""
    made = await minted(here, **asked)

    assert START + life_ms == made.expires_at
    assert well_formed(made.key, GATEWAY_KEY if "limited_to" in asked else API_KEY)


@pytest.mark.parametrize(
    ("maker", "asked", "refused"),
    [
        ("owner", {"role_id": "viewer"}, None),
        ("admin", {"role_id": "admin"}, None),
        ("admin", {"role_id": "owner"}, Forbidden),
        ("viewer", {}, Forbidden),
        ("owner", {"role_id": "rol_none"}, InvalidInput),
        ("owner", {"tools": ("record.list", "record.get", "record.list")}, None),
        ("owner", {"tools": ()}, InvalidInput),
        ("owner", {"name": " "}, InvalidInput),
        ("admin", {"limited_to": "ai.gateway"}, None),
        ("owner", {"limited_to": "ai.gateway", "expires_in": "30d"}, InvalidInput),
        ("owner", {"limited_to": "ai.gateway", "tools": ("record.list",)}, InvalidInput),
        ("owner", {"limited_to": "ai.gateway", "role_id": "viewer"}, InvalidInput),
    ],
)
async def test_who_may_make_which_key(here, maker, asked, refused):
    """A key has at most its maker's permissions, and must make sense."""
    found = None
    try:
        await minted(here, maker, **asked)
    except DomainError as error:
        found = type(error)

    assert refused == found


async def test_a_custom_role_with_security_makes_api_keys_alone(here):
    """Gateway keys are made by Owners and Admins."""
    owner = await here.store.write(a_member, here.organization.id, "owner@example.com")
    role = await here.store.write(roles.create, call_of(owner), "Keys", ["security"])

    assert role.id == (await minted(here, role.id)).role_id
    with pytest.raises(Forbidden, match="Owners and Admins"):
        await minted(here, role.id, limited_to="ai.gateway")


@pytest.mark.parametrize(
    ("signed_in_ago", "refused"),
    [(0, None), (2 * HOUR_MS - 1, None), (2 * HOUR_MS, ConfirmationRequired), (None, ConfirmationRequired)],
)
async def test_a_key_needs_a_fresh_sign_in(here, signed_in_ago, refused, autojump_clock):
    """Within two hours, to the millisecond."""
    person = await here.store.write(a_member, here.organization.id, "owner@example.com")
    confirmed_at = None if signed_in_ago is None else here.clock.now() - signed_in_ago

    found = None
    try:
        await here.store.write(api_keys.mint, call_of(person, confirmed_at=confirmed_at), NewKey(name="A"))
    except ConfirmationRequired as error:
        found = type(error)
    assert refused == found


async def test_no_key_makes_or_revokes_keys(here):
    """Not even an Owner's, with whatever permissions."""
    made = await minted(here)
    owner = await here.store.write(a_member, here.organization.id, "owner@example.com")

    for fn, asked in ((api_keys.mint, NewKey(name="A")), (api_keys.revoke, made.id)):
        with pytest.raises(PersonOnly):
            await here.store.write(fn, key_call(owner), asked)


async def test_a_person_of_elsewhere_makes_keys_when_their_home_allows_it(here):
    """The switch is the home organization's, and its end ends it."""
    home = await here.store.write(provisioning.create, NewOrganization(name="Elsewhere"))
    guest = await here.store.write(a_member, here.organization.id, "guest@example.com", home=home.id)
    call = call_of(guest, here.organization.id, confirmed_at=here.clock.now())

    async def refused() -> bool:
        try:
            await here.store.write(api_keys.mint, call, NewKey(name="A"))
        except Forbidden:
            return True
        return False

    found = [await refused()]
    for allowed in (True, False, True):
        await here.store.write(allow_keys_elsewhere, home.id, allowed=allowed)
        found.append(await refused())
    await here.store.write(organizations.close, home.id)
    found.append(await refused())
    assert [True, False, True, False, True] == found


@settings(max_examples=15, deadline=None)
@given(st.lists(st.sampled_from(["api", "gateway", "expired", "revoked", "other"]), min_size=15, max_size=45))
async def test_there_are_twenty_live_keys_at_most(kinds):
    """API and gateway keys together; expired, revoked and other organizations' keys do not count."""
    async with town() as here:
        other = await here.store.write(provisioning.create, NewOrganization(name="Other"))
        owner = await here.store.write(a_member, here.organization.id, "owner@example.com")
        changes: dict[str, dict[str, Any]] = {
            "api": {"expires_at": here.clock.now() + HOUR_MS},
            "gateway": {"expires_at": here.clock.now() + HOUR_MS, "limited_to": "ai.gateway"},
            "expired": {"expires_at": here.clock.now()},
            "revoked": {"expires_at": here.clock.now() + HOUR_MS, "revoked_at": 1},
            "other": {"expires_at": here.clock.now() + HOUR_MS, "organization_id": other.id},
        }
        for number, kind in enumerate(kinds):
            await here.store.write(a_stored_key, owner, str(number), **changes[kind])
        live = sum(kind in {"api", "gateway"} for kind in kinds)

        refused = False
        try:
            call = call_of(owner, confirmed_at=here.clock.now())
            await here.store.write(api_keys.mint, call, NewKey(name="One more"))
        except KeyLimit:
            refused = True
        assert (live >= LIVE_KEYS_MAX) == refused


async def test_a_list_shows_all_but_the_key(here):
    """Names, visible starts, roles, limits, last use and end of what is not revoked."""
    first = await minted(here, name="First", tools=("record.list",))
    second = await minted(here, name="Second", limited_to="ai.gateway")
    third = await minted(here, name="Third")
    owner = await here.store.write(a_member, here.organization.id, "owner@example.com")
    await here.store.write(api_keys.note_uses, {first.id: START + 7})
    await here.store.write(api_keys.revoke, call_of(owner), third.id)

    listed = await here.store.read(api_keys.list_all, here.organization.id, here.clock.now())

    assert [
        ("First", first.visible_start, "api", ("record.list",), START + 7),
        ("Second", second.visible_start, "gateway", None, None),
    ] == [(one.name, one.visible_start, one.kind, one.tools, one.last_used_at) for one in listed]


async def test_a_key_is_revoked_once(here):
    """By a member of its own organization; then it is as if there were none."""
    made = await minted(here)
    owner = await here.store.write(a_member, here.organization.id, "owner@example.com")
    other = await here.store.write(provisioning.create, NewOrganization(name="Other"))
    stranger = await here.store.write(a_member, other.id, "stranger@example.com")

    with pytest.raises(NotFound):
        await here.store.write(api_keys.revoke, call_of(stranger), made.id)
    revoked_at = await here.store.write(api_keys.revoke, call_of(owner), made.id)
    assert here.clock.now() >= revoked_at
    with pytest.raises(NotFound):
        await here.store.write(api_keys.revoke, call_of(owner), made.id)


async def test_only_a_live_key_leads_somewhere(here):
    """Unknown, revoked and expired keys lead nowhere."""
    owner = await here.store.write(a_member, here.organization.id, "owner@example.com")
    end = here.clock.now() + HOUR_MS
    await here.store.write(a_stored_key, owner, "live", expires_at=end)
    await here.store.write(a_stored_key, owner, "revoked", expires_at=end, revoked_at=1)

    async def route(key_digest: str, at: int) -> Route | None:
        found: Route | None = await here.store.read(api_keys.route, key_digest, at)
        return found

    assert Route(here.organization.id, end) == await route("live", end - 1)
    for dead, at in (("live", end), ("revoked", end - 1), ("unknown", end - 1)):
        assert await route(dead, at) is None


@pytest.mark.sqlite
async def test_finding_a_key_is_one_search_of_each_index(here):
    """What keeps a dead key out is all in the indexes: the search ends there, and reads no row."""

    def plan(conn: Connection) -> list[str]:
        statement = api_keys._ROUTE._plan(conn.dialect).sql
        rows = conn.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", ("digest", 1, "digest", 1))
        return [row[3] for row in rows]

    assert [
        "COMPOUND QUERY",
        "LEFT-MOST SUBQUERY",
        "SEARCH api_keys USING INDEX ix_api_keys_live (digest=? AND expires_at>?)",
        "UNION ALL",
        "SEARCH previous_keys USING COVERING INDEX ix_previous_keys_live (digest=? AND ends_at>?)",
    ] == await here.store.read(plan)


def test_expiry_choices_are_those_of_the_contract() -> None:
    """30 days, 90 days, one year."""
    assert {"30d": 30, "90d": 90, "1y": 365} == {
        name: life_ms // DAY_MS for name, life_ms in API_KEY_LIVES_MS.items()
    }
