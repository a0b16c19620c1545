"""Related records: those that relations lead to, read together."""

from collections.abc import Collection, Mapping
from typing import Final, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.records.values import Values
from svc.storage.readable import each
from svc.storage.records import tables
from svc.storage.records.rows import values_of
from svc.storage.sqlite import json_values
from svc.storage.statements import Statement


class RelatedRecord(NamedTuple):
    """A record that a relation leads to, with its values as they are stored."""

    id: str
    object_id: str
    version: int
    created_at: int
    updated_at: int
    values: Values


class _Row(NamedTuple):
    """A record's row, deleted or not."""

    id: str
    organization_id: str
    object_id: str
    properties: str
    created_at: int
    updated_at: int
    version: int
    deleted_at: int | None
    merged_into: str | None


# By id alone, as in `search`.
_ROWS: Final = Statement(
    sa.select(*(tables.records.c[name] for name in _Row._fields)).where(
        tables.records.c.id.in_(json_values.items(sa.bindparam("ids", type_=sa.Text())))
    ),
    _Row,
)


def by_ids(conn: sa.Connection, organization_id: str, ids: Collection[str]) -> dict[str, RelatedRecord]:
    """The records with *ids*, by id; of one that was merged, the survivor.

    Those that are deleted are left out, and those of another organization, and what cannot be read.
    """
    rows: dict[str, _Row] = {}
    missing = set(ids)
    while missing:
        wanted = msgspec.json.encode(sorted(missing)).decode()
        read = {row.id: row for row in _ROWS.all(conn, ids=wanted)}
        rows |= read
        missing = {row.merged_into for row in read.values() if row.merged_into is not None} - rows.keys()
    live = [row for row in rows.values() if row.deleted_at is None and row.organization_id == organization_id]
    found = {record.id: record for record in each(live, _related, "records")}
    survivors = {record_id: _survivor(rows, record_id) for record_id in ids}
    return {record_id: found[last] for record_id, last in survivors.items() if last in found}


def _survivor(rows: Mapping[str, _Row], record_id: str) -> str:
    """The id of the record that one was merged into, at last; its own if it was not."""
    row = rows.get(record_id)
    while row is not None and row.merged_into is not None:
        record_id = row.merged_into
        row = rows.get(record_id)
    return record_id


def _related(row: _Row) -> RelatedRecord:
    return RelatedRecord(row.id, row.object_id, row.version, row.created_at, row.updated_at, values_of(row))
