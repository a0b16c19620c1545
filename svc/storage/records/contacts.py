"""Contacts as forms and messengers need them: found by the e-mail or phone that they are known by."""

from collections.abc import Collection, Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, bindparam, insert, select

from svc.domain.forms.filing import Contact
from svc.storage.records.tables import identities, records
from svc.storage.statements import Statement

_KNOWN_BY = Statement(
    select(records.c.id, records.c.properties)
    .join(identities, identities.c.record_id == records.c.id)
    .where(
        identities.c.organization_id == bindparam("organization_id"),
        identities.c.kind == bindparam("kind"),
        identities.c.value == bindparam("value"),
        records.c.deleted_at.is_(None),
    )
)
_BY_ID = Statement(
    select(records.c.id, records.c.properties).where(
        records.c.organization_id == bindparam("organization_id"),
        records.c.deleted_at.is_(None),
        records.c.id.in_(bindparam("ids", expanding=True)),
    )
)
_decode: Final = msgspec.json.Decoder(dict[str, Any]).decode
_INSERT_IDENTITY = Statement(insert(identities))
# Most contacts are known by an e-mail and a phone, and are made one at a time.
_INSERT_TWO = Statement(
    insert(identities).values(
        [{column.name: bindparam(f"{column.name}_{place}") for column in identities.c} for place in (1, 2)]
    )
)


def known_by(
    conn: Connection, organization_id: str, emails: Collection[str], phones: Collection[str]
) -> list[Contact]:
    """The contacts that have any of the normalized *emails* or *phones*."""
    found: dict[str, Contact] = {}
    for kind, values in (("email", emails), ("phone", phones)):
        for value in values:
            asked = {"organization_id": organization_id, "kind": kind, "value": value}
            for row in _KNOWN_BY.all(conn, asked):
                contact = found.get(row.id) or _contact(*row)
                contact.known_by.append((kind, value))
                found[row.id] = contact
    return list(found.values())


def by_ids(conn: Connection, organization_id: str, ids: Collection[str]) -> list[Contact]:
    """Those of the contacts that are there and the organization's."""
    return [
        _contact(*row) for row in _BY_ID.all(conn, {"organization_id": organization_id, "ids": list(ids)})
    ]


_STANDING = Statement(
    select(records.c.merged_into, records.c.deleted_at).where(
        records.c.organization_id == bindparam("organization_id"), records.c.id == bindparam("id")
    )
)


def survivors(conn: Connection, organization_id: str, ids: Collection[str]) -> dict[str, str]:
    """Each of *ids* that still leads to a contact, to the id of that: of a merged one, the survivor's."""
    found = {}
    for one in ids:
        at: str | None = one
        while at is not None:
            row = _STANDING.one(conn, {"organization_id": organization_id, "id": at})
            if row is not None and row.deleted_at is None:
                found[one] = at
            at = None if row is None else row.merged_into
    return found


def _contact(contact_id: str, stored: str) -> Contact:
    return Contact(id=contact_id, properties=_decode(stored))


def remember(conn: Connection, organization_id: str, learned: Sequence[tuple[str, str, str]]) -> None:
    """Remember what contacts are known by: (record id, `email` or `phone`, normalized value)."""
    if len(learned) == 2:  # noqa: PLR2004
        (record_1, kind_1, value_1), (record_2, kind_2, value_2) = learned
        _INSERT_TWO.run(
            conn,
            {
                "organization_id_1": organization_id,
                "kind_1": kind_1,
                "value_1": value_1,
                "record_id_1": record_1,
                "organization_id_2": organization_id,
                "kind_2": kind_2,
                "value_2": value_2,
                "record_id_2": record_2,
            },
        )
    elif learned:
        rows = [
            {"organization_id": organization_id, "kind": kind, "value": value, "record_id": record_id}
            for record_id, kind, value in learned
        ]
        _INSERT_IDENTITY.many(conn, rows)
