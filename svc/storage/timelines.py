"""Timelines: what happened to a record, merged from several tables, the newest first."""

from collections.abc import Callable, Collection, Iterator
from heapq import nlargest
from typing import Any, Final, Literal, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain import cursors
from svc.domain.cursors import Position
from svc.domain.identity.roles import Permission
from svc.domain.limits import LIST_ROWS
from svc.domain.locale.times import rfc3339
from svc.domain.records.limits import TIMELINE_TEXT_CHARS_MAX
from svc.domain.records.objects import DEAL
from svc.storage.channels import tables as channels_tables
from svc.storage.forms import tables as forms_tables
from svc.storage.pages import Keyset
from svc.storage.readable import LenientDecoder
from svc.storage.records import rows as record_rows
from svc.storage.records import tables as records_tables
from svc.storage.sites import tables as sites_tables
from svc.storage.timeline_authors import Author, author_of, named
from svc.storage.workflows import tables as workflows_tables

Kind = Literal[
    "created",
    "updated",
    "deleted",
    "restored",
    "merged",
    "note",
    "submission",
    "visit",
    "deal",
    "message",
    "run",
]


_object: Final = msgspec.json.Decoder(dict[str, Any])
_changed: Final = LenientDecoder(_object, dict, records_tables.record_changes.c.changed)
_source: Final = LenientDecoder(_object, dict, records_tables.record_changes.c.source)
_note_source: Final = LenientDecoder(_object, dict, records_tables.notes.c.source)
_fields: Final = LenientDecoder(_object, dict, forms_tables.submissions.c.fields)
_properties: Final = LenientDecoder(_object, dict, records_tables.records.c.properties)
_sender: Final = LenientDecoder(_object, dict, channels_tables.messages.c.sender)


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that happened; `data` is JSON-ready and depends on the kind."""

    id: str
    kind: Kind
    at: int
    data: dict[str, Any]
    author: Author | None = None
    """None where nothing was stored of that."""


class _Part(NamedTuple):
    """The source of entries of one kind."""

    at: "sa.Column[int]"
    of: "sa.ColumnElement[str]"
    """The record."""
    rows: sa.Select[Any]
    entry: Callable[[sa.Row[Any]], Entry]
    needs: Permission | None = None
    """What a caller needs besides, to be shown its entries."""


def list_page(
    conn: sa.Connection,
    organization_id: str,
    object_slug: str | None,
    record_id: str,
    *,
    permissions: Collection[Permission] = (),
    cursor: str | None = None,
    limit: int = LIST_ROWS,
) -> tuple[list[Entry], str | None]:
    """What happened to the record, the newest first, and the cursor that goes on.

    A merged record's history is part of the survivor's. Messages and runs are there for callers whose
    *permissions* let them list those. Raises `NotFound` and `InvalidInput`.
    """
    row = record_rows.get_live(conn, organization_id, object_slug, record_id)
    cursors.check_limit(limit)
    keyset = Keyset(["timeline", record_id], cursor, limit, keys=1)
    before = None if keyset.after is None else (int(keyset.after.keys[0]), keyset.after.id)
    entries = [
        entry
        for part in _PARTS
        if part.needs is None or part.needs in permissions
        for entry in _entries(conn, part, record_id, before, limit + 1)
    ]
    created = Entry(id=row.id, kind="created", at=row.created_at, data={})
    if before is None or _place(created) < before:
        entries.append(created)
    page, next_cursor = keyset.cut(
        nlargest(limit + 1, entries, key=_place), lambda last: Position((str(last.at).encode(),), last.id)
    )
    authors = named(conn, organization_id, [entry.author for entry in page], permissions)
    shown = [
        msgspec.structs.replace(entry, author=author) for entry, author in zip(page, authors, strict=True)
    ]
    return shown, next_cursor


def _place(entry: Entry) -> tuple[int, str]:
    return entry.at, entry.id


def _entries(
    conn: sa.Connection, part: _Part, record_id: str, before: tuple[int, str] | None, limit: int
) -> Iterator[Entry]:
    select, id_ = part.rows.where(part.of == record_id), part.at.table.c.id
    if before is not None:
        select = select.where(
            sa.tuple_(part.at, id_) < sa.tuple_(sa.literal(before[0]), sa.literal(before[1]))
        )
    rows = conn.execute(select.order_by(part.at.desc(), id_.desc()).limit(limit))
    return map(part.entry, rows.all())


def _change(row: sa.Row[Any]) -> Entry:
    source = _source.read(row.source, row.id)
    data = {"changed": _changed.read(row.changed, row.id), "source": source}
    return Entry(id=row.id, kind=row.kind, at=row.at, data=data, author=author_of(source))


def _note(row: sa.Row[Any]) -> Entry:
    data = {"title": row.title, "body": row.body, "submissionId": row.submission_id}
    author = None if row.source is None else author_of(_note_source.read(row.source, row.id))
    return Entry(id=row.id, kind="note", at=row.created_at, data=data, author=author)


def _submission(row: sa.Row[Any]) -> Entry:
    data = {"formId": row.form_id, "fields": _fields.read(row.fields, row.id), "dealId": row.deal_id}
    author = Author(kind="form", id=row.form_id)
    return Entry(id=row.id, kind="submission", at=row.received_at, data=data, author=author)


def _visit(row: sa.Row[Any]) -> Entry:
    data = {"url": row.url, "title": row.title, "referrer": row.referrer}
    return Entry(id=row.id, kind="visit", at=row.at, data=data)


def _deal(row: sa.Row[Any]) -> Entry:
    values = _properties.read(row.properties, row.id)
    data = {"recordId": row.id, "name": values.get("name"), "stage": values.get("stage")}
    return Entry(id=row.id, kind="deal", at=row.created_at, data=data)


def _message(row: sa.Row[Any]) -> Entry:
    data = {
        "conversationId": row.conversation_id,
        "connectionId": row.connection_id,
        "messenger": row.messenger,
        "direction": row.direction,
        "text": None if row.text is None else row.text[:TIMELINE_TEXT_CHARS_MAX],
        "hasAttachments": row.attachments is not None,
    }
    if row.direction == "in":
        author = Author(kind="contact", name=_sender.read(row.sender, row.id).get("name"))
    elif row.author_kind == "agent":
        author = Author(kind="agent", id=row.connection_id, name=row.author_name)
    else:
        author = Author(kind="person", id=row.author_id, name=row.author_name)
    return Entry(id=row.id, kind="message", at=row.created_at, data=data, author=author)


def _run(row: sa.Row[Any]) -> Entry:
    data = {
        "workflowId": row.workflow_id,
        "name": row.name,
        "state": row.state,
        "endedAt": row.ended_at and rfc3339(row.ended_at),
    }
    author = Author(kind="workflow", id=row.workflow_id, name=row.name)
    return Entry(id=row.id, kind="run", at=row.started_at, data=data, author=author)


_records, _relations, _objects = records_tables.records, records_tables.relations, records_tables.objects
_changes, _notes = records_tables.record_changes, records_tables.notes
_submissions, _visits = forms_tables.submissions, sites_tables.visits
_messages, _conversations = channels_tables.messages, channels_tables.conversations
_connections = channels_tables.connections
_runs, _workflows = workflows_tables.workflow_runs, workflows_tables.workflows
_MESSAGES: Final = (
    sa.select(_messages, _connections.c.messenger)
    .join(_conversations, _conversations.c.id == _messages.c.conversation_id)
    .join(_connections, _connections.c.id == _messages.c.connection_id)
)
_RUNS: Final = sa.select(_runs, _workflows.c.name).join(_workflows, _workflows.c.id == _runs.c.workflow_id)
_DEALS: Final = (
    sa.select(_records)
    .join(_relations, _relations.c.record_id == _records.c.id)
    .join(_objects, _objects.c.id == _records.c.object_id)
    .where(_objects.c.slug == DEAL, _records.c.deleted_at.is_(None))
    .distinct()
)
_PARTS: Final = (
    _Part(_changes.c.at, _changes.c.record_id, sa.select(_changes), _change),
    _Part(_notes.c.created_at, _notes.c.record_id, sa.select(_notes), _note),
    _Part(_submissions.c.received_at, _submissions.c.contact_id, sa.select(_submissions), _submission),
    _Part(_visits.c.at, _visits.c.record_id, sa.select(_visits), _visit),
    _Part(_records.c.created_at, _relations.c.target_id, _DEALS, _deal),
    _Part(_messages.c.created_at, _conversations.c.contact_id, _MESSAGES, _message, "conversations"),
    _Part(_runs.c.started_at, _runs.c.record_id, _RUNS, _run, "workflows"),
)
