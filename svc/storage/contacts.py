"""Contacts as forms and messengers need them: found by the e-mail or phone that they are known by."""

from collections.abc import Collection, Sequence

import msgspec
from sqlalchemy import Connection, and_, bindparam, insert, or_, select

from svc.domain.filing import Contact
from svc.storage.prepared import Prepared
from svc.storage.tables import identities, records

_FOUND = (
    select(records.c.id, records.c.properties)
    .join(identities, identities.c.record_id == records.c.id)
    .where(records.c.deleted_at.is_(None), identities.c.organization_id == bindparam("organization_id"))
    .distinct()
)
_BY_EMAIL = and_(identities.c.kind == "email", identities.c.value.in_(bindparam("emails", expanding=True)))
_BY_PHONE = and_(identities.c.kind == "phone", identities.c.value.in_(bindparam("phones", expanding=True)))
_BY_IDENTITY = Prepared(_FOUND.where(or_(_BY_EMAIL, _BY_PHONE)))
_BY_ID = Prepared(
    select(records.c.id, records.c.properties).where(
        records.c.organization_id == bindparam("organization_id"),
        records.c.deleted_at.is_(None),
        records.c.id.in_(bindparam("ids", expanding=True)),
    )
)
_INSERT_IDENTITY = Prepared(insert(identities))


def known_by(
    conn: Connection, organization_id: str, emails: Collection[str], phones: Collection[str]
) -> list[Contact]:
    """The contacts that have any of the normalized *emails* or *phones*."""
    rows = _BY_IDENTITY.all(
        conn, {"organization_id": organization_id, "emails": list(emails), "phones": list(phones)}
    )
    return [_contact(*row) for row in rows]


def by_ids(conn: Connection, organization_id: str, ids: Collection[str]) -> list[Contact]:
    """Those of the contacts that are there and the organization's."""
    return [
        _contact(*row) for row in _BY_ID.all(conn, {"organization_id": organization_id, "ids": list(ids)})
    ]


def _contact(contact_id: str, stored: str) -> Contact:
    return Contact(id=contact_id, properties=msgspec.json.decode(stored))


def remember(conn: Connection, organization_id: str, learned: Sequence[tuple[str, str, str]]) -> None:
    """Remember what contacts are known by: (record id, `email` or `phone`, normalized value)."""
    if learned:
        _INSERT_IDENTITY.many(
            conn,
            [
                {"organization_id": organization_id, "kind": kind, "value": value, "record_id": record_id}
                for record_id, kind, value in learned
            ],
        )
