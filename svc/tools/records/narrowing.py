"""What a narrowed caller sees of records; for any other caller nothing is left out.

Of an object that may appear in embeds it sees what is not personal, and filters and sorts by nothing else. Of
its own contact it sees all. Whatever else there is, it is told that it does not exist.
"""

import msgspec
from sqlalchemy import Connection

from svc.domain.errors import Forbidden, NotFound
from svc.domain.identity.callers import Caller
from svc.domain.identity.organizations import Organization
from svc.domain.input.near_names import shown
from svc.domain.records.objects import is_public
from svc.storage.records import objects, organization_objects, records, rows
from svc.storage.records.objects import StoredObject
from svc.storage.records.rows import Record


def object_for(conn: Connection, caller: Caller, slug: str) -> tuple[Organization, StoredObject]:
    """The organization, and its object of that slug with the properties that *caller* may see.

    Raises `NotFound`.
    """
    if caller.narrowed_to is None:
        return organization_objects.find(conn, caller.organization_id, slug)
    try:
        organization, object_ = organization_objects.find(conn, caller.organization_id, slug)
    except NotFound:
        raise _unknown_object(slug) from None  # without the names of others that it is near to
    return organization, public_part(object_)


def public_part(object_: StoredObject) -> StoredObject:
    """*object_* with its public properties alone. Raises `NotFound` where it may not appear in embeds."""
    if not object_.publishable:
        raise _unknown_object(object_.slug)
    public = {slug: prop for slug, prop in object_.properties.items() if is_public(prop)}
    return msgspec.structs.replace(object_, properties=public)


def part_for(caller: Caller, object_: StoredObject, record_id: str) -> StoredObject | None:
    """*object_* with the properties that *caller* may see of one of its records; None for no record of it."""
    narrowed_to = caller.narrowed_to
    if narrowed_to is None or record_id == narrowed_to.contact_id:
        return object_
    return public_part(object_) if object_.publishable else None


def record_for(conn: Connection, caller: Caller, object_slug: str | None, record_id: str) -> Record:
    """The record, as far as *caller* may see it. Raises `NotFound`."""
    if caller.narrowed_to is None:
        return records.get(conn, caller.organization_id, object_slug, record_id)
    try:
        record = records.get(conn, caller.organization_id, object_slug, record_id)
        if record.id == caller.narrowed_to.contact_id:
            return record
        object_ = public_part(objects.get(conn, caller.organization_id, record.object_type))
    except NotFound:
        # In one voice: what there is besides is not told.
        raise _unknown(record_id) from None
    return msgspec.structs.replace(record, properties=rows.visible(object_.properties, record.properties))


def check_not_narrowed(caller: Caller, what: str) -> None:
    """Raises `Forbidden` for a narrowed caller, which may not see *what*."""
    if caller.narrowed_to is not None:
        raise Forbidden(f"{what} may lead beyond what this {caller.kind} may see")


def check_own(caller: Caller, record_id: str) -> None:
    """Raises `NotFound` for a narrowed caller and a record that is not its own contact."""
    if caller.narrowed_to is not None and record_id != caller.narrowed_to.contact_id:
        raise _unknown(record_id)


def _unknown_object(slug: str) -> NotFound:
    return NotFound(f"there is no object {shown(slug)}")


def _unknown(record_id: str) -> NotFound:
    return NotFound(f"there is no record {shown(record_id)}")
