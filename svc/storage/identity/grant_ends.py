"""How grants end, and the tokens with them."""

from collections.abc import Iterable
from typing import Final, Literal

import sqlalchemy as sa

from svc.domain.changes import GrantsChanged, ResourceChanged
from svc.storage.identity import tables
from svc.storage.identity.authorization import active_role
from svc.storage.store import Tx

GrantEnd = Literal["ended", "replaced", "revoked", "reused", "app_removed", "members_may_not"]
"""Why a grant has ended: a person ended it, or allowed the app again; the app gave it back; a code or an old
refresh token came twice; the app was removed; or members may not connect apps any more."""

_grant: Final = tables.grants.c
_token: Final = tables.access_tokens.c


def end(tx: Tx, organization_id: str, because: GrantEnd, *which: sa.ColumnElement[bool]) -> tuple[str, ...]:
    """End those of the organization's grants that have not ended and that are *which*; return their ids.

    Their access tokens are refused from the next call on, and are deleted, so that they are looked up as
    unknown ones are.
    """
    ended = (
        sa.update(tables.grants)
        .where(_grant.organization_id == organization_id, _grant.ended_at.is_(None), *which)
        .values(ended_at=tx.now, ended_because=because)
        .returning(_grant.id)
    )
    ids = tuple(tx.conn.scalars(ended))
    if ids:
        _drop_tokens(tx, organization_id, ids)
        for grant_id in ids:
            tx.announce(ResourceChanged(organization_id, "grant", grant_id))
    return ids


def end_of_members(tx: Tx, organization_id: str) -> tuple[str, ...]:
    """End the grants of all who lack the permission `security`."""
    people = tx.conn.scalars(
        sa.select(_grant.person_id)
        .distinct()
        .where(_grant.organization_id == organization_id, _grant.ended_at.is_(None))
    ).all()
    members = [
        person_id
        for person_id in people
        if (role := active_role(tx.conn, organization_id, person_id)) is None
        or "security" not in role.permissions
    ]
    return end(tx, organization_id, "members_may_not", _grant.person_id.in_(members))


def drop_token(tx: Tx, organization_id: str, token_digest: str) -> None:
    """End one access token."""
    tx.conn.execute(sa.delete(tables.access_tokens).where(_token.digest == token_digest))
    tx.announce(GrantsChanged(organization_id, (token_digest,)))


def _drop_tokens(tx: Tx, organization_id: str, grant_ids: Iterable[str]) -> None:
    dropped = (
        sa.delete(tables.access_tokens).where(_token.grant_id.in_(tuple(grant_ids))).returning(_token.digest)
    )
    tx.announce(GrantsChanged(organization_id, tuple(tx.conn.scalars(dropped))))
