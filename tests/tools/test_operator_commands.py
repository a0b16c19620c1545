"""The operator's commands as units of work: what they make, and what the audit trail says of it."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from svc.domain.crypto.keys import digest
from svc.domain.errors import Conflict, Forbidden, InvalidInput, InvalidValue, NotFound, Unauthenticated
from svc.domain.identity.access import admit_key
from svc.domain.identity.callers import operator_call
from svc.domain.locale.times import DAY_MS
from svc.storage import audit
from svc.storage.channels import outboxes, reply_batches
from svc.storage.channels.tables import deliveries
from svc.storage.channels.tables import replies as reply_rows
from svc.storage.identity import access, accounts, members, organizations, sign_in
from svc.storage.identity.members import MemberChanges
from svc.storage.store import View
from svc.tools import operator_commands
from svc.tools.operator_catalogue import COMMANDS
from svc.tools.operator_commands import (
    ChangePlan,
    CloseOrganization,
    CreateOrganization,
    CreateUser,
    MakeLink,
    MintKey,
    SetUp,
    SetUpResult,
)
from tests import tables
from tests.channels import a_connection, a_reply
from tests.people import a_member
from tests.town import Town, town


@pytest.fixture
async def here() -> AsyncIterator[Town]:
    async with town() as here:
        yield here


async def set_up(here: Town, **changes: Any) -> SetUpResult:
    request: dict[str, Any] = {
        "organization": CreateOrganization(name="Harbour Lamps", country="GB"),
        "email": "Ada@Example.com",
        "name": "Ada",
    }
    made: SetUpResult = await here.store.write(operator_commands.set_up, SetUp(**(request | changes)))
    return made


async def mint(here: Town, email: str, **changes: Any) -> operator_commands.OperatorKey:
    request = MintKey(
        **({"organization_id": here.organization.id, "email": email, "name": "A key"} | changes)
    )
    made: operator_commands.OperatorKey = await here.store.write(operator_commands.mint_key, request)
    return made


async def test_a_set_up_makes_all_that_a_first_call_needs(here):
    """The key acts as the Owner, who signs in by the link; the audit trail names the operator."""
    made = await set_up(here)

    kept = await here.store.read(access.load, made.organization_id, here.clock.now())
    caller = admit_key(kept, digest(made.key), here.clock.now())
    person = await here.store.read(accounts.get, made.person_id)
    [minted] = await here.rows(tables.audit, action="apikey.mint")
    assert ("key", made.person_id, None) == (caller.kind, caller.person_id, caller.tools)
    assert "security" in caller.permissions
    assert ("ada@example.com", made.organization_id) == (person.email, person.home_organization_id)
    assert made.sign_in_token is not None
    assert made.person_id == await here.store.write(sign_in.use_link, digest(made.sign_in_token))
    assert ("operator", made.person_id, "cli", made.key_id) == (
        minted.caller_kind,
        minted.person_id,
        minted.door,
        minted.target,
    )


async def test_with_a_password_there_is_no_link(here):
    """One way in is enough."""
    made = await set_up(here, password_hash="$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$aGFzaA")

    assert made.sign_in_token is None
    assert 0 == await here.count(tables.sign_in_links)


@pytest.mark.parametrize(
    "wrong",
    [
        {"email": "no address"},
        {"name": "A\nB"},
        {"organization": CreateOrganization(name="X", country="Atlantis")},
    ],
)
async def test_a_set_up_is_done_whole_or_not_at_all(here, wrong):
    """What is wrong in one part leaves nothing of the others."""
    before = await here.count(tables.organizations)

    with pytest.raises((InvalidInput, InvalidValue)):
        await set_up(here, **wrong)

    assert before == await here.count(tables.organizations)
    assert 0 == await here.count(tables.people)


async def test_a_key_has_what_its_member_may_have(here, autojump_clock):
    """It ends and is narrowed as was asked, tools by either spelling."""
    await here.store.write(a_member, here.organization.id, "ada@example.com", "admin")

    made = await mint(here, "ADA@example.com", role="viewer", tools=("record_list",), expires_in="30d")

    [row] = await here.rows(tables.api_keys)
    assert ("viewer", '["record.list"]', here.clock.now() + 30 * DAY_MS) == (
        row.role_id,
        row.tools,
        row.expires_at,
    )
    assert digest(made.key) == row.digest


async def test_a_key_is_never_above_its_member(here):
    """One without the permission `security` gets none; one outside, frozen or unknown is no active member."""
    home = here.organization.id
    viewer = await here.store.write(a_member, home, "vera@example.com", "viewer")
    ada = await here.store.write(a_member, home, "ada@example.com", "admin")

    with pytest.raises(Forbidden, match="permission security"):
        await mint(here, viewer.email)
    with pytest.raises(Forbidden, match="more than your own"):
        await mint(here, ada.email, role="owner")
    with pytest.raises(InvalidInput, match=r"did you mean `record\.list`"):
        await mint(here, ada.email, tools=("record.lists",))
    with pytest.raises(NotFound, match="is no active member"):
        await mint(here, "bo@example.com")
    await here.store.write(members.update, operator_call(home), ada.id, MemberChanges(status="frozen"))
    with pytest.raises(NotFound, match="no active member"):
        await mint(here, ada.email)
    with pytest.raises(NotFound, match="no such organization"):
        await mint(here, ada.email, organization_id="org_0")
    assert 0 == await here.count(tables.api_keys)


async def test_of_two_members_with_one_address_the_one_at_home_is_meant(here):
    """An account of another organization may have the same address, and be a member too."""
    other = await here.store.write(
        operator_commands.create_organization, CreateOrganization(name="Somewhere else")
    )
    await here.store.write(a_member, here.organization.id, "ada@example.com", home=other.id)
    own = await here.store.write(a_member, here.organization.id, "ada@example.com")

    await mint(here, "ada@example.com")

    [row] = await here.rows(tables.api_keys)
    assert own.id == row.creator_id


async def test_a_closed_organization_sends_nothing_any_more(here):
    """Replies and tests that wait for bridges have failed, keys open nothing, and its data is there."""
    home = here.organization.id
    made = await set_up(here)
    closing = CloseOrganization(organization_id=home)
    await here.store.write(a_member, home, "ada@example.com")
    key = await mint(here, "ada@example.com")
    pulled = await here.store.write(a_connection, home)
    pushed = await here.store.write(a_connection, home, delivery="push", url="https://bridge.example/x")
    for connection in (pulled, pushed):
        await here.store.write(a_reply, connection)
    await here.store.write(outboxes.send_test, home, pushed.id)

    await here.store.write(operator_commands.close_organization, closing)

    now = here.clock.now()
    load = await here.store.write(outboxes.load, pushed.id, 8)
    kept = await here.store.read(access.load, home, now)
    other = await here.store.read(access.load, made.organization_id, now)
    states = [(one.state, one.failure) for one in await here.rows(reply_rows)]
    [noted] = await here.rows(tables.audit, action="organization.close")
    assert (load.pushes, load.more) == ((), False)
    assert [("failed", "removed")] * 2 == states
    assert [] == await here.store.read(reply_batches.connections_due, now + DAY_MS)
    assert all(one.done_at is not None for one in await here.rows(deliveries))
    with pytest.raises(Unauthenticated):
        admit_key(kept, digest(key.key), now)
    assert "key" == admit_key(other, digest(made.key), now).kind
    assert (home, "operator") == (noted.target, noted.caller_kind)
    with pytest.raises(Conflict, match="closed already"):
        await here.store.write(operator_commands.close_organization, closing)
    assert "Lamps & Co" == (await here.store.read(organizations.get, home)).name


async def test_every_command_reads_its_own_input(here):
    """From JSON as the wire has it: names in camelCase, and no unknown one."""
    request = operator_commands.change_plan.read(b'{"organizationId": "org_1", "plan": "pro"}')

    assert ChangePlan(organization_id="org_1", plan="pro") == request
    for command in COMMANDS.values():
        with pytest.raises(InvalidInput):
            command.read(b'{"nothing": 1}')


async def test_commands_leave_their_trail(here):
    """In the organization that they concern."""
    home = here.organization.id
    user = await here.store.write(
        operator_commands.create_user, CreateUser(organization_id=home, email="bo@example.com", name="Bo")
    )
    await here.store.write(operator_commands.change_plan, ChangePlan(organization_id=home, plan="pro"))
    await here.store.write(operator_commands.make_link, MakeLink(email="bo@example.com"))

    page = await here.store.read(_trail, home, here.clock.now())
    assert [
        ("organization.plan", home),
        ("member.sign_in_link", user.id),
        ("member.add", user.id),
    ] == sorted(((one.action, one.target) for one in page.entries), key=lambda line: line[0], reverse=True)
    assert "pro" == (await here.store.read(organizations.get, home)).plan


def _trail(conn: Any, organization_id: str, now: int) -> audit.AuditPage:
    return audit.list_page(View(conn, now), organization_id, audit.AuditFilter())
