"""Members, roles, teams and invitations: who may decide about whom, and what is written down of it."""

from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest

from svc.domain.changes import AccessChanged, Change, KeysChanged, MembersChanged, RolesChanged
from svc.domain.crypto.keys import digest
from svc.domain.errors import (
    Conflict,
    DomainError,
    Forbidden,
    InvalidInput,
    InvalidValue,
    NotFound,
    PersonOnly,
)
from svc.domain.identity.limits import INVITATION_LIFE_MS
from svc.domain.identity.people import Person
from svc.storage import provisioning
from svc.storage.identity import (
    access,
    accounts,
    api_keys,
    authorization,
    invitations,
    members,
    organizations,
    roles,
    teams,
)
from svc.storage.identity.accounts import NewAccount
from svc.storage.identity.members import MemberChanges
from svc.storage.identity.organizations import NewOrganization
from svc.storage.identity.roles import RoleChanges
from tests.people import a_member, a_stored_key, allow_keys_elsewhere, call_of, key_call
from tests.town import Town, town


class Staff(Town):
    """A town whose organization has an Owner, an Admin, a Viewer, and somebody for the settings alone."""

    owner: Person
    admin: Person
    viewer: Person
    clerk: Person
    heard: list[Change]

    async def move_in(self) -> None:
        home = self.organization.id
        self.owner = await self.store.write(a_member, home, "owner@example.com", "owner")
        self.admin = await self.store.write(a_member, home, "admin@example.com", "admin")
        self.viewer = await self.store.write(a_member, home, "viewer@example.com", "viewer")
        role = await self.store.write(roles.create, call_of(self.owner), "Clerk", ["settings", "forms"])
        self.clerk = await self.store.write(a_member, home, "clerk@example.com", role.id)
        self.heard = []
        self.store.listen(self.heard.append)


@pytest.fixture
async def staff() -> AsyncIterator[Staff]:
    async with town() as here:
        staff = Staff(here.store, here.clock, here.organization)
        await staff.move_in()
        yield staff


async def refusal(staff: Staff, fn: Any, *args: Any) -> type[Exception] | None:
    try:
        await staff.store.write(fn, *args)
    except DomainError as error:
        return type(error)
    return None


@pytest.mark.parametrize(
    ("who", "whom", "changes", "refused"),
    [
        ("owner", "admin", {"role_id": "owner"}, None),
        ("owner", "viewer", {"status": "frozen"}, None),
        ("admin", "viewer", {"role_id": "admin"}, None),
        ("admin", "viewer", {"role_id": "owner"}, Forbidden),
        ("admin", "owner", {"status": "frozen"}, Forbidden),
        ("admin", "owner", {"role_id": "viewer"}, Forbidden),
        ("clerk", "viewer", {"role_id": "viewer"}, Forbidden),
        ("clerk", "clerk", {"role_id": "admin"}, Forbidden),
        ("clerk", "clerk", {"team_ids": ()}, None),
        ("viewer", "viewer", {"role_id": "viewer"}, Forbidden),
        ("owner", "owner", {"role_id": "admin"}, Conflict),
        ("owner", "owner", {"status": "frozen"}, Conflict),
        ("owner", "viewer", {"role_id": "rol_none"}, InvalidInput),
        ("owner", "viewer", {"team_ids": ("tea_none",)}, InvalidInput),
    ],
)
async def test_who_may_change_whom(staff, who, whom, changes, refused):
    """No person gives more than they have, or decides about a member with more; the last Owner stays."""
    asked = MemberChanges(**changes)
    person = getattr(staff, whom).id

    assert refused == await refusal(staff, members.update, call_of(getattr(staff, who)), person, asked)


@pytest.mark.parametrize(
    ("who", "whom", "refused"),
    [
        ("owner", "admin", None),
        ("owner", "owner", Conflict),
        ("admin", "owner", Forbidden),
        ("clerk", "viewer", Forbidden),
        ("viewer", "clerk", Forbidden),
    ],
)
async def test_who_may_put_whom_out(staff, who, whom, refused):
    """The rules are those of a change; a refused one leaves the member in."""
    person = getattr(staff, whom)

    assert refused == await refusal(staff, members.deactivate, call_of(getattr(staff, who)), person.id)
    status = (await staff.store.read(members.get, staff.organization.id, person.id)).status
    assert ("active" if refused else "deactivated") == status


async def test_an_owner_may_go_when_another_stays(staff):
    """Owners that are not active do not count."""
    owner = call_of(staff.owner)
    await staff.store.write(members.update, owner, staff.admin.id, MemberChanges(role_id="owner"))
    await staff.store.write(members.update, owner, staff.admin.id, MemberChanges(status="frozen"))

    assert Conflict is await refusal(staff, members.deactivate, owner, staff.owner.id)
    await staff.store.write(members.update, owner, staff.admin.id, MemberChanges(status="active"))
    assert await refusal(staff, members.deactivate, owner, staff.owner.id) is None


async def test_a_key_changes_no_members(staff):
    """What hands out power is for people, whatever the caller says that it is permitted."""
    asked = MemberChanges(role_id="admin")

    assert PersonOnly is await refusal(staff, members.update, key_call(staff.owner), staff.viewer.id, asked)
    assert PersonOnly is await refusal(staff, roles.create, key_call(staff.owner), "All", ["forms"])


async def test_power_is_looked_up_when_it_is_used(staff):
    """A call that was admitted before its person was put out does nothing after."""
    call = call_of(staff.admin)
    await staff.store.write(members.deactivate, call_of(staff.owner), staff.admin.id)

    assert Forbidden is await refusal(staff, members.deactivate, call, staff.viewer.id)


@pytest.mark.parametrize(
    ("who", "permissions", "refused"),
    [
        ("owner", ["security", "ai"], None),
        ("clerk", ["forms"], None),
        ("clerk", ["forms", "security"], Forbidden),
        ("viewer", ["records.read"], Forbidden),
        ("owner", ["flying"], InvalidValue),
    ],
)
async def test_who_may_make_which_role(staff, who, permissions, refused):
    """A role has at most the permissions of its maker."""
    call = call_of(getattr(staff, who))

    assert refused == await refusal(staff, roles.create, call, "A role", permissions)


async def test_a_role_is_changed_within_ones_own(staff):
    """Neither a role that permits more is changed, nor one so that it permits more."""
    forms = await staff.store.write(roles.create, call_of(staff.owner), "Forms", ["forms"])
    keys = await staff.store.write(roles.create, call_of(staff.owner), "Keys", ["security"])
    clerk = call_of(staff.clerk)

    less = RoleChanges(permissions=())
    assert Forbidden is await refusal(staff, roles.update, clerk, keys.id, less)
    assert Forbidden is await refusal(staff, roles.delete, clerk, keys.id)
    more = RoleChanges(permissions=("forms", "security"))
    assert Forbidden is await refusal(staff, roles.update, clerk, forms.id, more)
    assert await refusal(staff, roles.update, clerk, forms.id, RoleChanges(name="Web forms")) is None
    listed = await staff.store.read(roles.list_all, staff.organization.id)
    assert ["Owner", "Admin", "Viewer", "Clerk", "Web forms", "Keys"] == [one.name for one in listed]


async def test_names_of_roles_and_teams_are_their_own(staff):
    """Whatever their case, and a built-in role's name is taken too."""
    owner = call_of(staff.owner)
    team = await staff.store.write(teams.create, owner, "Sales")

    assert Conflict is await refusal(staff, roles.create, owner, "CLERK", [])
    assert Conflict is await refusal(staff, roles.create, owner, "owner", [])
    assert Conflict is await refusal(staff, teams.create, owner, "sales")
    assert await refusal(staff, teams.rename, owner, team.id, "sales") is None


async def test_a_role_in_use_stays(staff):
    """While a member, a live key or an invitation has it; built-in roles always."""
    owner = call_of(staff.owner)
    role_ids = [(await staff.store.write(roles.create, owner, name, [])).id for name in ("A", "B", "C")]
    await staff.store.write(members.update, owner, staff.viewer.id, MemberChanges(role_id=role_ids[0]))
    await staff.store.write(a_stored_key, staff.owner, "1", role_id=role_ids[1])
    await staff.store.write(invitations.invite, owner, "new@example.com", role_ids[2])

    for role_id in (*role_ids, "viewer"):
        assert Conflict is await refusal(staff, roles.delete, owner, role_id)
    staff.clock.jump(INVITATION_LIFE_MS)
    for role_id in role_ids[1:]:
        assert await refusal(staff, roles.delete, owner, role_id) is None


async def test_members_are_in_teams(staff):
    """A member's teams are what was said last, and a team knows its members."""
    owner = call_of(staff.owner)
    sales = await staff.store.write(teams.create, owner, "Sales")
    help_desk = await staff.store.write(teams.create, owner, "Help desk")

    for team_ids in ((sales.id, help_desk.id), (help_desk.id,)):
        await staff.store.write(members.update, owner, staff.viewer.id, MemberChanges(team_ids=team_ids))

    listed = await staff.store.read(members.list_all, staff.organization.id)
    assert [(), (), (help_desk.id,), ()] == [one.team_ids for one in listed]
    found = await staff.store.read(teams.list_all, staff.organization.id)
    assert [("Sales", 0), ("Help desk", 1)] == [(one.name, one.member_count) for one in found]


async def test_a_newcomer_accepts_an_invitation(staff):
    """An account is made, at home here, a member in the role and teams that were offered; once."""
    owner = call_of(staff.owner)
    team = await staff.store.write(teams.create, owner, "Sales")
    made = await staff.store.write(invitations.invite, owner, " New@Example.com ", "viewer", (team.id,))
    waiting = await staff.store.read(invitations.list_all, staff.organization.id, staff.clock.now())

    person = await staff.store.write(invitations.accept_as_new, digest(made.token), "Ned", "hash")

    member = await staff.store.read(members.get, staff.organization.id, person.id)
    assert ["new@example.com"] == [one.email for one in waiting]
    assert ("new@example.com", "viewer", (team.id,)) == (member.email, member.role_id, member.team_ids)
    assert staff.organization.id == member.home_organization_id
    assert NotFound is await refusal(staff, invitations.accept_as_new, digest(made.token), "Ned", "hash")


async def test_an_account_of_elsewhere_accepts_an_invitation(staff):
    """The holder joins, whatever their address is. The account stays at home where it was."""
    elsewhere = await staff.store.write(provisioning.create, NewOrganization(name="Elsewhere"))
    guest = await staff.store.write(a_member, elsewhere.id, "guest@example.com")
    owner = call_of(staff.owner)
    made = await staff.store.write(invitations.invite, owner, "grace@example.com", "admin")

    token = digest(made.token)
    assert Conflict is await refusal(staff, invitations.accept, token, staff.viewer.id)
    await staff.store.write(invitations.accept, token, guest.id)
    assert NotFound is await refusal(staff, invitations.accept_as_new, token, "Grace", "hash")

    member = await staff.store.read(members.get, staff.organization.id, guest.id)
    assert (elsewhere.id, "admin") == (member.home_organization_id, member.role_id)
    here = [one.name for one in await staff.store.read(accounts.memberships, guest.id)]
    assert ["Lamps & Co", "Elsewhere"] == here


@pytest.mark.parametrize(
    ("who", "email", "role_id", "refused"),
    [
        ("admin", "new@example.com", "admin", None),
        ("admin", "new@example.com", "owner", Forbidden),
        ("clerk", "new@example.com", "viewer", Forbidden),
        ("viewer", "new@example.com", "viewer", Forbidden),
        ("owner", "viewer@example.com", "viewer", Conflict),
        ("owner", "no address", "viewer", InvalidInput),
        ("owner", "new@example.com", "rol_none", InvalidInput),
    ],
)
async def test_who_may_invite_whom(staff, who, email, role_id, refused):
    """An inviter offers no role above their own."""
    call = call_of(getattr(staff, who))

    assert refused == await refusal(staff, invitations.invite, call, email, role_id)


async def test_an_invitation_is_worth_what_its_inviter_may_give(staff):
    """It ends with a later one, after a week, and with the inviter's right to invite."""
    admin = call_of(staff.admin)
    first = await staff.store.write(invitations.invite, admin, "new@example.com", "admin")
    second = await staff.store.write(invitations.invite, admin, "new@example.com", "viewer")
    accept = invitations.accept_as_new

    assert NotFound is await refusal(staff, accept, digest(first.token), "Ned", "hash")
    await staff.store.write(members.deactivate, call_of(staff.owner), staff.admin.id)
    assert Forbidden is await refusal(staff, accept, digest(second.token), "Ned", "hash")
    third = await staff.store.write(invitations.invite, call_of(staff.owner), "new@example.com", "viewer")
    staff.clock.jump(INVITATION_LIFE_MS)
    assert NotFound is await refusal(staff, accept, digest(third.token), "Ned", "hash")


async def test_a_former_owner_comes_back_through_an_owner_alone(staff):
    """By being let in again, and by no invitation: not by one to them, nor by another's that they hold."""
    owner = call_of(staff.owner)
    await staff.store.write(members.update, owner, staff.clerk.id, MemberChanges(role_id="owner"))
    await staff.store.write(members.deactivate, owner, staff.clerk.id)

    email, back = staff.clerk.email, MemberChanges(status="active", role_id="viewer")
    made = await staff.store.write(invitations.invite, owner, "new@example.com", "viewer")
    assert Conflict is await refusal(staff, invitations.invite, owner, email, "viewer")
    assert Conflict is await refusal(staff, invitations.accept, digest(made.token), staff.clerk.id)
    assert Forbidden is await refusal(staff, members.update, call_of(staff.admin), staff.clerk.id, back)
    await staff.store.write(members.update, owner, staff.clerk.id, back)
    role = await staff.store.read(authorization.active_role, staff.organization.id, staff.clerk.id)
    assert "viewer" == (role and role.id)


async def test_an_address_has_one_account_in_a_home(staff):
    """However it is written; another organization has its own."""
    elsewhere = await staff.store.write(provisioning.create, NewOrganization(name="Elsewhere"))
    again = NewAccount(email=" OWNER@example.com", name="Two", home_organization_id=staff.organization.id)

    assert Conflict is await refusal(staff, accounts.create, again)
    await staff.store.write(
        accounts.create, msgspec.structs.replace(again, home_organization_id=elsewhere.id)
    )
    found = await staff.store.read(accounts.with_email, "owner@example.com")
    assert [staff.organization.id, elsewhere.id] == [one.home_organization_id for one in found]


async def test_a_guests_address_blocks_no_invitation(staff):
    """Another organization has given it to them: its real owner is invited, and comes in, all the same."""
    elsewhere = await staff.store.write(provisioning.create, NewOrganization(name="Elsewhere"))
    guest = await staff.store.write(a_member, elsewhere.id, "grace@example.com")
    owner = call_of(staff.owner)
    first = await staff.store.write(invitations.invite, owner, "grace@example.com", "viewer")
    await staff.store.write(invitations.accept, digest(first.token), guest.id)

    again = await staff.store.write(invitations.invite, owner, "grace@example.com", "admin")
    grace = await staff.store.write(invitations.accept_as_new, digest(again.token), "Grace", "hash")

    listed = await staff.store.read(members.list_all, staff.organization.id)
    assert [(guest.id, elsewhere.id), (grace.id, staff.organization.id)] == [
        (one.id, one.home_organization_id) for one in listed if one.email == "grace@example.com"
    ]


async def test_every_change_of_access_is_announced(staff):
    """Members, roles and keys, each to the organization that they are of."""
    owner = call_of(staff.owner)
    role = await staff.store.write(roles.create, owner, "Forms", ["forms"])
    await staff.store.write(members.update, owner, staff.viewer.id, MemberChanges(role_id=role.id))
    await staff.store.write(members.deactivate, owner, staff.viewer.id)
    await staff.store.write(a_stored_key, staff.owner, "1")
    await staff.store.write(api_keys.revoke, owner, "key_1")
    await staff.store.write(organizations.close, staff.organization.id)

    heard = [type(change) for change in staff.heard if isinstance(change, AccessChanged)]
    assert [RolesChanged, MembersChanged, MembersChanged, KeysChanged, MembersChanged] == heard


async def test_a_home_organization_decides_about_its_peoples_keys(staff):
    """Its switch and its closing are announced wherever its people work, and decide there."""
    elsewhere = await staff.store.write(provisioning.create, NewOrganization(name="Elsewhere"))
    here = staff.organization.id
    guest = await staff.store.write(a_member, here, "guest@example.com", home=elsewhere.id)

    found = []
    for change, how in (
        (allow_keys_elsewhere, {"allowed": True}),
        (allow_keys_elsewhere, {"allowed": False}),
        (allow_keys_elsewhere, {"allowed": True}),
        (organizations.close, {}),
    ):
        staff.heard.clear()
        await staff.store.write(change, elsewhere.id, **how)
        assert {here, elsewhere.id} == {
            one.organization_id for one in staff.heard if isinstance(one, MembersChanged)
        }
        facts = await staff.store.read(access.load, here, staff.clock.now())
        found.append(facts.members[guest.id].keys_allowed)

    assert [True, False, True, False] == found
    assert facts.members[staff.owner.id].keys_allowed
