"""What records may have in common, as rows, kept for objects whose duplicates somebody has looked for."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import sqlalchemy as sa

from svc.domain.records.duplicates import duplicate_keys
from svc.storage.records import tables
from svc.storage.records.objects import StoredProperty
from svc.storage.statements import Statement
from svc.storage.upserts import insert_or_keep

_KEEP: Final = Statement(insert_or_keep(tables.duplicate_keys, ("object_id", "kind", "value", "record_id")))
_DELETE: Final = Statement(
    sa.delete(tables.duplicate_keys).where(tables.duplicate_keys.c.record_id == sa.bindparam("of_record"))
)


def add(
    conn: sa.Connection,
    object_id: str,
    properties: Sequence[StoredProperty],
    made: Iterable[tuple[str, Mapping[str, Any]]],
) -> None:
    """Insert what records may have in common, each an id and its properties, unless it is there."""
    _KEEP.many(
        conn,
        [
            {"object_id": object_id, "kind": kind, "value": value, "record_id": record_id}
            for record_id, values in made
            for kind, value in duplicate_keys(properties, values)
        ],
    )


def remove(conn: sa.Connection, record_ids: Iterable[str]) -> None:
    """Delete what these records have in common with others."""
    _DELETE.many(conn, [{"of_record": record_id} for record_id in record_ids])
