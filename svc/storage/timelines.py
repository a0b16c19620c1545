"""Timelines: what happened to a record, from wherever it is kept, the newest first."""

from collections.abc import Callable, Iterator
from heapq import nlargest
from typing import Any, Final, Literal, NamedTuple

import msgspec
from sqlalchemy import ColumnElement, Connection, Select, and_, literal, select, tuple_

from svc.domain import cursors
from svc.domain.cursors import Position
from svc.domain.limits import LIST_ROWS
from svc.domain.records.objects import DEAL
from svc.storage.forms.tables import submissions
from svc.storage.readable import LenientDecoder
from svc.storage.records import records
from svc.storage.records.tables import notes, record_changes, relations
from svc.storage.records.tables import objects as object_rows
from svc.storage.records.tables import records as record_rows
from svc.storage.sites.tables import visits

Kind = Literal["created", "updated", "deleted", "restored", "merged", "note", "submission", "visit", "deal"]


_object: Final = msgspec.json.Decoder(dict[str, Any])
_changed: Final = LenientDecoder(_object, dict, record_changes.c.changed)
_source: Final = LenientDecoder(_object, dict, record_changes.c.source)
_fields: Final = LenientDecoder(_object, dict, submissions.c.fields)
_properties: Final = LenientDecoder(_object, dict, record_rows.c.properties)


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that happened; `data` is JSON-ready and depends on the kind."""

    id: str
    kind: Kind
    at: int
    data: dict[str, Any]


class _Part(NamedTuple):
    """Where entries of one kind are kept."""

    at: ColumnElement[int]
    id: ColumnElement[str]
    rows: Callable[[str], Select[Any]]
    """What selects the rows of a record."""
    entry: Callable[[Any], Entry]


def list_page(
    conn: Connection,
    organization_id: str,
    object_slug: str | None,
    record_id: str,
    *,
    cursor: str | None = None,
    limit: int = LIST_ROWS,
) -> tuple[list[Entry], str | None]:
    """What happened to the record, the newest first, and the cursor that goes on.

    A merged record's history is part of the survivor's. Raises `NotFound` and `InvalidInput`.
    """
    _, row = records.find(conn, organization_id, object_slug, record_id)
    cursors.check_limit(limit)
    question = ["timeline", record_id]
    after = cursors.read(question, cursor, 1)
    before = None if after is None else (int(after.keys[0]), after.id)
    entries = [entry for part in _PARTS for entry in _entries(conn, part, record_id, before, limit + 1)]
    created = Entry(id=row.id, kind="created", at=row.created_at, data={})
    if before is None or _place(created) < before:
        entries.append(created)
    found = nlargest(limit + 1, entries, key=_place)
    if len(found) <= limit:
        return found, None
    last = found[limit - 1]
    return found[:limit], cursors.write(question, Position((str(last.at).encode(),), last.id))


def _place(entry: Entry) -> tuple[int, str]:
    return entry.at, entry.id


def _entries(
    conn: Connection, part: _Part, record_id: str, before: tuple[int, str] | None, most: int
) -> Iterator[Entry]:
    asked = part.rows(record_id)
    if before is not None:
        asked = asked.where(tuple_(part.at, part.id) < tuple_(literal(before[0]), literal(before[1])))
    rows = conn.execute(asked.order_by(part.at.desc(), part.id.desc()).limit(most))
    return map(part.entry, rows.all())


def _change(row: Any) -> Entry:
    data = {"changed": _changed.read(row.changed, row.id), "source": _source.read(row.source, row.id)}
    return Entry(id=row.id, kind=row.kind, at=row.at, data=data)


def _note(row: Any) -> Entry:
    data = {"title": row.title, "body": row.body, "submissionId": row.submission_id}
    return Entry(id=row.id, kind="note", at=row.created_at, data=data)


def _submission(row: Any) -> Entry:
    data = {"formId": row.form_id, "fields": _fields.read(row.fields, row.id), "dealId": row.deal_id}
    return Entry(id=row.id, kind="submission", at=row.received_at, data=data)


def _visit(row: Any) -> Entry:
    data = {"url": row.url, "title": row.title, "referrer": row.referrer}
    return Entry(id=row.id, kind="visit", at=row.at, data=data)


def _deal(row: Any) -> Entry:
    values = _properties.read(row.properties, row.id)
    data = {"recordId": row.id, "name": values.get("name"), "stage": values.get("stage")}
    return Entry(id=row.id, kind="deal", at=row.created_at, data=data)


def _deals(record_id: str) -> Select[Any]:
    return (
        select(record_rows)
        .join(relations, relations.c.record_id == record_rows.c.id)
        .join(object_rows, object_rows.c.id == record_rows.c.object_id)
        .where(
            relations.c.target_id == record_id,
            and_(object_rows.c.slug == DEAL, record_rows.c.deleted_at.is_(None)),
        )
        .distinct()
    )


_PARTS: Final = (
    _Part(
        record_changes.c.at,
        record_changes.c.id,
        lambda record_id: select(record_changes).where(record_changes.c.record_id == record_id),
        _change,
    ),
    _Part(
        notes.c.created_at,
        notes.c.id,
        lambda record_id: select(notes).where(notes.c.record_id == record_id),
        _note,
    ),
    _Part(
        submissions.c.received_at,
        submissions.c.id,
        lambda record_id: select(submissions).where(submissions.c.contact_id == record_id),
        _submission,
    ),
    _Part(
        visits.c.at,
        visits.c.id,
        lambda record_id: select(visits).where(visits.c.record_id == record_id),
        _visit,
    ),
    _Part(record_rows.c.created_at, record_rows.c.id, _deals, _deal),
)
