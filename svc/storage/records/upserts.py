"""Upserts: the record that is known by an e-mail, a phone or a unique property, made or written to.

Looking and writing are one unit of work, and units run one after the other: two upserts make one record.
"""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from svc.domain.errors import Conflict, Fault, InvalidInput, InvalidValue
from svc.domain.identity.organizations import Organization
from svc.domain.records.objects import CONTACT
from svc.domain.records.values import read
from svc.storage.records import contacts, objects, records
from svc.storage.records.bulk import Source
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
    source: Source,
) -> tuple[Record, bool]:
    """Write *given* to the record whose property *by* has the value given for it, and whether it was made.

    *by* is a unique property, or a contact's `email` or `phone`.

    Raises:
        NotFound: no such object.
        InvalidInput: *by* is no such property or has no value, or what is wrong with the values.
        Conflict: several contacts have that e-mail or phone; or a unique value is another record's.
    """
    of = objects.get(tx.conn, organization.id, object_slug)
    found = _known(tx.conn, organization, of, by, given)
    if found is None:
        return records.create_in(tx, organization, of, given, source=source), True
    return records.update(tx, organization, object_slug, found, given, source=source), False


def _known(
    conn: sa.Connection, organization: Organization, of: StoredObject, by: str, given: Mapping[str, Any]
) -> str | None:
    prop = of.properties.get(by)
    identity = of.slug == CONTACT and by in contacts.IDENTITY_KINDS
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
    found = contacts.known_by(conn, organization.id, emails, phones)
    if len(found) > 1:
        raise Conflict(f"several contacts have this {by}: " + ", ".join(one.id for one in found))
    return found[0].id if found else None
