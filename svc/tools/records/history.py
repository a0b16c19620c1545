"""`record.*`, what was, what goes, and what comes back: timelines, deletions, reverts and merges."""

from typing import Annotated, Any

from svc.domain.errors import Conflict, NotFound
from svc.domain.identity.callers import Call
from svc.domain.limits import LIST_ROWS
from svc.domain.times import rfc3339
from svc.storage import timelines
from svc.storage.identity import organizations
from svc.storage.records import merges as record_merges
from svc.storage.records import records
from svc.storage.records.writes import reverts as record_reverts
from svc.storage.store import Tx, View
from svc.storage.timelines import Kind
from svc.tools.records.answers import (
    EXAMPLE,
    IfRecordVersion,
    ObjectTypeOfId,
    RecordAnswer,
    RecordId,
    answer_of,
)
from svc.tools.tool import Cursor, Limit, NextCursor, Timestamp, ToolInput, ToolOutput, about, reads, writes


class GetTimeline(ToolInput, frozen=True, kw_only=True):
    """Of which record to show the timeline."""

    object_type: ObjectTypeOfId = None
    id: RecordId
    limit: Annotated[int, Limit] = LIST_ROWS
    cursor: Annotated[str, Cursor] | None = None


class TimelineEntry(ToolOutput, frozen=True, kw_only=True):
    """One thing that happened to a record."""

    id: Annotated[str, about(description="The id of what happened: of the note, of the submission, …")]
    kind: Annotated[Kind, about(description="What happened.")]
    at: Timestamp
    data: Annotated[
        dict[str, Any],
        about(
            description="More about it, by its kind: `changed`, from what to what, and its `source`; "
            "a note's `title` and `body`; a submission's `fields`; a visit's `url`; a deal's `recordId`."
        ),
    ]


class Timeline(ToolOutput, frozen=True, kw_only=True):
    """What happened to a record, the newest first."""

    entries: Annotated[tuple[TimelineEntry, ...], about(description="The newest first.")]
    next_cursor: Annotated[str | None, NextCursor]


@reads(
    "record.timeline",
    needs="records.read",
    raises=(NotFound,),
    example=GetTimeline(object_type="contact", id=EXAMPLE.id),
    answer=Timeline(
        entries=(
            TimelineEntry(
                id="chg_01K5D3V7Q2M8Z4X6C9B1N0T5RG",
                kind="updated",
                at="2026-09-18T10:00:00.000Z",
                data={
                    "changed": {"city": [None, "London"]},
                    "source": {
                        "kind": "api",
                        "id": "key_01K5D3V7Q2M8Z4X6C9B1N0T5RH",
                        "personId": "usr_01K5D3V7Q2M8Z4X6C9B1N0T5RJ",
                    },
                },
            ),
            TimelineEntry(id=EXAMPLE.id, kind="created", at=EXAMPLE.created_at, data={}),
        ),
        next_cursor=None,
    ),
)
def timeline(view: View, call: Call, request: GetTimeline) -> Timeline:
    """Show what happened to a record, the newest first.

    Its making, its changes, notes, form submissions, page visits, deals, deletions and merges; of a record
    that others were merged into, theirs too.
    """
    rows, next_cursor = timelines.list_page(
        view.conn,
        call.caller.organization_id,
        request.object_type,
        request.id,
        cursor=request.cursor,
        limit=request.limit,
    )
    entries = (TimelineEntry(id=row.id, kind=row.kind, at=rfc3339(row.at), data=row.data) for row in rows)
    return Timeline(entries=tuple(entries), next_cursor=next_cursor)


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


class RevertChange(ToolInput, frozen=True, kw_only=True):
    """Which change of a record to take back."""

    object_type: ObjectTypeOfId = None
    id: RecordId
    change: Annotated[
        str,
        about(
            description="The `id` of an entry of its timeline, of kind `updated`.",
            examples=["chg_01K5D3V7Q2M8Z4X6C9B1N0T5RG"],
        ),
    ]
    if_version: IfRecordVersion = None


@writes(
    "record.revert",
    needs="records.write",
    raises=(NotFound, Conflict),
    example=RevertChange(object_type="contact", id=EXAMPLE.id, change="chg_01K5D3V7Q2M8Z4X6C9B1N0T5RG"),
    answer=EXAMPLE,
)
def revert(tx: Tx, call: Call, request: RevertChange) -> RecordAnswer:
    """Take one change of a record back: what it changed has the values of before again.

    What other changes did stays. If a value was changed again since, nothing is written: 409 `conflict`, with
    `conflicts`. A revert is a change itself, and can be taken back as well.
    """
    organization = organizations.get(tx.conn, call.caller.organization_id)
    reverted = record_reverts.revert(
        tx,
        organization,
        request.object_type,
        request.id,
        request.change,
        if_version=request.if_version,
        source=call.source(),
    )
    return answer_of(reverted)


class MergeRecords(ToolInput, frozen=True, kw_only=True):
    """Which two records of one object are the same."""

    object_type: ObjectTypeOfId = None
    id: Annotated[str, about(description="The record that stays.", examples=[EXAMPLE.id])]
    merged_id: Annotated[
        str,
        about(
            description="The record that it takes over; its id leads to the other from then on.",
            examples=["rec_01K5D3V7Q2M8Z4X6C9B1N0T5RK"],
        ),
    ]
    if_version: Annotated[
        int | None,
        about(
            description="The `version` that was seen of the record that stays. If a value that it would take "
            "over was changed in it since, nothing is merged: 409 `conflict`, with `conflicts`."
        ),
    ] = None


@writes(
    "record.merge",
    needs="records.write",
    runs="approval",
    raises=(NotFound, Conflict),
    example=MergeRecords(object_type="contact", id=EXAMPLE.id, merged_id="rec_01K5D3V7Q2M8Z4X6C9B1N0T5RK"),
    answer=EXAMPLE,
)
def merge(tx: Tx, call: Call, request: MergeRecords) -> RecordAnswer:
    """Merge a record into another of the same object.

    The one that stays keeps its values and takes over what it has none of, with all notes, suggestions,
    visits, submissions and history; what led to the other leads to it. A merge cannot be undone.
    """
    survivor = record_merges.merge(
        tx,
        call.caller.organization_id,
        request.object_type,
        request.id,
        request.merged_id,
        if_version=request.if_version,
        source=call.source(),
    )
    return answer_of(survivor)
