"""Timelines: what happened to a record, merged from several tables, the newest first."""

from collections.abc import Callable, Iterator
from heapq import nlargest
from typing import Any, Final, Literal, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain import cursors
from svc.domain.cursors import Position
from svc.domain.limits import LIST_ROWS
from svc.domain.records.objects import DEAL
from svc.storage.forms import tables as forms_tables
from svc.storage.pages import Keyset
from svc.storage.readable import LenientDecoder
from svc.storage.records import rows as record_rows
from svc.storage.records import tables as records_tables
from svc.storage.sites import tables as sites_tables

Kind = Literal["created", "updated", "deleted", "restored", "merged", "note", "submission", "visit", "deal"]


_object: Final = msgspec.json.Decoder(dict[str, Any])
_changed: Final = LenientDecoder(_object, dict, records_tables.record_changes.c.changed)
_source: Final = LenientDecoder(_object, dict, records_tables.record_changes.c.source)
_fields: Final = LenientDecoder(_object, dict, forms_tables.submissions.c.fields)
_properties: Final = LenientDecoder(_object, dict, records_tables.records.c.properties)


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that happened; `data` is JSON-ready and depends on the kind."""

    id: str
    kind: Kind
    at: int
    data: dict[str, Any]


class _Part(NamedTuple):
    """The source of entries of one kind."""

    at: sa.ColumnElement[int]
    id: sa.ColumnElement[str]
    rows: Callable[[str], sa.Select[Any]]
    """Selects the rows of a record."""
    entry: Callable[[sa.Row[Any]], Entry]


def list_page(
    conn: sa.Connection,
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
    row = record_rows.get_live(conn, organization_id, object_slug, record_id)
    cursors.check_limit(limit)
    keyset = Keyset(["timeline", record_id], cursor, limit, keys=1)
    before = None if keyset.after is None else (int(keyset.after.keys[0]), keyset.after.id)
    entries = [entry for part in _PARTS for entry in _entries(conn, part, record_id, before, limit + 1)]
    created = Entry(id=row.id, kind="created", at=row.created_at, data={})
    if before is None or _place(created) < before:
        entries.append(created)
    page, next_cursor = keyset.cut(
        nlargest(limit + 1, entries, key=_place), lambda last: Position((str(last.at).encode(),), last.id)
    )
    return list(page), next_cursor


def _place(entry: Entry) -> tuple[int, str]:
    return entry.at, entry.id


def _entries(
    conn: sa.Connection, part: _Part, record_id: str, before: tuple[int, str] | None, limit: int
) -> Iterator[Entry]:
    select = part.rows(record_id)
    if before is not None:
        select = select.where(
            sa.tuple_(part.at, part.id) < sa.tuple_(sa.literal(before[0]), sa.literal(before[1]))
        )
    rows = conn.execute(select.order_by(part.at.desc(), part.id.desc()).limit(limit))
    return map(part.entry, rows.all())


def _change(row: sa.Row[Any]) -> Entry:
    data = {"changed": _changed.read(row.changed, row.id), "source": _source.read(row.source, row.id)}
    return Entry(id=row.id, kind=row.kind, at=row.at, data=data)


def _note(row: sa.Row[Any]) -> Entry:
    data = {"title": row.title, "body": row.body, "submissionId": row.submission_id}
    return Entry(id=row.id, kind="note", at=row.created_at, data=data)


def _submission(row: sa.Row[Any]) -> Entry:
    data = {"formId": row.form_id, "fields": _fields.read(row.fields, row.id), "dealId": row.deal_id}
    return Entry(id=row.id, kind="submission", at=row.received_at, data=data)


def _visit(row: sa.Row[Any]) -> Entry:
    data = {"url": row.url, "title": row.title, "referrer": row.referrer}
    return Entry(id=row.id, kind="visit", at=row.at, data=data)


def _deal(row: sa.Row[Any]) -> Entry:
    values = _properties.read(row.properties, row.id)
    data = {"recordId": row.id, "name": values.get("name"), "stage": values.get("stage")}
    return Entry(id=row.id, kind="deal", at=row.created_at, data=data)


def _deals(record_id: str) -> sa.Select[Any]:
    return (
        sa.select(records_tables.records)
        .join(records_tables.relations, records_tables.relations.c.record_id == records_tables.records.c.id)
        .join(records_tables.objects, records_tables.objects.c.id == records_tables.records.c.object_id)
        .where(
            records_tables.relations.c.target_id == record_id,
            sa.and_(records_tables.objects.c.slug == DEAL, records_tables.records.c.deleted_at.is_(None)),
        )
        .distinct()
    )


_PARTS: Final = (
    _Part(
        records_tables.record_changes.c.at,
        records_tables.record_changes.c.id,
        lambda record_id: sa.select(records_tables.record_changes).where(
            records_tables.record_changes.c.record_id == record_id
        ),
        _change,
    ),
    _Part(
        records_tables.notes.c.created_at,
        records_tables.notes.c.id,
        lambda record_id: sa.select(records_tables.notes).where(
            records_tables.notes.c.record_id == record_id
        ),
        _note,
    ),
    _Part(
        forms_tables.submissions.c.received_at,
        forms_tables.submissions.c.id,
        lambda record_id: sa.select(forms_tables.submissions).where(
            forms_tables.submissions.c.contact_id == record_id
        ),
        _submission,
    ),
    _Part(
        sites_tables.visits.c.at,
        sites_tables.visits.c.id,
        lambda record_id: sa.select(sites_tables.visits).where(sites_tables.visits.c.record_id == record_id),
        _visit,
    ),
    _Part(records_tables.records.c.created_at, records_tables.records.c.id, _deals, _deal),
)
