"""Calls are admitted from memory, and every change acts on the very next one."""

from typing import Any

import msgspec
import pytest
import trio

from svc.actors.identity.organization import USES_BATCH_SECONDS, Organization
from svc.actors.system import System
from svc.domain.crypto.keys import digest
from svc.domain.errors import Unauthenticated
from svc.domain.identity.callers import Caller
from svc.domain.identity.people import Person
from svc.domain.identity.roles import VIEWER
from svc.domain.identity.sessions import Session
from svc.storage import provisioning
from svc.storage.identity import api_keys, members, organizations, roles
from svc.storage.identity.api_keys import MintedKey, NewKey
from svc.storage.identity.members import MemberChanges
from svc.storage.identity.organizations import NewOrganization
from svc.storage.identity.roles import RoleChanges
from tests import tables
from tests.people import a_member, allow_keys_elsewhere, call_of
from tests.town import START, Town, town


async def a_key(here: Town, creator: Person, **asked: Any) -> MintedKey:
    call = call_of(creator, here.organization.id, confirmed_at=here.clock.now())
    return await here.store.write(api_keys.mint, call, NewKey(**({"name": "A key"} | asked)))


async def enter(system: System, key: MintedKey) -> Caller | None:
    """What a door does with a key: find its organization, and admit its caller. None stands for a 401."""
    found = await system.identity.keys.find(digest(key.key))
    if found is None:
        return None
    try:
        admission = await Organization(system, found.organization_id).admit_key(digest(key.key))
    except Unauthenticated:
        return None
    return admission.caller


def a_session(person: Person) -> Session:
    return Session(
        id="ses_1", person_id=person.id, created_at=0, confirmed_at=7, seen_at=START, expires_at=START * 2
    )


async def revoke(here: Town, owner: Person, creator: Person, key: MintedKey) -> None:
    await here.store.write(api_keys.revoke, call_of(owner), key.id)


async def deactivate(here: Town, owner: Person, creator: Person, key: MintedKey) -> None:
    await here.store.write(members.deactivate, call_of(owner), creator.id)


async def freeze(here: Town, owner: Person, creator: Person, key: MintedKey) -> None:
    await here.store.write(members.update, call_of(owner), creator.id, MemberChanges(status="frozen"))


async def close(here: Town, owner: Person, creator: Person, key: MintedKey) -> None:
    await here.store.write(organizations.close, here.organization.id)


async def expire(here: Town, owner: Person, creator: Person, key: MintedKey) -> None:
    here.clock.jump(key.expires_at - here.clock.now())


async def switch_off(here: Town, owner: Person, creator: Person, key: MintedKey) -> None:
    home = creator.home_organization_id
    await here.store.write(allow_keys_elsewhere, home, allowed=False)


async def close_home(here: Town, owner: Person, creator: Person, key: MintedKey) -> None:
    await here.store.write(organizations.close, creator.home_organization_id)


@pytest.mark.parametrize("stop", [revoke, deactivate, freeze, close, expire, switch_off, close_home])
async def test_a_key_stops_with_the_very_next_call(stop, autojump_clock):
    """Whichever way it is stopped: it worked until then, and does not from then on."""
    async with town() as here, here.live_system() as system:
        home = await here.store.write(provisioning.create, NewOrganization(name="Elsewhere"))
        await here.store.write(allow_keys_elsewhere, home.id, allowed=True)
        owner = await here.store.write(a_member, here.organization.id, "owner@example.com")
        creator = await here.store.write(
            a_member, here.organization.id, "ada@example.com", "admin", home=home.id
        )
        key = await a_key(here, creator)
        before = await enter(system, key)

        await stop(here, owner, creator, key)

        assert before is not None
        assert (key.id, creator.id) == (before.id, before.person_id)
        assert await enter(system, key) is None


async def test_a_stopped_creator_comes_back_with_their_keys(autojump_clock):
    """Freezing is for a while; a revoked key stays revoked."""
    async with town() as here, here.live_system() as system:
        owner = await here.store.write(a_member, here.organization.id, "owner@example.com")
        creator = await here.store.write(a_member, here.organization.id, "ada@example.com", "admin")
        kept, revoked = await a_key(here, creator), await a_key(here, creator)
        await freeze(here, owner, creator, kept)
        stopped = await enter(system, kept)
        await revoke(here, owner, creator, revoked)

        await here.store.write(members.update, call_of(owner), creator.id, MemberChanges(status="active"))

        assert stopped is None
        assert await enter(system, kept) is not None
        assert await enter(system, revoked) is None


async def test_calls_that_wait_already_are_judged_by_the_change(autojump_clock):
    """What stands in the mailbox when a key is revoked is refused when its turn comes."""
    async with town() as here, here.live_system() as system:
        owner = await here.store.write(a_member, here.organization.id, "owner@example.com")
        key = await a_key(here, owner)
        organization = Organization(system, here.organization.id)
        await enter(system, key)
        answers: list[bool] = []

        async def call() -> None:
            try:
                await organization.admit_key(digest(key.key))
            except Unauthenticated:
                answers.append(False)
            else:
                answers.append(True)

        # The first turn has to read the facts again; the others wait behind it while the key is revoked.
        system.identity.access_revisions.note(here.organization.id)
        async with trio.open_nursery() as nursery:
            for _ in range(10):
                nursery.start_soon(call)
            await here.store.write(api_keys.revoke, call_of(owner), key.id)
            [actor] = system.actors("Organization")
            waiting = actor.mailbox_depth

        assert 0 < waiting
        assert [False] * 9 == answers[1:]


async def test_a_key_follows_the_role_of_its_creator(autojump_clock):
    """Its permissions are what its role and the creator's current role have in common, call by call."""
    async with town() as here, here.live_system() as system:
        owner = await here.store.write(a_member, here.organization.id, "owner@example.com")
        creator = await here.store.write(a_member, here.organization.id, "ada@example.com", "admin")
        role = await here.store.write(roles.create, call_of(owner), "Forms", ["forms", "records.read"])
        key = await a_key(here, creator, role_id="admin")

        seen = []
        await here.store.write(members.update, call_of(owner), creator.id, MemberChanges(role_id=role.id))
        seen.append(await enter(system, key))
        await here.store.write(roles.update, call_of(owner), role.id, RoleChanges(permissions=("ai",)))
        seen.append(await enter(system, key))
        await here.store.write(members.update, call_of(owner), creator.id, MemberChanges(role_id="viewer"))
        seen.append(await enter(system, key))

        assert [{"forms", "records.read"}, {"ai"}, VIEWER.permissions] == [
            caller and caller.permissions for caller in seen
        ]


async def test_a_key_is_narrowed_as_it_was_made(autojump_clock):
    """To tools, or to the gateway."""
    async with town() as here, here.live_system() as system:
        owner = await here.store.write(a_member, here.organization.id, "owner@example.com")
        some = await enter(system, await a_key(here, owner, tools=("record.list", "record.get")))
        gateway = await enter(system, await a_key(here, owner, limited_to="ai.gateway"))

        assert some is not None
        assert gateway is not None
        assert (frozenset({"record.list", "record.get"}), None) == (some.tools, some.limited_to)
        assert (None, "ai.gateway") == (gateway.tools, gateway.limited_to)


async def test_a_signed_in_person_is_admitted_where_they_are_a_member(autojump_clock):
    """With their role as it stands, until they are put out."""
    async with town() as here, here.live_system() as system:
        owner = await here.store.write(a_member, here.organization.id, "owner@example.com")
        viewer = await here.store.write(a_member, here.organization.id, "ada@example.com", "viewer")
        organization = Organization(system, here.organization.id)
        caller = (await organization.admit_person(a_session(viewer))).caller
        await here.store.write(members.deactivate, call_of(owner), viewer.id)

        assert ("person", viewer.id, VIEWER.permissions, 7) == (
            caller.kind,
            caller.id,
            caller.permissions,
            caller.confirmed_at,
        )
        with pytest.raises(Unauthenticated):
            await organization.admit_person(a_session(viewer))


async def test_last_used_is_written_once_a_minute(autojump_clock):
    """Of sixty calls, one a second, the first is noted, beside the calls; a minute later the next."""
    async with town() as here, here.live_system() as system:
        owner = await here.store.write(a_member, here.organization.id, "owner@example.com")
        key = await a_key(here, owner)

        noted = set()
        for _ in range(61):
            await enter(system, key)
            await trio.sleep(1)
            [row] = await here.rows(tables.api_keys)
            noted.add(row.last_used_at)
        await trio.sleep(USES_BATCH_SECONDS)
        [row] = await here.rows(tables.api_keys)

        assert {None, START} >= noted
        assert START + 60_000 == row.last_used_at


async def test_last_used_outlives_the_system(autojump_clock):
    """A system that is built again does not write sooner than the last one would have."""
    async with town() as here:
        owner = await here.store.write(a_member, here.organization.id, "owner@example.com")
        key = await a_key(here, owner)
        for _ in range(3):
            async with here.live_system() as system:
                await enter(system, key)
                await trio.sleep(2)

        [row] = await here.rows(tables.api_keys)
        assert START == row.last_used_at


async def test_secrets_of_access_do_not_show(autojump_clock):
    """An operator who looks at the organization sees neither keys nor people."""
    async with town() as here, here.live_system() as system:
        owner = await here.store.write(a_member, here.organization.id, "owner@example.com")
        key = await a_key(here, owner)
        await enter(system, key)

        shown = msgspec.json.encode(await Organization(system, here.organization.id).snapshot()).decode()
        assert digest(key.key) not in shown
        assert owner.id not in shown
