"""Upserts: create or update the record with an e-mail, a phone or a unique value.

The look-up and the write are one unit of work, and units are serial: two upserts create one record.
"""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from svc.domain.errors import Conflict, Fault, InvalidInput, InvalidValue
from svc.domain.events import Source
from svc.domain.identity.organizations import Organization
from svc.domain.records.objects import CONTACT
from svc.domain.records.values import read
from svc.storage.records import contacts, objects, records
from svc.storage.records.listing import index as record_index
from svc.storage.records.objects import StoredObject
from svc.storage.records.rows import Record
from svc.storage.store import Tx


def upsert(
    tx: Tx,
    organization: Organization,
    object_slug: str,
    by: str,
    given: Mapping[str, Any],
    *,
    if_version: int | None = None,
    source: Source,
) -> tuple[Record, bool]:
    """Write *given* to the record whose property *by* has that value; the record, and whether it is new.

    *by* is a unique property, or a contact's `email` or `phone`.

    Raises:
        NotFound: no such object.
        InvalidInput: *by* is no such property or has no value, or what is wrong with the values.
        ChangedSince: a value that it changes was changed since *if_version*.
        Conflict: several contacts have that e-mail or phone; or a unique value is another record's; or with
            *if_version*, there is no such record.
    """
    object_ = objects.get(tx.conn, organization.id, object_slug)
    record_id = _known(tx.conn, organization, object_, by, given)
    if record_id is None:
        if if_version is not None:
            raise Conflict(f"there is no record with this {by}: it was changed or deleted since")
        return records.create_in(tx, organization, object_, given, source=source), True
    changed = records.update(
        tx, organization, object_slug, record_id, given, if_version=if_version, source=source
    )
    return changed, False


def _known(
    conn: sa.Connection, organization: Organization, object_: StoredObject, by: str, given: Mapping[str, Any]
) -> str | None:
    prop = object_.properties.get(by)
    identity = object_.slug == CONTACT and by in contacts.IDENTITY_KINDS
    if prop is None or not (prop.unique or identity):
        raise InvalidInput(
            [Fault("/by", "invalid_value", "must be a unique property, or a contact's `email` or `phone`")]
        )
    try:
        value = read(prop, given.get(by), organization.country)
    except InvalidValue as error:
        raise InvalidInput([Fault(f"/properties/{by}", "invalid_value", str(error))]) from None
    if value is None:
        raise InvalidInput(
            [Fault(f"/properties/{by}", "missing", "is required: the record is looked up by it")]
        )
    if not identity:
        return record_index.owner(conn, prop.id, value)
    emails, phones = ([str(value)], []) if by == "email" else ([], [str(value)])
    known = contacts.known_by(conn, organization.id, emails, phones)
    if len(known) > 1:
        raise Conflict(f"several contacts have this {by}: " + ", ".join(contact.id for contact in known))
    return known[0].id if known else None
