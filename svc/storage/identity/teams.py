"""Teams of members, to which conversations and records can belong."""

from typing import Final

import msgspec
import sqlalchemy as sa

from svc.domain.errors import Conflict, NotFound
from svc.domain.identity.callers import Call
from svc.domain.identity.limits import TEAMS_MAX
from svc.domain.identity.people import unique_name
from svc.domain.input.near_names import shown
from svc.storage.identity import authorization, tables
from svc.storage.rows import Selection
from svc.storage.statements import Statement
from svc.storage.store import Tx


class Team(msgspec.Struct, frozen=True):
    """A team, and how many members are in it."""

    id: str
    name: str
    member_count: int


_TEAMS: Final = Selection(
    Team, tables.teams, members={"member_count": sa.func.count(tables.team_members.c.person_id)}
)
_PEOPLE = Statement(
    sa.select(tables.team_members.c.person_id).where(tables.team_members.c.team_id == sa.bindparam("team_id"))
)


def create(tx: Tx, call: Call, name: str) -> Team:
    """Make a team.

    Raises:
        Forbidden: the caller lacks the permission `settings`.
        InvalidInput: the name is none.
        Conflict: the name is in use, or there are `TEAMS_MAX`.
    """
    authorization.require(tx.conn, call, "settings")
    if len(list_all(tx.conn, call.caller.organization_id)) >= TEAMS_MAX:
        raise Conflict(f"there are {TEAMS_MAX} teams, which is the limit: use one that is there")
    made = Team(tx.new_id("tea"), _free_name(tx, call, name), 0)
    tx.conn.execute(
        sa.insert(tables.teams).values(
            id=made.id, organization_id=call.caller.organization_id, name=made.name, created_at=tx.now
        )
    )
    return made


def rename(tx: Tx, call: Call, team_id: str, name: str) -> Team:
    """Rename the team. Raises as `create` does, and `NotFound`."""
    authorization.require(tx.conn, call, "settings")
    before = get(tx.conn, call.caller.organization_id, team_id)
    after = msgspec.structs.replace(before, name=_free_name(tx, call, name, team_id))
    tx.conn.execute(sa.update(tables.teams).where(tables.teams.c.id == team_id).values(name=after.name))
    return after


def get(conn: sa.Connection, organization_id: str, team_id: str) -> Team:
    """The team. Raises `NotFound`."""
    teams = _select(conn, organization_id, tables.teams.c.id == team_id)
    if not teams:
        raise NotFound(f"there is no team {shown(team_id)}")
    return teams[0]


def list_all(conn: sa.Connection, organization_id: str) -> list[Team]:
    """The organization's teams, the oldest first."""
    return _select(conn, organization_id)


def people_of(conn: sa.Connection, team_id: str) -> frozenset[str]:
    """Ids of the team's members."""
    return frozenset(row.person_id for row in _PEOPLE.all(conn, team_id=team_id))


def _select(conn: sa.Connection, organization_id: str, *which: sa.ColumnElement[bool]) -> list[Team]:
    select = (
        _TEAMS.select(tables.teams.c.organization_id == organization_id, *which)
        .outerjoin(tables.team_members, tables.team_members.c.team_id == tables.teams.c.id)
        .group_by(tables.teams.c.id, tables.teams.c.name)
        .order_by(tables.teams.c.id)
    )
    return _TEAMS.all(conn, select)


def _free_name(tx: Tx, call: Call, text: str, team_id: str | None = None) -> str:
    teams = list_all(tx.conn, call.caller.organization_id)
    return unique_name(text, "team", (team.name for team in teams if team.id != team_id))
