"""`record.*`: many records of one object by one call."""

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import UNSET, UnsetType

from svc.domain.errors import Conflict, Fault, NotFound
from svc.domain.identity.callers import Call
from svc.domain.records.answers import EXAMPLE, ObjectType, RecordAnswer, RecordId
from svc.domain.records.limits import RECORDS_WRITTEN_MAX
from svc.domain.records.matching import HeldReason, UnclearMatch
from svc.domain.versions import ChangedProperty
from svc.storage.records import organization_objects
from svc.storage.records.writes.items import Outcome, OutcomeKind, conflicts_at, faults_at, write_many
from svc.storage.records.writes.ways import Item, WayName
from svc.storage.store import Tx
from svc.tools.projections import Projection
from svc.tools.records.answers import ChangedProperties, IfRecordVersion, NewProperties, answer_of
from svc.tools.tool import ToolInput, ToolOutput, about, writes

OnError = Annotated[
    Literal["skip"] | None,
    about(
        description="`skip` leaves out what is refused, and writes the others; `outcomes` says why. Without "
        "it, everything is written or nothing, and the error has every fault."
    ),
]
_Several = about(min_length=1, max_length=RECORDS_WRITTEN_MAX)

_SEVERAL: Final = tuple(
    msgspec.structs.replace(EXAMPLE, id=f"rec_01K5D3V7Q2M8Z4X6C9B1N0T5R{last}", properties=properties)
    for last, properties in (
        ("S", {"name": "Hedy Lamarr", "email": "hedy@example.com", "city": "Vienna"}),
        ("T", {"name": "Lewis Latimer", "email": "lewis@example.com", "city": "Boston"}),
    )
)


class ItemFault(ToolOutput, frozen=True, kw_only=True):
    """One thing that is wrong with an item."""

    pointer: Annotated[str, about(description="Where, as a JSON pointer into what was asked.")]
    code: Annotated[str, about(description="What kind of fault it is.")]
    detail: Annotated[str, about(description="What is wrong, and what would be right.")]


_fault: Final = Projection(Fault, ItemFault)


class ItemOutcome(ToolOutput, frozen=True, kw_only=True):
    """What became of one item."""

    outcome: Annotated[
        OutcomeKind,
        about(
            description="`suggested`: nothing was written, since the contact has other values; they wait as "
            "suggestions. `refused`: it left no trace."
        ),
    ]
    id: Annotated[str | None, about(description="The record's id; null if the item was refused.")]
    suggested: Annotated[
        tuple[str, ...] | UnsetType,
        about(description="The slugs of the values that wait as suggestions, if any do."),
    ] = UNSET
    errors: Annotated[
        tuple[ItemFault, ...] | UnsetType, about(description="Of a refused item: all that is wrong with it.")
    ] = UNSET
    conflicts: Annotated[
        tuple[ChangedProperty, ...] | UnsetType,
        about(description="Of a refused item: the values that were changed since its `ifVersion`."),
    ] = UNSET
    reason: Annotated[
        HeldReason | UnsetType,
        about(description="Of an unclear match: why, in the words of held submissions."),
    ] = UNSET
    candidates: Annotated[
        int | UnsetType, about(description="Of an unclear match: how many contacts may be meant.")
    ] = UNSET


class RecordBatch(ToolOutput, frozen=True, kw_only=True):
    """Records that were written, and what became of each item."""

    records: Annotated[
        tuple[RecordAnswer, ...],
        about(description="In the order of the items, without refused ones, each as its item left it."),
    ]
    outcomes: Annotated[
        tuple[ItemOutcome, ...],
        about(description="One for each item, in the order in which they were given."),
    ]


def _write(tx: Tx, call: Call, request: Any, way: WayName, items: Sequence[Item]) -> RecordBatch:
    organization, object_ = organization_objects.find(
        tx.conn, call.caller.organization_id, request.object_type
    )
    outcomes = write_many(
        tx,
        organization,
        object_,
        way,
        items,
        by=getattr(request, "by", None),
        source=call.source(),
        skip=request.on_error == "skip",
    )
    return RecordBatch(
        records=tuple(answer_of(one.record) for one in outcomes if one.record is not None),
        outcomes=tuple(_outcome(f"/records/{place}", one) for place, one in enumerate(outcomes)),
    )


def _outcome(pointer: str, outcome: Outcome) -> ItemOutcome:
    if outcome.record is not None:
        return ItemOutcome(outcome=outcome.kind, id=outcome.record.id, suggested=outcome.suggested or UNSET)
    unclear = outcome.error if isinstance(outcome.error, UnclearMatch) else None
    return ItemOutcome(
        outcome="refused",
        id=None,
        errors=tuple(map(_fault, faults_at(pointer, outcome))),
        conflicts=tuple(conflicts_at(pointer, outcome)) or UNSET,
        reason=UNSET if unclear is None else unclear.reason,
        candidates=UNSET if unclear is None else unclear.candidates,
    )


def _answer(kind: OutcomeKind, records: Sequence[RecordAnswer]) -> RecordBatch:
    """The answer of an example."""
    outcomes = tuple(ItemOutcome(outcome=kind, id=record.id) for record in records)
    return RecordBatch(records=tuple(records), outcomes=outcomes)


class NewRecord(ToolInput, frozen=True, kw_only=True):
    """One of several records to be made."""

    properties: NewProperties


class CreateManyRecords(ToolInput, frozen=True, kw_only=True):
    """Records of one object to be made."""

    object_type: ObjectType
    records: Annotated[tuple[NewRecord, ...], _Several]
    on_error: OnError = None


@writes(
    "record.create_many",
    needs="records.write",
    raises=(NotFound, Conflict),
    example=CreateManyRecords(
        object_type="contact", records=tuple(NewRecord(properties=record.properties) for record in _SEVERAL)
    ),
    answer=_answer("created", _SEVERAL),
)
def create_many(tx: Tx, call: Call, request: CreateManyRecords) -> RecordBatch:
    """Create several records of one object.

    Without `onError`, all of them or none: the answer names every fault of every record.
    Nothing is matched: use `record.upsert_many` for records that may be there already.
    """
    return _write(tx, call, request, "create", [Item(new.properties) for new in request.records])


class ChangedRecord(ToolInput, frozen=True, kw_only=True):
    """What to change of one of several records."""

    id: RecordId
    properties: ChangedProperties
    if_version: IfRecordVersion = None


class UpdateManyRecords(ToolInput, frozen=True, kw_only=True):
    """What to change of several records of one object."""

    object_type: ObjectType
    records: Annotated[tuple[ChangedRecord, ...], _Several]
    on_error: OnError = None


@writes(
    "record.update_many",
    needs="records.write",
    raises=(NotFound, Conflict),
    example=UpdateManyRecords(
        object_type="contact",
        records=(
            ChangedRecord(id=EXAMPLE.id, properties={"city": "London"}),
            ChangedRecord(id=EXAMPLE.id, properties={"job_title": "Analyst"}, if_version=1),
        ),
        on_error="skip",
    ),
    answer=_answer("updated", [EXAMPLE, EXAMPLE]),
)
def update_many(tx: Tx, call: Call, request: UpdateManyRecords) -> RecordBatch:
    """Change values of several records of one object, by their ids.

    Each as `record.update` does, in the order in which they are given: one record may be changed twice.
    """
    items = [Item(one.properties, one.id, one.if_version) for one in request.records]
    return _write(tx, call, request, "update", items)


class UpsertedItem(ToolInput, frozen=True, kw_only=True):
    """One of several records to be found and changed, or else made."""

    properties: ChangedProperties
    if_version: IfRecordVersion = None


class UpsertManyRecords(ToolInput, frozen=True, kw_only=True):
    """Records of one object to be found and changed, or else made."""

    object_type: ObjectType
    by: Annotated[
        str | None,
        about(
            description="The property that each record is looked up by: a unique one, or a contact's `email` "
            "or `phone`. Without it, contacts are matched by e-mail and phone together, as forms do.",
            examples=["email"],
        ),
    ] = None
    records: Annotated[tuple[UpsertedItem, ...], _Several]
    on_error: OnError = None


@writes(
    "record.upsert_many",
    needs="records.write",
    raises=(NotFound, Conflict),
    example=UpsertManyRecords(
        object_type="contact",
        by="email",
        records=tuple(UpsertedItem(properties=record.properties) for record in _SEVERAL),
    ),
    answer=_answer("created", _SEVERAL),
)
def upsert_many(tx: Tx, call: Call, request: UpsertManyRecords) -> RecordBatch:
    """Change the records that have a value, and create those that are not there.

    With `by`, each as `record.upsert` does: what is given is written. Without it, contacts are matched as
    those of forms are: an empty property is filled, a different value waits as a suggestion, and where it is
    unclear which contact is meant, the item is refused. Two items for one person make one record.
    """
    items = [Item(one.properties, if_version=one.if_version) for one in request.records]
    way: WayName = "match" if request.by is None else "upsert"
    return _write(tx, call, request, way, items)
