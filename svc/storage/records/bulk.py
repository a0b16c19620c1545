"""Writes of many records at once, as filing needs them.

The caller checks the values, inserts the identities and records the events.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import msgspec
import sqlalchemy as sa

from svc.domain.events import Source
from svc.storage.records import tables
from svc.storage.records.listing import index as record_index
from svc.storage.records.listing.index import Shape
from svc.storage.statements import Statement
from svc.storage.store import Tx

ChangeKind = Literal["updated", "deleted", "restored", "merged"]

_INSERT = Statement(sa.insert(tables.records))
_UPDATE = Statement(
    sa.update(tables.records)
    .where(tables.records.c.id == sa.bindparam("record_id"))
    .values(properties=sa.bindparam("new_properties"), updated_at=sa.bindparam("at"))
)
_INSERT_CHANGE = Statement(sa.insert(tables.record_changes))


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def insert_many(
    conn: sa.Connection,
    organization_id: str,
    object_id: str,
    at: int,
    made: Iterable[tuple[str, dict[str, Any]]],
    *,
    shape: Shape | None = None,
) -> None:
    """Store new records of one object, each an id and its properties; its *shape* is read unless given."""
    made = list(made)
    if not made:
        return
    _INSERT.many(
        conn,
        [
            {
                "id": record_id,
                "organization_id": organization_id,
                "object_id": object_id,
                "properties": _json(properties),
                "created_at": at,
                "updated_at": at,
                "deleted_at": None,
                "merged_into": None,
            }
            for record_id, properties in made
        ],
    )
    record_index.add(conn, shape or record_index.shape_of(conn, object_id), made)


def update_many(
    conn: sa.Connection, object_id: str, at: int, updated: Iterable[tuple[str, dict[str, Any]]]
) -> None:
    """Store the properties of records of one object that were there before."""
    updated = list(updated)
    if not updated:
        return
    _UPDATE.many(
        conn,
        [
            {"record_id": record_id, "new_properties": _json(properties), "at": at}
            for record_id, properties in updated
        ],
    )
    record_index.replace(conn, record_index.shape_of(conn, object_id), updated)


def update_properties(conn: sa.Connection, record_id: str, properties: Mapping[str, Any], at: int) -> None:
    """Store the properties of one record; its index is the caller's."""
    _UPDATE.run(conn, record_id=record_id, new_properties=_json(properties), at=at)


def note_changes(
    tx: Tx,
    organization_id: str,
    happened: Sequence[tuple[str, ChangeKind, Mapping[str, Any], Source]],
) -> None:
    """Keep for the timeline what happened to records: id, kind, `{slug: [before, after]}`, source."""
    if happened:
        _INSERT_CHANGE.many(
            tx.conn,
            [
                {
                    "id": tx.new_id("chg"),
                    "organization_id": organization_id,
                    "record_id": record_id,
                    "kind": kind,
                    "at": tx.now,
                    "changed": _json(difference),
                    "source": _json(source),
                }
                for record_id, kind, difference, source in happened
            ],
        )
