"""Grants: what people have allowed connected apps to do, beside keys and with all their rules."""

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.changes import GrantsChanged, ResourceChanged
from svc.domain.errors import GrantLimit
from svc.domain.grants.limits import GRANTS_MAX, GRANTS_OF_PERSON_MAX
from svc.domain.identity.access import key_stop
from svc.storage.identity import access, grant_ends, tables
from svc.storage.identity.grant_ends import GrantEnd
from svc.storage.rows import Rows
from svc.storage.statements import Statement
from svc.storage.store import Tx

Reach = Literal["all", "read", "list"]
GrantDoor = Literal["mcp", "mcp_full"]


class Grant(msgspec.Struct, frozen=True, kw_only=True):
    """A grant. Times are ms since the epoch."""

    id: str
    organization_id: str
    person_id: str
    app_id: str
    client_id: str
    app_name: str
    app_host: str
    role_id: str
    reach: Reach
    tools: tuple[str, ...] | None
    door: GrantDoor
    created_at: int
    expires_at: int
    ended_at: int | None = None
    ended_because: GrantEnd | None = None
    last_used_at: int | None = None

    def lives_at(self, now: int) -> bool:
        """Whether it has neither ended nor expired; its person may still stop it."""
        return self.ended_at is None and now < self.expires_at


class TokenRoute(NamedTuple):
    """What a live access token authenticates."""

    organization_id: str
    grant_id: str
    door: GrantDoor
    expires_at: int

    def lives_at(self, now: int) -> bool:
        return now < self.expires_at


_grant: Final = tables.grants.c
_token: Final = tables.access_tokens.c
GRANTS: Final = Rows(tables.grants, Grant, empty={"tools": tuple})  # what cannot be read allows nothing
_GET = GRANTS.prepared(GRANTS.select(_grant.id == sa.bindparam("id")))
_ROUTE = Statement(
    sa.select(_token.organization_id, _token.grant_id, _grant.door, _token.expires_at)
    .join(tables.grants, _grant.id == _token.grant_id)
    .where(_token.digest == sa.bindparam("digest"), _token.expires_at > sa.bindparam("now")),
    TokenRoute,
)
_NOTE_USE = Statement(
    sa.update(tables.grants)
    .where(_grant.id == sa.bindparam("grant_id"))
    .values(last_used_at=sa.bindparam("used_at"))
)


def route(conn: sa.Connection, token_digest: str, now: int) -> TokenRoute | None:
    return _ROUTE.one(conn, digest=token_digest, now=now)


def get(conn: sa.Connection, grant_id: str) -> Grant | None:
    """The grant, ended or not."""
    return _GET.one(conn, id=grant_id)


def create(tx: Tx, grant: Grant) -> None:
    """Store a new grant, which replaces that of the same app, person and door. Raises `GrantLimit`."""
    same = (_grant.app_id == grant.app_id, _grant.door == grant.door)
    grant_ends.end(tx, grant.organization_id, "replaced", _grant.person_id == grant.person_id, *same)
    check_room(tx.conn, grant.organization_id, grant.person_id, tx.now)
    GRANTS.insert(tx.conn, grant)
    tx.announce(GrantsChanged(grant.organization_id))
    tx.announce(ResourceChanged(grant.organization_id, "grant", grant.id))


def check_room(
    conn: sa.Connection, organization_id: str, person_id: str, now: int, replaced: int = 0
) -> None:
    """Raises `GrantLimit` where one more would be too many, of the person or of the organization.

    *replaced* of the person's go before. Those of people who may have none now do not count.
    """
    by_person = count_live(conn, organization_id, now)
    if by_person.get(person_id, 0) - replaced >= GRANTS_OF_PERSON_MAX:
        raise GrantLimit(
            f"you have connected {GRANTS_OF_PERSON_MAX} apps here, which is the limit: end one first,"
            " under Account › Apps"
        )
    if sum(by_person.values()) - replaced >= GRANTS_MAX:
        raise GrantLimit(
            f"{GRANTS_MAX} apps are connected to this organization, which is the limit: end one first, under"
            " Settings › Connected apps"
        )


def count_live(conn: sa.Connection, organization_id: str, now: int) -> dict[str, int]:
    """How many grants work, by person."""
    members = access.of_creators(conn, organization_id)
    counts = (
        sa.select(_grant.person_id, sa.func.count())
        .where(_grant.organization_id == organization_id, _grant.ended_at.is_(None), _grant.expires_at > now)
        .group_by(_grant.person_id)
    )
    return {
        person_id: count
        for person_id, count in conn.execute(counts)
        if key_stop(members.get(person_id)) is None
    }


def note_uses(tx: Tx, used_at: Mapping[str, int]) -> None:
    """Store when grants were last used, by their ids."""
    _NOTE_USE.many(tx.conn, [{"grant_id": grant_id, "used_at": at} for grant_id, at in used_at.items()])
