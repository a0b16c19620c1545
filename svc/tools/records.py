"""`record.*`: records of every object, built-in and custom, one at a time.

`record_lists` has what finds them, `record_writes` what changes them.
"""

from typing import Annotated, Any, Final

import msgspec
from msgspec import UNSET, UnsetType

from svc.domain.callers import Call
from svc.domain.errors import NotFound
from svc.domain.limits import LIST_ROWS
from svc.domain.times import rfc3339
from svc.storage import record_relations, records, timelines
from svc.storage.records import Record
from svc.storage.store import View
from svc.storage.timelines import Kind
from svc.tools.tool import Answer, Asked, Cursor, Limit, NextCursor, Timestamp, about, reads, tool

ObjectType = Annotated[
    str, about(description="The object's slug: `contact`, `company`, `deal` or a custom one.")
]
RecordId = Annotated[str, about(description="The record's id.", examples=["rec_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])]
Properties = Annotated[
    dict[str, Any],
    about(description="Values by the slugs of the object's properties; what has no value is not there."),
]


class RecordAnswer(Answer, frozen=True, kw_only=True):
    """A record."""

    id: RecordId
    object_type: ObjectType
    properties: Properties
    created_at: Timestamp
    updated_at: Timestamp


def facts_of(record: Record) -> dict[str, Any]:
    """What an answer says of the record."""
    return {
        "id": record.id,
        "object_type": record.object_type,
        "properties": record.properties,
        "created_at": rfc3339(record.created_at),
        "updated_at": rfc3339(record.updated_at),
    }


def answer_of(record: Record) -> RecordAnswer:
    """The record as tools answer it."""
    return RecordAnswer(**facts_of(record))


EXAMPLE: Final = RecordAnswer(
    id="rec_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    object_type="contact",
    properties={"name": "Ada Lovelace", "email": "ada@example.com", "city": "London"},
    created_at="2026-09-18T09:30:00.000Z",
    updated_at="2026-09-18T09:30:00.000Z",
)


class GetRelated(Asked, frozen=True, kw_only=True):
    """Which page of the records that lead to one."""

    limit: Annotated[int, Limit] = LIST_ROWS
    cursor: Annotated[str, Cursor] | None = None


class GetRecord(Asked, frozen=True, kw_only=True):
    """Which record to show, and whether with those that lead to it."""

    object_type: ObjectType
    id: RecordId
    related: Annotated[
        GetRelated | None,
        about(
            description="Show, too, the records of any object whose relations lead to this one: "
            "a company's contacts and deals. `{}` asks for their first page."
        ),
    ] = None


class RelatedRecord(Answer, frozen=True, kw_only=True):
    """A record that leads to another."""

    property: Annotated[str, about(description="The slug of its relation that does.")]
    record: RecordAnswer


class RelatedRecords(Answer, frozen=True, kw_only=True):
    """Records that lead to one, in the order of their making."""

    records: Annotated[tuple[RelatedRecord, ...], about(description="In the order of their making.")]
    next_cursor: Annotated[str | None, NextCursor]


class ShownRecord(RecordAnswer, frozen=True, kw_only=True):
    """A record, with those that lead to it where they were asked for."""

    related: RelatedRecords | UnsetType = UNSET


@tool(
    "record.get",
    reads,
    needs="records.read",
    refuses=(NotFound,),
    example=GetRecord(object_type="contact", id=EXAMPLE.id),
    answer=ShownRecord(**msgspec.structs.asdict(EXAMPLE)),
)
def get(view: View, call: Call, asked: GetRecord) -> ShownRecord:
    """Show a record.

    The id of a record that was merged into another shows the other. A relation leads to one record; `related`
    shows its other end, all that leads to this one. To filter or sort those, use `record.list` with a filter
    on the relation.
    """
    found = records.get(view.conn, call.caller.organization_id, asked.object_type, asked.id)
    related = UNSET if asked.related is None else _related(view, call, found, asked.related)
    return ShownRecord(**facts_of(found), related=related)


def _related(view: View, call: Call, record: Record, asked: GetRelated) -> RelatedRecords:
    found, more = record_relations.leading_to(
        view.conn,
        call.caller.organization_id,
        record.object_type,
        record.id,
        cursor=asked.cursor,
        limit=asked.limit,
        pointer="/related",
    )
    return RelatedRecords(
        records=tuple(RelatedRecord(property=one.property, record=answer_of(one.record)) for one in found),
        next_cursor=more,
    )


class GetTimeline(Asked, frozen=True, kw_only=True):
    """Of which record to show the timeline."""

    object_type: ObjectType
    id: RecordId
    limit: Annotated[int, Limit] = LIST_ROWS
    cursor: Annotated[str, Cursor] | None = None


class TimelineEntry(Answer, frozen=True, kw_only=True):
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


class Timeline(Answer, frozen=True, kw_only=True):
    """What happened to a record, the newest first."""

    entries: Annotated[tuple[TimelineEntry, ...], about(description="The newest first.")]
    next_cursor: Annotated[str | None, NextCursor]


@tool(
    "record.timeline",
    reads,
    needs="records.read",
    refuses=(NotFound,),
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
def timeline(view: View, call: Call, asked: GetTimeline) -> Timeline:
    """Show what happened to a record, the newest first.

    Its making, its changes, notes, form submissions, page visits, deals, deletions and merges; of a record
    that others were merged into, theirs too.
    """
    found, more = timelines.list_page(
        view.conn,
        call.caller.organization_id,
        asked.object_type,
        asked.id,
        cursor=asked.cursor,
        limit=asked.limit,
    )
    entries = (TimelineEntry(id=one.id, kind=one.kind, at=rfc3339(one.at), data=one.data) for one in found)
    return Timeline(entries=tuple(entries), next_cursor=more)
