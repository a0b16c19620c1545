"""Contacts, found by their identities: the e-mails and phones that they are known by."""

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.forms.filing import Contact
from svc.storage.records import tables
from svc.storage.rows import Rows, Selection
from svc.storage.statements import LOOKED_UP_MAX, Statement, batched
from svc.storage.upserts import insert_or_keep


class _ContactState(NamedTuple):
    """Whether a contact is deleted, and what it was merged into."""

    merged_into: str | None
    deleted_at: int | None


class Identity(msgspec.Struct, frozen=True):
    """An `email` or a `phone` that a contact is known by, normalized."""

    organization_id: str
    kind: str
    value: str
    record_id: str


_CONTACTS: Final = Selection(Contact, tables.records, defaulted=["known_by"])
_KNOWN_BY = _CONTACTS.prepared(
    _CONTACTS.select(
        tables.identities.c.organization_id == sa.bindparam("organization_id"),
        tables.identities.c.kind == sa.bindparam("kind"),
        tables.identities.c.value == sa.bindparam("value"),
        tables.records.c.deleted_at.is_(None),
    ).join(tables.identities, tables.identities.c.record_id == tables.records.c.id)
)
_BY_ID = _CONTACTS.prepared(
    _CONTACTS.select(
        tables.records.c.organization_id == sa.bindparam("organization_id"),
        tables.records.c.deleted_at.is_(None),
        tables.records.c.id.in_(sa.bindparam("ids", expanding=True)),
    )
)
_IDENTITIES: Final = Rows(tables.identities, Identity)
_FORGET = Statement(
    sa.delete(tables.identities).where(
        tables.identities.c.record_id == sa.bindparam("of_record"),
        tables.identities.c.organization_id == sa.bindparam("of_organization"),
        tables.identities.c.kind == sa.bindparam("of_kind"),
        tables.identities.c.value == sa.bindparam("of_value"),
    )
)
_FORGET_ALL = Statement(
    sa.delete(tables.identities).where(tables.identities.c.record_id == sa.bindparam("of_record"))
)
_KEEP_IDENTITY = Statement(insert_or_keep(tables.identities, _IDENTITIES.fields))


class _KnownContact(NamedTuple):
    """A contact that is known by a value."""

    value: str
    record_id: str


_IDS_OF_MANY = Statement(
    sa.select(tables.identities.c.value, tables.identities.c.record_id).where(
        tables.identities.c.organization_id == sa.bindparam("organization_id"),
        tables.identities.c.kind == sa.bindparam("kind"),
        tables.identities.c.value.in_(sa.bindparam("several", expanding=True)),
    ),
    _KnownContact,
)
_IDS = Statement(
    sa.select(tables.identities.c.record_id).where(
        tables.identities.c.organization_id == sa.bindparam("organization_id"),
        tables.identities.c.kind == sa.bindparam("kind"),
        tables.identities.c.value == sa.bindparam("value"),
    ),
    str,
)
# Most contacts are known by an e-mail and a phone, and are made one at a time.
_INSERT_TWO = Statement(
    sa.insert(tables.identities).values(
        [{name: sa.bindparam(f"{name}_{place}") for name in _IDENTITIES.fields} for place in (1, 2)]
    )
)


def known_by(
    conn: sa.Connection, organization_id: str, emails: Collection[str], phones: Collection[str]
) -> list[Contact]:
    """The contacts that have any of the normalized *emails* or *phones*."""
    contacts: dict[str, Contact] = {}
    for kind, values in (("email", emails), ("phone", phones)):
        for value in values:
            identity = {"organization_id": organization_id, "kind": kind, "value": value}
            for found in _KNOWN_BY.all(conn, identity):
                contacts.setdefault(found.id, found).known_by.append((kind, value))
    return list(contacts.values())


def by_ids(conn: sa.Connection, organization_id: str, ids: Collection[str]) -> list[Contact]:
    """The contacts of *ids* that exist in the organization."""
    return _BY_ID.all(conn, organization_id=organization_id, ids=list(ids))


_STANDING = Statement(
    sa.select(tables.records.c.merged_into, tables.records.c.deleted_at).where(
        tables.records.c.organization_id == sa.bindparam("organization_id"),
        tables.records.c.id == sa.bindparam("id"),
    ),
    _ContactState,
)


def survivors(conn: sa.Connection, organization_id: str, ids: Collection[str]) -> dict[str, str]:
    """Each of *ids* that still leads to a contact, to the id of that: of a merged one, the survivor's."""
    survivors = {}
    for contact_id in ids:
        at: str | None = contact_id
        while at is not None:
            row = _STANDING.one(conn, {"organization_id": organization_id, "id": at})
            if row is not None and row.deleted_at is None:
                survivors[contact_id] = at
            at = None if row is None else row.merged_into
    return survivors


def remember(conn: sa.Connection, organization_id: str, learned: Sequence[tuple[str, str, str]]) -> None:
    """Insert identities of contacts: (record id, `email` or `phone`, normalized value)."""
    if len(learned) == 2:  # noqa: PLR2004
        (record_1, kind_1, value_1), (record_2, kind_2, value_2) = learned
        _INSERT_TWO.run(
            conn,
            organization_id_1=organization_id,
            kind_1=kind_1,
            value_1=value_1,
            record_id_1=record_1,
            organization_id_2=organization_id,
            kind_2=kind_2,
            value_2=value_2,
            record_id_2=record_2,
        )
    else:
        _IDENTITIES.insert_many(conn, _identities(organization_id, learned))


def keep(conn: sa.Connection, organization_id: str, learned: Sequence[tuple[str, str, str]]) -> None:
    """As `remember`, of contacts that may be known by them already, as one is that took over another."""
    _KEEP_IDENTITY.many(conn, [*map(_IDENTITIES.values, _identities(organization_id, learned))])


def forget(conn: sa.Connection, organization_id: str, forgotten: Sequence[tuple[str, str, str]]) -> None:
    """Delete identities of contacts: (record id, `email` or `phone`, normalized value)."""
    _FORGET.many(
        conn,
        [
            {"of_record": record_id, "of_organization": organization_id, "of_kind": kind, "of_value": value}
            for record_id, kind, value in forgotten
        ],
    )


def _identities(organization_id: str, learned: Sequence[tuple[str, str, str]]) -> list[Identity]:
    return [Identity(organization_id, kind, value, record_id) for record_id, kind, value in learned]


def ids_known_by(conn: sa.Connection, organization_id: str, kind: str, value: str) -> set[str]:
    """The ids of the contacts that are known by an `email` or a `phone`."""
    return set(_IDS.all(conn, organization_id=organization_id, kind=kind, value=value))


def ids_known_by_any(
    conn: sa.Connection, organization_id: str, kind: str, values: Sequence[str]
) -> dict[str, set[str]]:
    """As `ids_known_by`, by each of *values*."""
    found: dict[str, set[str]] = {value: set() for value in values}
    for some in batched(values, LOOKED_UP_MAX):
        for row in _IDS_OF_MANY.all(conn, organization_id=organization_id, kind=kind, several=some):
            found[row.value].add(row.record_id)
    return found


def forget_all(conn: sa.Connection, record_ids: Sequence[str]) -> None:
    """Delete all identities of contacts."""
    _FORGET_ALL.many(conn, [{"of_record": record_id} for record_id in record_ids])
