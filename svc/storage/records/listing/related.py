"""Related records: those that relations lead to, read together."""

from collections.abc import Collection, Mapping
from typing import Final, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.errors import Fault, InvalidInput
from svc.domain.records.limits import RELATED_BYTES_MAX
from svc.domain.records.values import Values
from svc.storage.readable import each
from svc.storage.records import tables
from svc.storage.records.rows import RECORDS, StoredRecord, values_of
from svc.storage.sql import json_values


class RelatedRecord(NamedTuple):
    """A record that a relation leads to, with its values as they are stored."""

    row: StoredRecord
    values: Values


_CHUNK: Final = 100
"""How many are read before it is known how large they are."""

# By id alone, as in `search`.
_ROWS: Final = RECORDS.prepared(
    RECORDS.select(json_values.is_item(tables.records.c.id, sa.bindparam("ids", type_=sa.Text())))
)


def by_ids(conn: sa.Connection, organization_id: str, ids: Collection[str]) -> dict[str, RelatedRecord]:
    """The records with *ids*, by id; of one that was merged, the survivor.

    Those that are deleted are left out, and those of another organization, and what cannot be read. Raises
    `InvalidInput` if they have more than `RELATED_BYTES_MAX`.
    """
    rows: dict[str, StoredRecord] = {}
    missing, size = sorted(set(ids)), 0
    while missing:
        wanted, missing = missing[:_CHUNK], missing[_CHUNK:]
        read = {row.id: row for row in _ROWS.all(conn, ids=msgspec.json.encode(wanted).decode())}
        rows |= read
        size += sum(len(row.properties) for row in read.values())
        if size > RELATED_BYTES_MAX:
            detail = (
                f"what their relations lead to has over {RELATED_BYTES_MAX:,} bytes: ask for fewer records"
            )
            raise InvalidInput([Fault("/limit", "invalid_value", detail)])
        survivors = {row.merged_into for row in read.values() if row.merged_into is not None}
        missing += sorted(survivors - rows.keys())
    live = [row for row in rows.values() if row.deleted_at is None and row.organization_id == organization_id]
    found = {one.row.id: one for one in each(live, lambda row: RelatedRecord(row, values_of(row)), "records")}
    last = {record_id: _survivor(rows, record_id) for record_id in ids}
    return {record_id: found[survivor] for record_id, survivor in last.items() if survivor in found}


def _survivor(rows: Mapping[str, StoredRecord], record_id: str) -> str:
    """The id of the record that one was merged into, at last; its own if it was not."""
    row = rows.get(record_id)
    while row is not None and row.merged_into is not None:
        record_id = row.merged_into
        row = rows.get(record_id)
    return record_id
