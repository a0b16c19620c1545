"""Values of records: checked against their properties, and against what they refer to."""

from collections.abc import Mapping
from typing import Any, Final, assert_never

import msgspec
import sqlalchemy as sa

from svc.domain.errors import Fault, InvalidInput
from svc.domain.files.contents import SAFE_PICTURES
from svc.domain.files.files import is_file_id
from svc.domain.identity.organizations import Organization
from svc.domain.input.near_names import shown
from svc.domain.limits import FAULTS_MAX
from svc.domain.records.kinds.registry import KINDS
from svc.domain.records.limits import RECORD_BYTES_MAX
from svc.domain.records.properties import Property
from svc.domain.records.values import Values, changed
from svc.storage.files import files
from svc.storage.identity import tables as identity_tables
from svc.storage.records import rows as record_rows
from svc.storage.records.objects import StoredObject
from svc.storage.statements import Statement

_TOO_LARGE: Final = Fault("/properties", "too_large", f"a record has at most {RECORD_BYTES_MAX} bytes")


_MEMBER = Statement(
    sa.select(identity_tables.members.c.status).where(
        identity_tables.members.c.organization_id == sa.bindparam("organization_id"),
        identity_tables.members.c.person_id == sa.bindparam("person_id"),
    ),
    str,
)


_REFERENCES: Final = frozenset(name for name, kind in KINDS.items() if kind.refers_to is not None)
"""The types of properties whose values may refer to something."""


class References:
    """What values refer to: records and members, each looked up once in a unit, and files."""

    def __init__(self, conn: sa.Connection, organization_id: str) -> None:
        self._conn = conn
        self._organization_id = organization_id
        self._known: dict[tuple[str, str], bool] = {}

    def fault(self, prop: Property, target: Any, pointer: str) -> Fault | None:
        """What is wrong with what the value *target* of *prop*, a type of `_REFERENCES`, refers to."""
        match KINDS[prop.type].refers_to:
            case "file":
                return self._picture_fault(target, pointer) if is_file_id(target) else None
            case "record":
                leads_to = prop.options[0]
            case "member":
                leads_to = "member"
            case None:
                return None
            case other:
                assert_never(other)
        exists = self._known.get((leads_to, target))
        if exists is None:
            exists = self._known[leads_to, target] = self._exists(prop, target)
        return None if exists else Fault(pointer, "not_found", f"there is no {leads_to} {shown(target)}")

    def _exists(self, prop: Property, target: str) -> bool:
        if prop.type == "relation":
            row = record_rows.by_id(self._conn, self._organization_id, target)
            return row is not None and row.deleted_at is None and row.of.slug in prop.options
        # A deactivated member too: records keep the member of before.
        member = _MEMBER.one(self._conn, person_id=target, organization_id=self._organization_id)
        return member is not None

    def _picture_fault(self, file_id: str, pointer: str) -> Fault | None:
        """What is wrong with a file as a picture: it is there, and one that browsers may show."""
        file = files.find(self._conn, self._organization_id, file_id)
        if file is None:
            return Fault(pointer, "not_found", f"there is no file {shown(file_id)}")
        nouns = files.nouns_of(self._conn, file_id)
        if nouns and "record" not in nouns:
            # With the record, it could be seen by those who may not read the message.
            return Fault(
                pointer, "invalid_value", "this file came with a message: upload it anew for a record"
            )
        if file.media_type not in SAFE_PICTURES:
            detail = f"a picture is a PNG, JPEG, GIF or WebP; this file is {file.media_type}"
            return Fault(pointer, "invalid_value", detail)
        return None


def check(
    references: References,
    organization: Organization,
    object_: StoredObject,
    stored: Values,
    given: Mapping[str, Any],
    *,
    faults_max: int = FAULTS_MAX,
) -> Values:
    """*stored* with the values *given*, which fit and lead where they should. Raises `InvalidInput`."""
    after, faults = changed(
        object_.properties,
        stored,
        given,
        country=organization.country,
        currency=organization.currency,
        faults_max=faults_max,
    )
    faults += [
        fault
        for slug in given
        if (prop := object_.properties.get(slug)) is not None
        and prop.type in _REFERENCES
        and slug in after
        and after[slug] != stored.get(slug)
        and (fault := references.fault(prop, after[slug], f"/properties/{slug}")) is not None
    ]
    if len(msgspec.json.encode(after)) > RECORD_BYTES_MAX:
        faults.append(_TOO_LARGE)
    if faults:
        raise InvalidInput(faults)
    return after


def check_size(values: Values) -> None:
    """Raises `InvalidInput` if *values* are too many bytes."""
    if len(msgspec.json.encode(values)) > RECORD_BYTES_MAX:
        raise InvalidInput([_TOO_LARGE])
