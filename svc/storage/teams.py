"""Teams: members who work together, so that conversations and records can be a team's."""

import msgspec
from sqlalchemy import Connection, insert, select, update

from svc.domain.callers import Call
from svc.domain.errors import Conflict, NotFound
from svc.domain.ids import new_id
from svc.domain.people import clean_name
from svc.storage import audit, standing
from svc.storage.store import Tx
from svc.storage.tables import team_members, teams


class Team(msgspec.Struct, frozen=True):
    """A team, and the people in it."""

    id: str
    name: str
    member_ids: tuple[str, ...]


def create(tx: Tx, call: Call, name: str) -> Team:
    """Make a team. Raises `InvalidValue`, `Conflict` for a name in use, and `Forbidden`."""
    standing.require(tx.conn, call, "settings")
    made = Team(new_id("tea", tx.now), _free_name(tx, call, name), ())
    tx.conn.execute(
        insert(teams).values(
            id=made.id, organization_id=call.caller.organization_id, name=made.name, created_at=tx.now
        )
    )
    audit.note(tx, call, "team.create", made.id)
    return made


def rename(tx: Tx, call: Call, team_id: str, name: str) -> Team:
    """Call the team something else. Raises as `create` does, and `NotFound`."""
    standing.require(tx.conn, call, "settings")
    before = get(tx.conn, call.caller.organization_id, team_id)
    after = msgspec.structs.replace(before, name=_free_name(tx, call, name, team_id))
    tx.conn.execute(update(teams).where(teams.c.id == team_id).values(name=after.name))
    audit.note(tx, call, "team.update", team_id)
    return after


def get(conn: Connection, organization_id: str, team_id: str) -> Team:
    """The team. Raises `NotFound`."""
    found = [one for one in of_organization(conn, organization_id) if one.id == team_id]
    if not found:
        raise NotFound("no such team")
    return found[0]


def of_organization(conn: Connection, organization_id: str) -> list[Team]:
    """The organization's teams, the oldest first."""
    rows = conn.execute(
        select(teams.c.id, teams.c.name, team_members.c.person_id)
        .outerjoin(team_members, team_members.c.team_id == teams.c.id)
        .where(teams.c.organization_id == organization_id)
        .order_by(teams.c.id, team_members.c.person_id)
    )
    found: dict[tuple[str, str], list[str]] = {}
    for team_id, name, person_id in rows:
        found.setdefault((team_id, name), []).extend([person_id] if person_id else [])
    return [Team(*team, tuple(member_ids)) for team, member_ids in found.items()]


def _free_name(tx: Tx, call: Call, text: str, team_id: str | None = None) -> str:
    name = clean_name(text)
    for team in of_organization(tx.conn, call.caller.organization_id):
        if team.name.casefold() == name.casefold() and team.id != team_id:
            raise Conflict(f"there is a team called {team.name!r} already")
    return name
