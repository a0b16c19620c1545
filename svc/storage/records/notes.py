"""Notes on records."""

from typing import Any, Final

import msgspec
import sqlalchemy as sa

from svc.domain import cursors
from svc.domain.errors import Fault, InvalidInput
from svc.domain.events import Source
from svc.domain.limits import LIST_ROWS
from svc.domain.records.limits import NOTE_CHARS_MAX, NOTE_TITLE_CHARS_MAX
from svc.storage.pages import Keyset
from svc.storage.records import rows as record_rows
from svc.storage.records import tables
from svc.storage.rows import Rows
from svc.storage.store import Tx


class Note(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A note as it was written. `submission_id` is that of the submission that left it, if one did."""

    id: str
    record_id: str
    title: str
    body: str
    submission_id: str | None
    source: dict[str, Any] | None
    """What wrote it, as a `Source`; None where that was not stored."""
    created_at: int


NOTES: Final = Rows(tables.notes, Note, beside=["organization_id"])


def create(
    tx: Tx,
    organization_id: str,
    object_slug: str | None,
    record_id: str,
    *,
    title: str,
    body: str,
    source: Source,
) -> Note:
    """Write a note on the record. Raises `NotFound` and `InvalidInput`."""
    record_rows.get_live(tx.conn, organization_id, object_slug, record_id)
    faults = [
        Fault(f"/{name}", "invalid_value", f"not a text of up to {chars_max} characters")
        for name, text, chars_max in (("title", title, NOTE_TITLE_CHARS_MAX), ("body", body, NOTE_CHARS_MAX))
        if len(text) > chars_max or "\0" in text
    ]
    if not faults and not (title.strip() or body.strip()):
        faults.append(Fault("/body", "missing", "a note needs a title or a body"))
    if faults:
        raise InvalidInput(faults)
    note = Note(
        id=tx.new_id("not"),
        record_id=record_id,
        title=title,
        body=body,
        submission_id=None,
        source=dict(source),
        created_at=tx.now,
    )
    NOTES.insert(tx.conn, note, organization_id=organization_id)
    return note


def list_page(
    conn: sa.Connection,
    organization_id: str,
    object_slug: str | None,
    record_id: str,
    *,
    cursor: str | None = None,
    limit: int = LIST_ROWS,
) -> tuple[list[Note], str | None]:
    """The record's notes, the newest first, and where they go on. Raises `NotFound`, `InvalidInput`."""
    record_rows.get_live(conn, organization_id, object_slug, record_id)
    cursors.check_limit(limit)
    keyset = Keyset(["notes", record_id], cursor, limit)
    notes = NOTES.select(tables.notes.c.record_id == record_id)
    rows, next_cursor = keyset.fetch(conn, notes, tables.notes.c.id, newest_first=True)
    return [NOTES.make(row) for row in rows], next_cursor


def of_submission(conn: sa.Connection, record_id: str | None, submission_id: str) -> str | None:
    """The note that the submission left on that record; None where it left none."""
    return conn.scalar(
        sa.select(tables.notes.c.id).where(
            tables.notes.c.record_id == record_id, tables.notes.c.submission_id == submission_id
        )
    )
