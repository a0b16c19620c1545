"""Values of records: checked against their properties, and against what they refer to."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.errors import Fault, InvalidInput
from svc.domain.files.contents import SAFE_PICTURES
from svc.domain.files.files import is_file_id
from svc.domain.identity.organizations import Organization
from svc.domain.limits import RECORD_BYTES_MAX
from svc.domain.near_names import shown
from svc.domain.records.properties import Property
from svc.domain.records.values import Values, changed
from svc.storage.files import files
from svc.storage.identity import tables as identity_tables
from svc.storage.records import rows as record_rows
from svc.storage.records.objects import StoredObject
from svc.storage.statements import Statement


class _Member(NamedTuple):
    """The status of a member."""

    status: str


_MEMBER = Statement(
    sa.select(identity_tables.members.c.status).where(
        identity_tables.members.c.organization_id == sa.bindparam("organization_id"),
        identity_tables.members.c.person_id == sa.bindparam("person_id"),
    ),
    _Member,
)


def check_new(
    conn: sa.Connection,
    organization: Organization,
    object_: StoredObject,
    given: Mapping[str, Any],
    *,
    pointer: str,
) -> Values:
    """The values of a new record, which has at least one. Raises `InvalidInput`."""
    values = check_changed(conn, organization, object_, {}, given, pointer=pointer)
    if not values:
        raise InvalidInput([Fault(pointer, "missing", "a record needs at least one value that is not empty")])
    return values


def check_changed(
    conn: sa.Connection,
    organization: Organization,
    object_: StoredObject,
    stored: Values,
    given: Mapping[str, Any],
    *,
    pointer: str,
) -> Values:
    """*stored* with the values *given*, which fit and lead where they should. Raises `InvalidInput`."""
    after, faults = changed(
        object_.properties,
        stored,
        given,
        country=organization.country,
        currency=organization.currency,
        pointer=pointer,
    )
    new = {slug: after[slug] for slug in given if slug in after and after[slug] != stored.get(slug)}
    for slug, target in new.items():
        prop = object_.properties.get(slug)
        if prop is None:
            continue
        leads_to = _missing(conn, organization.id, prop, target)
        if leads_to is not None:
            faults.append(Fault(f"{pointer}/{slug}", "not_found", f"there is no {leads_to} {shown(target)}"))
        elif prop.type == "picture" and is_file_id(target):
            faults += _picture_faults(conn, organization.id, target, f"{pointer}/{slug}")
    if len(msgspec.json.encode(after)) > RECORD_BYTES_MAX:
        faults.append(Fault(pointer, "too_large", f"a record has at most {RECORD_BYTES_MAX} bytes"))
    if faults:
        raise InvalidInput(faults)
    return after


def _picture_faults(conn: sa.Connection, organization_id: str, file_id: str, pointer: str) -> list[Fault]:
    """What is wrong with a file as a picture: it has to be there, and to be one that browsers may show."""
    file = files.find(conn, organization_id, file_id)
    if file is None:
        return [Fault(pointer, "not_found", f"there is no file {shown(file_id)}")]
    nouns = files.nouns_of(conn, file_id)
    if nouns and "record" not in nouns:
        # With the record, it could be seen by those who may not read the message.
        return [Fault(pointer, "invalid_value", "this file came with a message: upload it anew for a record")]
    if file.media_type not in SAFE_PICTURES:
        detail = f"a picture is a PNG, JPEG, GIF or WebP; this file is {file.media_type}"
        return [Fault(pointer, "invalid_value", detail)]
    return []


def _missing(conn: sa.Connection, organization_id: str, prop: Property, target: str) -> str | None:
    """What *prop* leads to, when there is no such one as *target*."""
    if prop.type == "relation":
        row = record_rows.by_id(conn, organization_id, target)
        exists = row is not None and row.deleted_at is None and row.object_type in prop.options
        return None if exists else prop.options[0]
    if prop.type == "member":
        # A deactivated member too: records keep the member of before.
        member = _MEMBER.one(conn, person_id=target, organization_id=organization_id)
        return None if member is not None else "member"
    return None
