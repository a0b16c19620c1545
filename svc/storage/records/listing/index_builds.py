"""Builds of property indexes: begun when a list first wants one, some records in each unit of work."""

from collections.abc import Collection
from typing import Any, Final, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.limits import INDEX_BATCH
from svc.domain.records.properties import PropertyType
from svc.domain.records.sort_keys import sort_key
from svc.storage.readable import LenientDecoder
from svc.storage.records import tables
from svc.storage.records.listing import index as record_index
from svc.storage.statements import Statement
from svc.storage.store import Tx

_properties: Final = LenientDecoder(msgspec.json.Decoder(dict[str, Any]), dict, tables.records.c.properties)


class IndexInProgress(NamedTuple):
    """A property whose index is being built, and where the last batch ended."""

    id: str
    object_id: str
    slug: str
    type: PropertyType
    index_cursor: str | None


_BEGUN: Final = Statement(
    sa.select(*(tables.properties.c[name] for name in IndexInProgress._fields))
    .where(
        tables.properties.c.organization_id == sa.bindparam("organization_id"),
        tables.properties.c.index_state == tables.BUILDING,
    )
    .order_by(tables.properties.c.id)
    .limit(1),
    IndexInProgress,
)


class _Building(NamedTuple):
    """An organization that has an index in progress."""

    organization_id: str


_ORGANIZATIONS_BUILDING: Final = Statement(
    sa.select(tables.properties.c.organization_id)
    .where(tables.properties.c.index_state == tables.BUILDING)
    .distinct(),
    _Building,
)


def want(tx: Tx, organization_id: str, property_ids: Collection[str]) -> None:
    """Index these properties from now on; `build` adds the records that exist."""
    tx.conn.execute(
        sa.update(tables.properties)
        .where(
            tables.properties.c.organization_id == organization_id,
            tables.properties.c.id.in_(property_ids),
            tables.properties.c.index_state.is_(None),
        )
        .values(index_state="building", index_cursor=None)
    )


def organizations_building(conn: sa.Connection) -> list[str]:
    """The organizations that have an index to `build`."""
    return [row.organization_id for row in _ORGANIZATIONS_BUILDING.all(conn)]


def build(tx: Tx, organization_id: str, batch: int = INDEX_BATCH) -> bool:
    """Add the next *batch* of records to an index in progress; whether there is more to build."""
    row = _next_begun(tx.conn, organization_id)
    if row is None:
        return False
    created_at, last = msgspec.json.decode(row.index_cursor or '[0, ""]')
    place = sa.tuple_(tables.records.c.created_at, tables.records.c.id)
    records = tx.conn.execute(
        sa.select(tables.records.c.id, tables.records.c.properties, tables.records.c.created_at)
        .where(
            tables.records.c.object_id == row.object_id,
            tables.records.c.deleted_at.is_(None),
            place > sa.tuple_(sa.literal(created_at), sa.literal(last)),
        )
        .order_by(tables.records.c.created_at, tables.records.c.id)
        .limit(batch)
    ).all()
    record_index.DELETE_KEY.many(
        tx.conn, [{"of_property": row.id, "of_record": record.id} for record in records]
    )
    record_index.INSERT_KEY.many(
        tx.conn,
        [
            {
                "property_id": row.id,
                "record_id": record.id,
                # Lists leave out an unreadable record, whatever its key.
                "key": sort_key(row.type, _properties.read(record.properties, record.id).get(row.slug)),
            }
            for record in records
        ],
    )
    done = len(records) < batch
    cursor = None if done else msgspec.json.encode([records[-1].created_at, records[-1].id]).decode()
    tx.conn.execute(
        sa.update(tables.properties)
        .where(tables.properties.c.id == row.id)
        .values(index_state="ready" if done else "building", index_cursor=cursor)
    )
    return not done or _next_begun(tx.conn, organization_id) is not None


def _next_begun(conn: sa.Connection, organization_id: str) -> IndexInProgress | None:
    """The oldest property whose index is in progress."""
    return _BEGUN.one(conn, organization_id=organization_id)
