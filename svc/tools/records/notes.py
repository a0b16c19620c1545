"""`note.*`: what people and forms wrote down about a record."""

from typing import Annotated, Final

from svc.domain.errors import NotFound
from svc.domain.identity.callers import Call
from svc.domain.limits import LIST_ROWS, NOTE_CHARS_MAX, NOTE_TITLE_CHARS_MAX
from svc.storage.records import notes
from svc.storage.records.notes import Note
from svc.storage.store import Tx, View
from svc.tools.projections import Projection
from svc.tools.records import narrowing
from svc.tools.records.answers import EXAMPLE, ObjectTypeOfId, RecordId
from svc.tools.tool import (
    Cursor,
    Limit,
    NextCursor,
    Timestamp,
    ToolInput,
    ToolOutput,
    about,
    reads,
    writes,
)


class NoteAnswer(ToolOutput, frozen=True, kw_only=True):
    """A note."""

    id: Annotated[str, about(description="The note's id.")]
    record_id: RecordId
    title: Annotated[str, about(description="May be empty.")]
    body: Annotated[str, about(description="Plain text; may be empty.")]
    submission_id: Annotated[
        str | None, about(description="The form submission that left it; null where somebody wrote it.")
    ]
    created_at: Timestamp


class NoteList(ToolOutput, frozen=True, kw_only=True):
    """Notes of a record, the newest first."""

    notes: Annotated[tuple[NoteAnswer, ...], about(description="The newest first.")]
    next_cursor: Annotated[str | None, NextCursor]


_answer: Final = Projection(Note, NoteAnswer)

_EXAMPLE: Final = NoteAnswer(
    id="not_01K5D3V7Q2M8Z4X6C9B1N0T5RD",
    record_id=EXAMPLE.id,
    title="Call of Friday",
    body="Wants an offer for 25 lamps.",
    submission_id=None,
    created_at="2026-09-18T09:30:00.000Z",
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
    return NoteList(notes=tuple(map(_answer, rows)), next_cursor=next_cursor)


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
    )
    return _answer(note)
