"""The facts that decide whether a person enters an organization, read together."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from svc.domain.identity.access import Access, GrantFacts, KeyFacts, Membership
from svc.storage.identity import organizations, roles, tables
from svc.storage.rows import Selection
from svc.storage.statements import Statement


def load(conn: sa.Connection, organization_id: str, now: int) -> Access:
    """The facts as of *now*. Raises `NotFound`."""
    return Access(
        organization_id=organization_id,
        is_open=organizations.get(conn, organization_id).closed_at is None,
        roles=roles.custom(conn, organization_id),
        members=_memberships(_EVERY_MEMBER.all(conn, organization_id=organization_id)),
        keys=_keys(conn, organization_id, now),
        grants={
            grant.id: grant for grant in _LIVE_GRANTS.all(conn, organization_id=organization_id, now=now)
        },
    )


def of_person(conn: sa.Connection, organization_id: str, person_id: str) -> Access:
    """The facts about one person alone, without any key. Raises `NotFound`."""
    rows = _MEMBER.all(conn, organization_id=organization_id, person_id=person_id)
    return Access(
        organization_id=organization_id,
        is_open=organizations.get(conn, organization_id).closed_at is None,
        roles=roles.custom(conn, organization_id),
        members=_memberships(rows),
        keys={},
        grants={},
    )


def of_creators(conn: sa.Connection, organization_id: str) -> dict[str, Membership]:
    """How those stand who have keys that are not revoked, or grants, by their ids; without former members."""
    return _memberships(_CREATORS.all(conn, organization_id=organization_id))


_key: Final = tables.api_keys.c
_grant: Final = tables.grants.c
_previous: Final = tables.previous_keys.c
_member: Final = tables.members.c
_organization: Final = tables.organizations.c
_MEMBERSHIP: Final = Selection(
    Membership,
    tables.members,
    members={
        "keys_allowed": sa.or_(
            _organization.id == _member.organization_id,
            sa.and_(_organization.allow_keys_elsewhere, _organization.closed_at.is_(None)),
        )
    },
)
_MEMBERS = (
    sa.select(_member.person_id, *_MEMBERSHIP.columns)
    .join(tables.people, tables.people.c.id == _member.person_id)
    .join(tables.organizations, _organization.id == tables.people.c.home_organization_id)
    .where(_member.organization_id == sa.bindparam("organization_id"))
)
_EVERY_MEMBER = Statement(_MEMBERS)
_MEMBER = Statement(_MEMBERS.where(_member.person_id == sa.bindparam("person_id")))
_CREATORS = Statement(
    _MEMBERS.where(
        _member.person_id.in_(
            sa.select(_key.creator_id)
            .where(_key.organization_id == sa.bindparam("organization_id"), _key.revoked_at.is_(None))
            .union(
                sa.select(_grant.person_id).where(
                    _grant.organization_id == sa.bindparam("organization_id"), _grant.ended_at.is_(None)
                )
            )
        )
    )
)
_KEYS: Final = Selection(
    KeyFacts,
    tables.api_keys,
    members={"has_budget": _key.monthly_budget_micro_credits.is_not(None)},
    empty={"tools": frozenset, "models": frozenset},
)
_LIVE_KEYS = Statement(
    sa.select(_key.digest, *_KEYS.columns).where(
        _key.organization_id == sa.bindparam("organization_id"),
        _key.revoked_at.is_(None),
        _key.expires_at > sa.bindparam("now"),
    )
)


_PREVIOUS_KEYS = Statement(
    sa.select(_previous.digest, _previous.key_id, _previous.ends_at).where(
        _previous.organization_id == sa.bindparam("organization_id"), _previous.ends_at > sa.bindparam("now")
    )
)
_GRANTS: Final = Selection(
    GrantFacts, tables.grants, members={"only_reads": _grant.reach == "read"}, empty={"tools": frozenset}
)
_LIVE_GRANTS = _GRANTS.prepared(
    _GRANTS.select(
        _grant.organization_id == sa.bindparam("organization_id"),
        _grant.ended_at.is_(None),
        _grant.expires_at > sa.bindparam("now"),
    )
)


def _keys(conn: sa.Connection, organization_id: str, now: int) -> dict[str, KeyFacts]:
    """The live keys by their digests; one that was rolled by that of the value before, too."""
    rows = _LIVE_KEYS.all(conn, organization_id=organization_id, now=now)
    keys = {digest: _KEYS.make(key) for digest, *key in rows}
    by_id = {key.id: key for key in keys.values()}
    for digest, key_id, ends_at in _PREVIOUS_KEYS.all(conn, organization_id=organization_id, now=now):
        if key_id in by_id:
            keys[digest] = msgspec.structs.replace(by_id[key_id], expires_at=ends_at)
    return keys


def _memberships(rows: Iterable[Sequence[Any]]) -> dict[str, Membership]:
    return {person_id: _MEMBERSHIP.make(membership) for person_id, *membership in rows}
