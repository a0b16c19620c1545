"""`record.*`: what goes, and what comes back, one record or many."""

from collections.abc import Sequence
from typing import Annotated, Literal

from svc.domain.errors import Conflict, NotFound
from svc.domain.identity.callers import Call
from svc.domain.locale.times import Timestamp, rfc3339
from svc.domain.records.answers import EXAMPLE, RecordAnswer, RecordId
from svc.domain.records.limits import RECORDS_WRITTEN_MAX
from svc.storage.records import records
from svc.storage.records.writes import deletions
from svc.storage.records.writes.deletions import RefusedId
from svc.storage.store import Tx
from svc.tools.records.answers import ObjectTypeOfId, answer_of
from svc.tools.tool import ToolInput, ToolOutput, about, writes


class DeleteRecord(ToolInput, frozen=True, kw_only=True):
    """Which record to delete."""

    object_type: ObjectTypeOfId = None
    id: RecordId
    if_version: Annotated[
        int | None,
        about(
            description="The `version` that was decided about. If any value was changed since, nothing is "
            "deleted: 409 `conflict`, with `conflicts`."
        ),
    ] = None


class DeletedRecord(ToolOutput, frozen=True, kw_only=True):
    """A record that was deleted."""

    id: RecordId
    deleted_at: Timestamp


@writes(
    "record.delete",
    needs="records.write",
    runs="approval",
    raises=(NotFound, Conflict),
    example=DeleteRecord(object_type="contact", id=EXAMPLE.id),
    answer=DeletedRecord(id=EXAMPLE.id, deleted_at="2026-09-18T10:00:00.000Z"),
)
def delete(tx: Tx, call: Call, request: DeleteRecord) -> DeletedRecord:
    """Delete a record; `record.restore` brings it back."""
    records.delete(
        tx,
        call.caller.organization_id,
        request.object_type,
        request.id,
        if_version=request.if_version,
        source=call.source(),
    )
    return DeletedRecord(id=request.id, deleted_at=rfc3339(tx.now))


class RestoreRecord(ToolInput, frozen=True, kw_only=True):
    """Which record to bring back."""

    object_type: ObjectTypeOfId = None
    id: RecordId


@writes(
    "record.restore",
    needs="records.write",
    raises=(NotFound, Conflict),
    example=RestoreRecord(object_type="contact", id=EXAMPLE.id),
    answer=EXAMPLE,
)
def restore(tx: Tx, call: Call, request: RestoreRecord) -> RecordAnswer:
    """Bring a deleted record back as it was.

    That is a conflict where a unique value of it is another record's by now, or where it was merged.
    """
    back = records.restore(
        tx, call.caller.organization_id, request.object_type, request.id, source=call.source()
    )
    return answer_of(back)


class RecordIds(ToolInput, frozen=True, kw_only=True):
    """Which records: of one object or of several."""

    ids: Annotated[
        tuple[RecordId, ...],
        about(
            description="Their ids, in the order in which it is done.",
            min_length=1,
            max_length=RECORDS_WRITTEN_MAX,
        ),
    ]


class RefusedRecord(ToolOutput, frozen=True, kw_only=True):
    """A record that stayed as it is."""

    id: Annotated[str, about(description="As it was given.")]
    code: Annotated[
        Literal["not_found", "conflict"],
        about(description="What a call for this record alone would be refused with."),
    ]
    detail: Annotated[str, about(description="Why, in words.")]


_Refused = Annotated[tuple[RefusedRecord, ...], about(description="The others, and why.")]


class DeletedRecords(ToolOutput, frozen=True, kw_only=True):
    """What became of records that were to be deleted."""

    deleted: Annotated[tuple[RecordId, ...], about(description="Those that were deleted.")]
    refused: _Refused

    @property
    def targets(self) -> Sequence[str]:
        """The ids that the call is audited under."""
        return self.deleted


class RestoredRecords(ToolOutput, frozen=True, kw_only=True):
    """What became of records that were to be brought back."""

    restored: Annotated[tuple[RecordId, ...], about(description="Those that are back as they were.")]
    refused: _Refused

    @property
    def targets(self) -> Sequence[str]:
        """The ids that the call is audited under."""
        return self.restored


@writes(
    "record.delete_many",
    needs="records.write",
    runs="approval",
    example=RecordIds(ids=(EXAMPLE.id,)),
    answer=DeletedRecords(deleted=(EXAMPLE.id,), refused=()),
)
def delete_many(tx: Tx, call: Call, request: RecordIds) -> DeletedRecords:
    """Delete several records; `record.restore_many` brings them back.

    What cannot be deleted is left out and told in `refused`; the others are deleted.
    """
    outcome = deletions.delete_many(tx, call.caller.organization_id, request.ids, source=call.source())
    return DeletedRecords(deleted=tuple(outcome.done), refused=_refused(outcome.refused))


@writes(
    "record.restore_many",
    needs="records.write",
    example=RecordIds(ids=(EXAMPLE.id,)),
    answer=RestoredRecords(restored=(EXAMPLE.id,), refused=()),
)
def restore_many(tx: Tx, call: Call, request: RecordIds) -> RestoredRecords:
    """Bring several deleted records back as they were.

    What cannot be brought back is left out and told in `refused`: a record that was merged, or one of whose
    unique values is another record's by now.
    """
    outcome = deletions.restore_many(tx, call.caller.organization_id, request.ids, source=call.source())
    return RestoredRecords(restored=tuple(outcome.done), refused=_refused(outcome.refused))


def _refused(refused: Sequence[RefusedId]) -> tuple[RefusedRecord, ...]:
    return tuple(
        RefusedRecord(
            id=id_, code="conflict" if isinstance(error, Conflict) else "not_found", detail=str(error)
        )
        for id_, error in refused
    )
