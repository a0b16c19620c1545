"""Values of records: checked against their properties, and against what they refer to."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.errors import Fault, InvalidInput
from svc.domain.identity.organizations import Organization
from svc.domain.limits import FAULTS_MAX, RECORD_BYTES_MAX
from svc.domain.near_names import shown
from svc.domain.records.properties import Property
from svc.domain.records.values import Values, changed
from svc.storage.identity import tables as identity_tables
from svc.storage.records import rows as record_rows
from svc.storage.records.objects import StoredObject
from svc.storage.statements import Statement

_TOO_LARGE: Final = Fault("/properties", "too_large", f"a record has at most {RECORD_BYTES_MAX} bytes")


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


_REFERENCES: Final = frozenset({"relation", "member"})
"""The types of properties whose values refer to something."""


class References:
    """The records and members that values refer to, each looked up once in a unit."""

    def __init__(self, conn: sa.Connection, organization_id: str) -> None:
        self._conn = conn
        self._organization_id = organization_id
        self._known: dict[tuple[str, str], bool] = {}

    def missing(self, prop: Property, target: str) -> str | None:
        """What the relation or member *prop* leads to, when there is no such one as *target*."""
        leads_to = prop.options[0] if prop.type == "relation" else "member"
        exists = self._known.get((leads_to, target))
        if exists is None:
            exists = self._known[leads_to, target] = self._exists(prop, target)
        return None if exists else leads_to

    def _exists(self, prop: Property, target: str) -> bool:
        if prop.type == "relation":
            row = record_rows.by_id(self._conn, self._organization_id, target)
            return row is not None and row.deleted_at is None and row.object_type in prop.options
        # A deactivated member too: records keep the member of before.
        member = _MEMBER.one(self._conn, person_id=target, organization_id=self._organization_id)
        return member is not None


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
        Fault(f"/properties/{slug}", "not_found", f"there is no {leads_to} {shown(after[slug])}")
        for slug in given
        if (prop := object_.properties.get(slug)) is not None
        and prop.type in _REFERENCES
        and slug in after
        and after[slug] != stored.get(slug)
        and (leads_to := references.missing(prop, after[slug])) is not None
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
