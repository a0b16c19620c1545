"""Reverts: one change of a record's timeline, taken back."""

from typing import Any, Final

import msgspec
import sqlalchemy as sa

from svc.domain.errors import Conflict, Fault, InvalidInput
from svc.domain.events import Source
from svc.domain.identity.organizations import Organization
from svc.domain.input.near_names import shown
from svc.storage.records import rows as record_rows
from svc.storage.records import tables
from svc.storage.records.bulk import ChangeKind
from svc.storage.records.rows import Record
from svc.storage.records.values import References, check
from svc.storage.records.writes.record_writes import RecordWrites
from svc.storage.rows import Selection
from svc.storage.store import Tx


class _Change(msgspec.Struct, frozen=True):
    """A change of a timeline."""

    id: str
    kind: ChangeKind
    changed: dict[str, tuple[Any, Any]]
    """By slug, the value before and the value after."""
    version: int | None


_CHANGES: Final = Selection(_Change, tables.record_changes, empty={"changed": dict})
_CHANGE: Final = _CHANGES.prepared(
    _CHANGES.select(
        tables.record_changes.c.id == sa.bindparam("change_id"),
        tables.record_changes.c.record_id == sa.bindparam("record_id"),
    )
)

_NOT_UPDATES: Final[dict[ChangeKind, str]] = {
    "deleted": "the record was brought back since, as it was",
    "restored": "`record.delete` deletes the record again",
    "merged": "a merge cannot be undone",
}
"""By kind of change: why it is not taken back here."""


def revert(
    tx: Tx,
    organization: Organization,
    object_slug: str | None,
    record_id: str,
    change_id: str,
    *,
    if_version: int | None = None,
    source: Source,
) -> Record:
    """Give the values that a change has changed their values of before; the record as it is then.

    Raises:
        NotFound: no such object or record.
        InvalidInput: the record has no such change, or never had *if_version*.
        ChangedSince: a value was changed again since, or since *if_version*.
        Conflict: it was no change of values; or a value of before is not taken any more: its property was
            deleted, it does not fit the property, or it is unique and another record's.
    """
    object_, row = record_rows.find(tx.conn, organization.id, object_slug, record_id)
    change = _CHANGE.one(tx.conn, change_id=change_id, record_id=row.id)
    if change is None:
        detail = f"the record's timeline has no change {shown(change_id)}"
        raise InvalidInput([Fault("/change", "not_found", detail)])
    if change.kind != "updated":
        raise Conflict(_NOT_UPDATES[change.kind])
    if change.version is None:
        raise Conflict("it is a change from before records had versions, or of a record that was merged")
    before = {slug: was for slug, (was, _) in change.changed.items()}
    writes = RecordWrites(tx, object_, source)
    standing = writes.take(row)
    for since in (if_version, change.version):
        writes.check_version(standing, since, _with(standing.values, before))
    if hidden := before.keys() - record_rows.visible(object_.properties, before).keys():
        raise _conflict([f"the property `{slug}` was deleted" for slug in sorted(hidden)])
    try:
        after = check(References(tx.conn, organization.id), organization, object_, standing.values, before)
        record = writes.update(standing, after)
    except (InvalidInput, Conflict) as error:
        details = [f"{fault.pointer.rpartition('/')[2]}: {fault.detail}" for fault in error.faults]
        raise _conflict(details) from None
    writes.store()
    return record


def _with(values: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    """*values* with those of *before*; None clears."""
    return {slug: value for slug, value in (values | before).items() if value is not None}


def _conflict(details: list[str]) -> Conflict:
    message = "the values of before do not fit any more: " + "; ".join(details)
    return Conflict(message, [Fault("/change", Conflict.code, detail) for detail in details])
