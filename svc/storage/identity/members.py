"""Members: the people of an organization, each in one role, and in any number of teams."""

from collections.abc import Collection, Sequence
from typing import Final, Literal

import msgspec
import sqlalchemy as sa

from svc.domain.changes import MembersChanged
from svc.domain.errors import Conflict, Fault, InvalidInput, NotFound, named_at
from svc.domain.identity.access import MemberStatus
from svc.domain.identity.callers import Call
from svc.domain.identity.roles import OWNER, Role
from svc.domain.input.near_names import shown
from svc.domain.limits import LIST_ROWS
from svc.storage import audit
from svc.storage.identity import authorization, key_states, roles, tables
from svc.storage.identity.authorization import check_gift
from svc.storage.pages import Keyset
from svc.storage.rows import Computed, Selection
from svc.storage.statements import Statement
from svc.storage.store import Tx


class Member(msgspec.Struct, frozen=True, kw_only=True):
    """A member as a list shows it. `id` is the person's; `joined_at` is ms since the epoch."""

    id: str
    email: str
    name: str
    role_id: str
    status: MemberStatus
    team_ids: tuple[str, ...]
    home_organization_id: str
    email_proven_at: int | None
    joined_at: int


class MemberChanges(msgspec.Struct, frozen=True, kw_only=True):
    """Changes of a member; None leaves a field as it is."""

    role_id: str | None = None
    team_ids: tuple[str, ...] | None = None
    status: Literal["active", "frozen"] | None = None
    """To freeze a member, or to let a frozen or deactivated one in again."""


class MemberFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Filter of a list: all that is given must hold."""

    person_id: str | None = None
    role_id: str | None = None
    team_id: str | None = None
    status: MemberStatus | None = None
    limit: int = LIST_ROWS
    cursor: str | None = None


_member: Final = tables.members.c
_person: Final = tables.people.c
_team_member: Final = tables.team_members.c
_ADD_TO_TEAM: Final = Statement(sa.insert(tables.team_members))


def add(tx: Tx, call: Call, person_id: str, role_id: str, team_ids: Sequence[str] = ()) -> Member:
    """Make a person a member, or a former one a member again.

    Raises:
        Forbidden: the role is above the caller's.
        NotFound: no such role or team.
        Conflict: the member is active already.
    """
    organization_id = call.caller.organization_id
    own = authorization.require(tx.conn, call, "settings")
    check_gift(own, roles.get(tx.conn, organization_id, role_id))
    _check_joinable(tx.conn, organization_id, person_id, own)
    join(tx, organization_id, person_id, role_id, team_ids)
    audit.note(tx, call, "member.add", person_id)
    return get(tx.conn, organization_id, person_id)


def _check_joinable(conn: sa.Connection, organization_id: str, person_id: str, own: Role) -> None:
    """Raises `Conflict` for an active member, and `Forbidden` for a former one above the role *own*."""
    before = _select(conn, organization_id, _member.person_id == person_id)
    if before and before[0].status == "active":
        raise Conflict("already a member")
    for former in before:
        check_gift(own, roles.get(conn, organization_id, former.role_id))


def join(tx: Tx, organization_id: str, person_id: str, role_id: str, team_ids: Sequence[str]) -> None:
    """Insert the member. The caller has checked the permission, and writes the audit trail."""
    known = tx.conn.scalar(sa.select(_member.status).where(_is(organization_id, person_id)))
    values = {"role_id": role_id, "status": "active", "updated_at": tx.now}
    if known is None:
        own = {"organization_id": organization_id, "person_id": person_id, "created_at": tx.now}
        tx.conn.execute(sa.insert(tables.members).values(**own, **values))
    else:
        tx.conn.execute(sa.update(tables.members).where(_is(organization_id, person_id)).values(**values))
        key_states.check_room(tx.conn, organization_id, person_id, tx.now)
    _set_teams(tx, organization_id, person_id, team_ids)
    tx.announce(MembersChanged(organization_id))


def update(tx: Tx, call: Call, person_id: str, changes: MemberChanges) -> Member:
    """Change a member's role, teams or status.

    Raises:
        Forbidden: the member's role is above the caller's, or the new one is.
        NotFound: no such member, role or team.
        Conflict: no active Owner would be left.
        KeyLimit: with the keys of a member who is let in again, there would be more than 20 live ones.
    """
    own = authorization.require(tx.conn, call, "settings")
    member = _in_reach(tx, call, own, person_id)
    values: dict[str, str | int] = {"updated_at": tx.now}
    if changes.role_id is not None:
        with named_at("/role"):
            role = roles.get(tx.conn, call.caller.organization_id, changes.role_id)
        check_gift(own, role)
        values["role_id"] = changes.role_id
    if changes.status is not None:
        values["status"] = changes.status
    _update(tx, call, member, values)
    if changes.status == "active" != member.status:
        key_states.check_room(tx.conn, call.caller.organization_id, person_id, tx.now)
    if changes.team_ids is not None:
        _set_teams(tx, call.caller.organization_id, person_id, changes.team_ids)
    return get(tx.conn, call.caller.organization_id, person_id)


def deactivate(tx: Tx, call: Call, person_id: str) -> Member:
    """Deactivate a member; their keys stop with the next call. Raises as `update` does."""
    own = authorization.require(tx.conn, call, "settings")
    member = _in_reach(tx, call, own, person_id)
    _update(tx, call, member, {"status": "deactivated", "updated_at": tx.now})
    return get(tx.conn, call.caller.organization_id, person_id)


def get(conn: sa.Connection, organization_id: str, person_id: str) -> Member:
    """The member, whatever the status. Raises `NotFound`."""
    members = _select(conn, organization_id, _member.person_id == person_id)
    if not members:
        raise NotFound(f"there is no member {shown(person_id)}")
    return members[0]


def with_email(conn: sa.Connection, organization_id: str, email: str) -> list[Member]:
    """The members with that normalized e-mail address, whatever their status; those at home here first."""
    members = _select(conn, organization_id, _person.email == email)
    return sorted(members, key=lambda member: member.home_organization_id != organization_id)


def status_of(conn: sa.Connection, organization_id: str, person_id: str) -> MemberStatus | None:
    """The member's status; None for a person who never was one."""
    status: MemberStatus | None = conn.scalar(
        sa.select(_member.status).where(_is(organization_id, person_id))
    )
    return status


def list_all(conn: sa.Connection, organization_id: str) -> list[Member]:
    """All members, whatever their status, in the order in which their accounts were made."""
    return _select(conn, organization_id)


def list_page(
    conn: sa.Connection, organization_id: str, filter_: MemberFilter
) -> tuple[list[Member], str | None]:
    """The members of the filter, in the order in which their accounts were made, and the next cursor.

    Raises `InvalidInput` for the cursor of another list.
    """
    question = ["members", filter_.person_id, filter_.role_id, filter_.team_id, filter_.status]
    keyset = Keyset(question, filter_.cursor, filter_.limit)
    which = keyset.conditions(_member.person_id, newest_first=False)
    wanted = {"person_id": filter_.person_id, "role_id": filter_.role_id, "status": filter_.status}
    which += [_member[name] == value for name, value in wanted.items() if value is not None]
    if filter_.team_id is not None:
        in_team = sa.select(_team_member.person_id).where(_team_member.team_id == filter_.team_id)
        which.append(_member.person_id.in_(in_team))
    page, next_cursor = keyset.cut(_select(conn, organization_id, *which, limit=filter_.limit + 1))
    return list(page), next_cursor


_TEAM_IDS = (
    sa.select(sa.func.aggregate_strings(_team_member.team_id, " "))
    .where(
        _team_member.organization_id == _member.organization_id,
        _team_member.person_id == _member.person_id,
    )
    .scalar_subquery()
    .label("joined")
)


def _ids_in(joined: str | None) -> tuple[str, ...]:
    return tuple(sorted((joined or "").split()))


_MEMBERS: Final = Selection(
    Member,
    tables.people,
    tables.members,
    members={"joined_at": _member.created_at, "team_ids": Computed([_TEAM_IDS], _ids_in)},
)


def _select(
    conn: sa.Connection, organization_id: str, *which: sa.ColumnElement[bool], limit: int | None = None
) -> list[Member]:
    select = (
        _MEMBERS.select(_member.organization_id == organization_id, *which)
        .join(tables.people, _person.id == _member.person_id)
        .order_by(_member.person_id)
        .limit(limit)
    )
    return _MEMBERS.all(conn, select)


def count_to(conn: sa.Connection, organization_id: str, most: int) -> int:
    """How many members there are, active or not, counted up to *most*."""
    some = sa.select(_member.person_id).where(_member.organization_id == organization_id).limit(most)
    return conn.execute(sa.select(sa.func.count()).select_from(some.subquery())).scalar_one()


def names(conn: sa.Connection, organization_id: str, ids: Collection[str]) -> dict[str, str]:
    """The names of members, active or not, by id; of one without a name, the e-mail."""
    rows = conn.execute(
        sa.select(_person.id, _person.name, _person.email)
        .join(tables.members, _member.person_id == _person.id)
        .where(_member.organization_id == organization_id, _person.id.in_(ids))
    )
    return {row.id: row.name or row.email for row in rows}


def _in_reach(tx: Tx, call: Call, own: Role, person_id: str) -> Member:
    """The member. Raises `Forbidden` for one whose role is above the caller's role *own*."""
    organization_id = call.caller.organization_id
    member = get(tx.conn, organization_id, person_id)
    check_gift(own, roles.get(tx.conn, organization_id, member.role_id))
    return member


def _update(tx: Tx, call: Call, member: Member, values: dict[str, str | int]) -> None:
    organization_id = call.caller.organization_id
    tx.conn.execute(sa.update(tables.members).where(_is(organization_id, member.id)).values(**values))
    if member.role_id == OWNER.id and not _has_owner(tx.conn, organization_id):
        raise Conflict("the last Owner stays: make somebody else an Owner first")
    tx.announce(MembersChanged(organization_id))


def _has_owner(conn: sa.Connection, organization_id: str) -> bool:
    owners = sa.select(_member.person_id).where(
        _member.organization_id == organization_id,
        _member.role_id == OWNER.id,
        _member.status == "active",
    )
    return conn.scalar(owners.limit(1)) is not None


def _set_teams(tx: Tx, organization_id: str, person_id: str, team_ids: Sequence[str]) -> None:
    wanted = set(team_ids)
    known = tx.conn.scalars(
        sa.select(tables.teams.c.id).where(
            tables.teams.c.organization_id == organization_id, tables.teams.c.id.in_(wanted)
        )
    )
    missing = wanted - set(known)
    if missing:
        raise InvalidInput(
            Fault(f"/teams/{team_ids.index(one)}", "not_found", f"there is no team {shown(one)}")
            for one in sorted(missing)
        )
    tx.conn.execute(
        sa.delete(tables.team_members).where(
            _team_member.organization_id == organization_id,
            _team_member.person_id == person_id,
        )
    )
    member = {"organization_id": organization_id, "person_id": person_id}
    _ADD_TO_TEAM.many(tx.conn, [member | {"team_id": team_id} for team_id in sorted(wanted)])


def _is(organization_id: str, person_id: str) -> sa.ColumnElement[bool]:
    return (_member.organization_id == organization_id) & (_member.person_id == person_id)
