"""`record.*`, what was and what became of it: timelines, reverts and merges."""

from typing import Annotated, Any

from svc.domain.errors import Conflict, NotFound
from svc.domain.identity.callers import Call
from svc.domain.limits import LIST_ROWS
from svc.domain.locale.times import Timestamp, rfc3339
from svc.domain.records.answers import EXAMPLE, RecordAnswer, RecordId
from svc.domain.records.limits import PROPERTIES_MAX, TIMELINE_TEXT_CHARS_MAX
from svc.storage import timelines
from svc.storage.identity import organizations
from svc.storage.records import merges as record_merges
from svc.storage.records.writes import reverts as record_reverts
from svc.storage.store import Tx, View
from svc.storage.timelines import Kind
from svc.tools.records.answers import IfRecordVersion, ObjectTypeOfId, answer_of
from svc.tools.records.authors import TimelineAuthor, author_answer
from svc.tools.tool import Cursor, Limit, NextCursor, ToolInput, ToolOutput, about, reads, writes


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
    who: Annotated[TimelineAuthor | None, about(description="Null where that was not stored.")]
    data: Annotated[
        dict[str, Any],
        about(
            description="More about it, by its kind: `changed`, from what to what, and its `source`; "
            "a note's `title` and `body`; a submission's `formId` and `fields`; a visit's `url`; a deal's "
            "`recordId`, `name` and `stage`; a message's `conversationId`, `direction`, `messenger` and the "
            f"first {TIMELINE_TEXT_CHARS_MAX} characters of its `text`; a run's `workflowId`, `name` and "
            "`state`."
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
                who=TimelineAuthor(kind="key", id="key_01K5D3V7Q2M8Z4X6C9B1N0T5RH", name="Night sync"),
                data={
                    "changed": {"city": [None, "London"]},
                    "source": {
                        "kind": "api",
                        "id": "key_01K5D3V7Q2M8Z4X6C9B1N0T5RH",
                        "personId": "usr_01K5D3V7Q2M8Z4X6C9B1N0T5RJ",
                    },
                },
            ),
            TimelineEntry(id=EXAMPLE.id, kind="created", at=EXAMPLE.created_at, who=None, data={}),
        ),
        next_cursor=None,
    ),
)
def timeline(view: View, call: Call, request: GetTimeline) -> Timeline:
    """Show what happened to a record, the newest first.

    Its making, its changes, notes, form submissions, page visits, deals, deletions and merges; messages for
    callers with `conversations`, and runs of workflows for those with `workflows`. Of a record that others
    were merged into, theirs too.
    """
    rows, next_cursor = timelines.list_page(
        view.conn,
        call.caller.organization_id,
        request.object_type,
        request.id,
        permissions=call.caller.permissions,
        cursor=request.cursor,
        limit=request.limit,
    )
    entries = (
        TimelineEntry(
            id=row.id,
            kind=row.kind,
            at=rfc3339(row.at),
            who=author_answer(row.author),
            data=row.data,
        )
        for row in rows
    )
    return Timeline(entries=tuple(entries), next_cursor=next_cursor)


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
    take: Annotated[
        tuple[str, ...],
        about(
            description="Slugs of the properties that have the other record's values afterwards, not "
            "its own.",
            max_length=PROPERTIES_MAX,
            examples=[["city"]],
        ),
    ] = ()
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

    The one that stays keeps its values, but for those in `take`, and takes over what it has none of, with all
    notes, suggestions, visits, submissions and history; what led to the other leads to it. A merge cannot be
    undone.
    """
    survivor = record_merges.merge(
        tx,
        call.caller.organization_id,
        request.object_type,
        request.id,
        request.merged_id,
        take=request.take,
        if_version=request.if_version,
        source=call.source(),
    )
    return answer_of(survivor)
