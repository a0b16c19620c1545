"""Records, written in sets."""

from collections.abc import Iterable
from typing import Any

import msgspec
from sqlalchemy import Connection, bindparam, insert, update

from svc.storage.prepared import Prepared
from svc.storage.tables import records

_INSERT = Prepared(insert(records))
_UPDATE = Prepared(
    update(records)
    .where(records.c.id == bindparam("record_id"))
    .values(properties=bindparam("new_properties"), updated_at=bindparam("at"))
)


def insert_many(
    conn: Connection,
    organization_id: str,
    object_id: str,
    at: int,
    made: Iterable[tuple[str, dict[str, Any]]],
) -> None:
    """Store new records of one object, each an id and its properties."""
    rows = [
        {
            "id": record_id,
            "organization_id": organization_id,
            "object_id": object_id,
            "properties": msgspec.json.encode(properties).decode(),
            "created_at": at,
            "updated_at": at,
            "deleted_at": None,
        }
        for record_id, properties in made
    ]
    if rows:
        _INSERT.many(conn, rows)


def update_many(conn: Connection, at: int, changed: Iterable[tuple[str, dict[str, Any]]]) -> None:
    """Store the properties of records that were there before."""
    rows = [
        {"record_id": record_id, "new_properties": msgspec.json.encode(properties).decode(), "at": at}
        for record_id, properties in changed
    ]
    if rows:
        _UPDATE.many(conn, rows)
