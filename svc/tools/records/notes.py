"""`note.*`: what people and forms wrote down about a record."""

from collections.abc import Sequence
from typing import Annotated, Final

import sqlalchemy as sa

from svc.domain.errors import NotFound
from svc.domain.identity.callers import Call
from svc.domain.limits import LIST_ROWS
from svc.domain.locale.times import Timestamp
from svc.domain.records.answers import EXAMPLE, RecordId
from svc.domain.records.limits import NOTE_CHARS_MAX, NOTE_TITLE_CHARS_MAX
from svc.storage import timeline_authors
from svc.storage.records import notes
from svc.storage.records.notes import Note
from svc.storage.store import Tx, View
from svc.storage.timeline_authors import author_of
from svc.tools.projections import Projection
from svc.tools.records import narrowing
from svc.tools.records.answers import ObjectTypeOfId
from svc.tools.records.authors import TimelineAuthor, author_answer
from svc.tools.tool import Cursor, Limit, NextCursor, ToolInput, ToolOutput, about, reads, writes


class NoteAnswer(ToolOutput, frozen=True, kw_only=True):
    """A note."""

    id: Annotated[str, about(description="The note's id.")]
    record_id: RecordId
    title: Annotated[str, about(description="May be empty.")]
    body: Annotated[str, about(description="Plain text; may be empty.")]
    submission_id: Annotated[
        str | None, about(description="The form submission that left it; null where somebody wrote it.")
    ]
    who: Annotated[
        TimelineAuthor | None, about(description="What or who wrote it; null where that was not stored.")
    ]
    created_at: Timestamp


class NoteList(ToolOutput, frozen=True, kw_only=True):
    """Notes of a record, the newest first."""

    notes: Annotated[tuple[NoteAnswer, ...], about(description="The newest first.")]
    next_cursor: Annotated[str | None, NextCursor]


_answer: Final = Projection(Note, NoteAnswer, given=("who",))

_EXAMPLE: Final = NoteAnswer(
    id="not_01K5D3V7Q2M8Z4X6C9B1N0T5RD",
    record_id=EXAMPLE.id,
    title="Call of Friday",
    body="Wants an offer for 25 lamps.",
    submission_id=None,
    who=TimelineAuthor(kind="person", id="usr_01K5D3V7Q2M8Z4X6C9B1N0T5RJ", name="Grace Hopper"),
    created_at="2026-09-18T09:30:00.000Z",
)


def _answers(conn: sa.Connection, call: Call, found: Sequence[Note]) -> tuple[NoteAnswer, ...]:
    """Notes with their authors, by the names that the caller may see."""
    authors = timeline_authors.named(
        conn,
        call.caller.organization_id,
        [author_of(note.source or {}) for note in found],
        call.caller.permissions,
    )
    return tuple(
        _answer(note, who=author_answer(author)) for note, author in zip(found, authors, strict=True)
    )


class ListNotes(ToolInput, frozen=True, kw_only=True):
    """Of which record to list the notes."""

    object_type: ObjectTypeOfId = None
    record_id: RecordId
    limit: Annotated[int, Limit] = LIST_ROWS
    cursor: Annotated[str, Cursor] | None = None


@reads(
    "note.list",
    needs="records.read",
    raises=(NotFound,),
    example=ListNotes(object_type="contact", record_id=EXAMPLE.id),
    answer=NoteList(notes=(_EXAMPLE,), next_cursor=None),
)
def list_(view: View, call: Call, request: ListNotes) -> NoteList:
    """List the notes of a record, the newest first."""
    rows, next_cursor = notes.list_page(
        view.conn,
        call.caller.organization_id,
        request.object_type,
        request.record_id,
        cursor=request.cursor,
        limit=request.limit,
    )
    return NoteList(notes=_answers(view.conn, call, rows), next_cursor=next_cursor)


class CreateNote(ToolInput, frozen=True, kw_only=True):
    """A note to be written. It has a title, a body, or both."""

    object_type: ObjectTypeOfId = None
    record_id: RecordId
    title: Annotated[str, about(description="What it is about.", max_length=NOTE_TITLE_CHARS_MAX)] = ""
    body: Annotated[str, about(description="Plain text.", max_length=NOTE_CHARS_MAX)] = ""


@writes(
    "note.create",
    needs="records.write",
    narrows=True,
    raises=(NotFound,),
    example=CreateNote(object_type="contact", record_id=EXAMPLE.id, title=_EXAMPLE.title, body=_EXAMPLE.body),
    answer=_EXAMPLE,
)
def create(tx: Tx, call: Call, request: CreateNote) -> NoteAnswer:
    """Write a note on a record."""
    narrowing.check_own(call.caller, request.record_id)
    note = notes.create(
        tx,
        call.caller.organization_id,
        request.object_type,
        request.record_id,
        title=request.title,
        body=request.body,
        source=call.source(),
    )
    [answer] = _answers(tx.conn, call, [note])
    return answer
