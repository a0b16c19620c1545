"""Writes of many records of one object: each item with its own outcome, and all stored together."""

from collections.abc import Sequence
from typing import Final, Literal

import msgspec

from svc.domain.errors import Conflict, DomainError, Fault, InvalidInput, NotFound, told
from svc.domain.events import Source
from svc.domain.identity.organizations import Organization
from svc.domain.limits import FAULTS_MAX
from svc.domain.versions import ChangedProperty, ChangedSince
from svc.storage.records.objects import StoredObject
from svc.storage.records.rows import Record, RecordRow
from svc.storage.records.writes.record_writes import RecordWrites
from svc.storage.records.writes.ways import WAYS, Item, Way, WayName, WriteRequest, WriteResult
from svc.storage.store import Tx

OutcomeKind = Literal["created", "updated", "unchanged", "suggested", "refused"]

_REFUSALS: Final = (InvalidInput, NotFound, Conflict)


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one item."""

    kind: OutcomeKind
    record: Record | None = None
    """The record as the item left it; None if it was refused."""
    suggested: tuple[str, ...] = ()
    """The slugs of values that a person is to decide on, since the contact has others."""
    error: DomainError | None = None
    """Why it was refused: `InvalidInput`, `NotFound` or `Conflict`."""

    @property
    def faults(self) -> tuple[Fault, ...]:
        """Why it was refused, with pointers into the item, such as `/properties/email`, `/id` or none."""
        return () if self.error is None else _faults_of(self.error)

    @property
    def conflicts(self) -> tuple[ChangedProperty, ...]:
        """What was changed since the item's `if_version`."""
        return self.error.conflicts if isinstance(self.error, ChangedSince) else ()


def write_many(
    tx: Tx,
    organization: Organization,
    object_: StoredObject,
    way: WayName,
    items: Sequence[Item],
    *,
    by: str | None = None,
    source: Source,
    skip: bool = False,
    dry_run: bool = False,
    faults_max: int = FAULTS_MAX,
) -> list[Outcome]:
    """Write *items* in their order, each as a call of its own would after those before it.

    The *way* is `create`; `update`, by the items' ids; `upsert`, by the value of the property *by*; or
    `match`: contacts are found by their e-mail and phone as forms find them, empty properties are filled, and
    values that differ are suggested.

    With *skip*, an item that is refused leaves no trace, and the others are written; without, all are
    written or none. A *dry_run* writes nothing, and returns what would become of each. Once *faults_max*
    faults were found, each further item has its first fault only.

    Raises `InvalidInput` if records are not found by *by*; without *skip* also with all that is wrong with
    any item, at pointers below `/records/0`, or `Conflict` if all of that are conflicts with what is stored.
    """
    writes = RecordWrites(tx, object_, source)
    how = WAYS[way](tx, organization, writes, WriteRequest(items, by, faults_max))
    outcomes = [_outcome(how, place) for place in range(len(items))]
    if not skip:
        _check_all(outcomes)
    if not dry_run:
        writes.store()
    return outcomes


def write_one(
    tx: Tx,
    organization: Organization,
    object_: StoredObject,
    way: WayName,
    item: Item,
    *,
    by: str | None = None,
    row: RecordRow | None = None,
    source: Source,
) -> WriteResult:
    """As `write_many`, of one item, whose *row* may have been read already. Raises what refuses it."""
    writes = RecordWrites(tx, object_, source)
    if row is not None:
        writes.take(row)
    written = WAYS[way](tx, organization, writes, WriteRequest((item,), by)).write(0)
    writes.store()
    return written


def _outcome(how: Way, place: int) -> Outcome:
    try:
        written = how.write(place)
    except _REFUSALS as error:
        return Outcome(kind="refused", error=error)
    return Outcome(kind=written.kind, record=written.record, suggested=tuple(written.suggested))


def _check_all(outcomes: Sequence[Outcome]) -> None:
    """Raises the errors of all that were refused as one."""
    refused = [
        (f"/records/{place}", outcome) for place, outcome in enumerate(outcomes) if outcome.kind == "refused"
    ]
    faults = [fault for at, outcome in refused for fault in faults_at(at, outcome)][:FAULTS_MAX]
    if any(not isinstance(outcome.error, Conflict) for _, outcome in refused):
        raise InvalidInput(faults)
    conflicts = [conflict for at, outcome in refused for conflict in conflicts_at(at, outcome)]
    if conflicts:
        raise ChangedSince(told(faults), tuple(conflicts[:FAULTS_MAX]), faults)
    if faults:
        raise Conflict(told(faults), faults)


def faults_at(pointer: str, outcome: Outcome) -> list[Fault]:
    """The faults of an item that stood at *pointer*."""
    return [msgspec.structs.replace(fault, pointer=pointer + fault.pointer) for fault in outcome.faults]


def conflicts_at(pointer: str, outcome: Outcome) -> list[ChangedProperty]:
    """The conflicts of an item that stood at *pointer*."""
    return [
        msgspec.structs.replace(conflict, pointer=f"{pointer}/properties/{conflict.property}")
        for conflict in outcome.conflicts
    ]


def _faults_of(error: DomainError) -> tuple[Fault, ...]:
    match error:
        case InvalidInput(faults=faults):
            return faults
        case ChangedSince(conflicts=conflicts):
            return tuple(
                Fault(f"/properties/{one.property}", error.code, "was changed since") for one in conflicts
            )
        case Conflict(faults=faults) if faults:
            return faults
        case NotFound():
            return (Fault("/id", error.code, str(error)),)
    return (Fault("", error.code, str(error)),)
