"""Builds of property indexes: begun when a list first wants one, some records in each unit of work."""

from collections.abc import Collection
from functools import partial
from typing import Any, Final, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.errors import Unavailable
from svc.domain.records.kinds.registry import sort_key
from svc.domain.records.limits import INDEX_BATCH, UNINDEXED_RETRY_SECONDS
from svc.domain.records.properties import PropertyType
from svc.storage import steps
from svc.storage.records import objects, tables
from svc.storage.records.duplicates import keys as duplicate_keys
from svc.storage.records.rows import is_live
from svc.storage.rows import Selection
from svc.storage.statements import Statement
from svc.storage.store import Tx
from svc.storage.upserts import insert_or_keep


class IndexInProgress(NamedTuple):
    """A property whose index is being built, and where the last batch ended."""

    id: str
    object_id: str
    slug: str
    type: PropertyType
    index_cursor: str | None


_IN_PROGRESS: Final = (
    sa.select(*(tables.properties.c[name] for name in IndexInProgress._fields))
    .where(tables.properties.c.index_state == tables.BUILDING)
    .order_by(tables.properties.c.id)
    .limit(1)
)
_BEGUN: Final = Statement(
    _IN_PROGRESS.where(tables.properties.c.organization_id == sa.bindparam("organization_id")),
    IndexInProgress,
)
_BUILT: Final = Statement(
    _IN_PROGRESS.where(tables.properties.c.object_id == sa.bindparam("object_id")), IndexInProgress
)


class DuplicatesInProgress(NamedTuple):
    """An object whose records are looked through for what they have in common, and how far that came."""

    id: str
    duplicates_cursor: str | None


_LOOKED_THROUGH: Final = sa.select(*(tables.objects.c[name] for name in DuplicatesInProgress._fields)).where(
    tables.objects.c.duplicates_state == tables.BUILDING
)
_DUPLICATES_BEGUN: Final = Statement(
    _LOOKED_THROUGH.where(tables.objects.c.organization_id == sa.bindparam("organization_id"))
    .order_by(tables.objects.c.id)
    .limit(1),
    DuplicatesInProgress,
)
_BUILDING: Final = sa.union(
    sa.select(tables.properties.c.organization_id).where(tables.properties.c.index_state == tables.BUILDING),
    sa.select(tables.objects.c.organization_id).where(tables.objects.c.duplicates_state == tables.BUILDING),
).subquery()
_ORGANIZATIONS_BUILDING: Final = Statement(sa.select(_BUILDING.c.organization_id), str)


class _Record(msgspec.Struct, frozen=True):
    """A record that is added to an index."""

    id: str
    properties: dict[str, Any]
    created_at: int


_records: Final = tables.records.c
_POSITION: Final = sa.tuple_(_records.created_at, _records.id)
_CURSOR: Final = sa.tuple_(
    sa.bindparam("created_at", type_=sa.BigInteger), sa.bindparam("last", type_=sa.Text)
)
_ADDED: Final = Selection(_Record, tables.records, empty={"properties": dict})
_RECORDS: Final = _ADDED.prepared(
    _ADDED.select(is_live(sa.bindparam("object_id")), _POSITION > _CURSOR)
    .order_by(_records.created_at, _records.id)
    .limit(sa.bindparam("batch", type_=sa.Integer))
)
# The keys of records that were written since the index was begun are there already, and the same.
_KEEP_KEY: Final = Statement(insert_or_keep(tables.record_keys, ("property_id", "record_id")))
_PROCEED: Final = Statement(
    sa.update(tables.properties)
    .where(tables.properties.c.id == sa.bindparam("of_property"))
    .values(index_state=sa.bindparam("state"), index_cursor=sa.bindparam("cursor"))
)


_PROCEED_DUPLICATES: Final = Statement(
    sa.update(tables.objects)
    .where(tables.objects.c.id == sa.bindparam("of_object"))
    .values(duplicates_state=sa.bindparam("state"), duplicates_cursor=sa.bindparam("cursor"))
)


def want(tx: Tx, organization_id: str, ids: Collection[str]) -> None:
    """Index these properties, and the duplicates of these objects, from now on.

    `build` adds the records that exist. *ids* are of both.
    """
    tx.conn.execute(
        sa.update(tables.objects)
        .where(
            tables.objects.c.organization_id == organization_id,
            tables.objects.c.id.in_(ids),
            tables.objects.c.duplicates_state.is_(None),
        )
        .values(duplicates_state="building", duplicates_cursor=None)
    )
    tx.conn.execute(
        sa.update(tables.properties)
        .where(
            tables.properties.c.organization_id == organization_id,
            tables.properties.c.id.in_(ids),
            tables.properties.c.index_state.is_(None),
        )
        .values(index_state="building", index_cursor=None)
    )


def organizations_building(conn: sa.Connection) -> list[str]:
    """The organizations that have an index to `build`."""
    return _ORGANIZATIONS_BUILDING.all(conn)


class IndexNotReady(Unavailable):
    """Raised by a list that would take too long without an index that is being built. Ask again later."""

    def __init__(self, done: int, records: int, unindexed: tuple[str, ...]) -> None:
        super().__init__(
            f"an index for this list is being built, from now on: {done:,} of {records:,} records are in it",
            retry_after_seconds=UNINDEXED_RETRY_SECONDS,
        )
        self.unindexed = unindexed
        """As `Page.unindexed`."""


def not_ready(conn: sa.Connection, object_id: str, unindexed: tuple[str, ...]) -> IndexNotReady:
    """The refusal of a list of the object, with the progress of the index that is being built."""
    row = _BUILT.one(conn, object_id=object_id)
    created_at, last = (0, "") if row is None else _place(row.index_cursor)
    return _refusal(conn, object_id, unindexed, created_at, last)


def duplicates_not_ready(conn: sa.Connection, object_id: str, *, begun: bool) -> IndexNotReady:
    """As `not_ready`, of the duplicates among the object's records."""
    found = conn.execute(_LOOKED_THROUGH.where(tables.objects.c.id == object_id)).one_or_none()
    created_at, last = (0, "") if found is None else _place(found.duplicates_cursor)
    return _refusal(conn, object_id, () if begun else (object_id,), created_at, last)


def _refusal(
    conn: sa.Connection, object_id: str, unindexed: tuple[str, ...], created_at: int, last: str
) -> IndexNotReady:
    is_done = sa.tuple_(sa.literal(created_at), sa.literal(last)) >= _POSITION
    counted = sa.select(sa.func.count(), sa.func.count(sa.case((is_done, 1)))).where(is_live(object_id))
    live, done = conn.execute(counted).tuples().one()
    return IndexNotReady(done, live, unindexed)


def build(tx: Tx, organization_id: str, batch: int = INDEX_BATCH) -> bool:
    """Add records to the indexes in progress while the unit has time; whether there are more to add."""
    return steps.run(tx, [partial(_add_next, organization_id=organization_id, batch=batch)]) is not None


def _add_next(tx: Tx, organization_id: str, batch: int) -> bool:
    """Add a batch to what is in progress, properties first; whether there is more to build."""
    if _add(tx, organization_id, batch):
        return True
    return _add_duplicates(tx, organization_id, batch)


def _add(tx: Tx, organization_id: str, batch: int) -> bool:
    """Add the next *batch* of records to an index in progress; whether there is more to build."""
    row = _next_begun(tx.conn, organization_id)
    if row is None:
        return False
    created_at, last = _place(row.index_cursor)
    records = _RECORDS.all(tx.conn, object_id=row.object_id, created_at=created_at, last=last, batch=batch)
    _KEEP_KEY.many(
        tx.conn,
        [
            {
                "property_id": row.id,
                "record_id": record.id,
                # Lists leave out an unreadable record, whatever its key.
                "key": sort_key(row.type, record.properties.get(row.slug)),
            }
            for record in records
        ],
    )
    done = len(records) < batch
    cursor = None if done else msgspec.json.encode([records[-1].created_at, records[-1].id]).decode()
    _PROCEED.run(tx.conn, of_property=row.id, state="ready" if done else "building", cursor=cursor)
    return not done or _next_begun(tx.conn, organization_id) is not None


def _add_duplicates(tx: Tx, organization_id: str, batch: int) -> bool:
    """Look through the next *batch* of records for what they have in common; whether there is more."""
    row = _DUPLICATES_BEGUN.one(tx.conn, organization_id=organization_id)
    if row is None:
        return False
    created_at, last = _place(row.duplicates_cursor)
    records = _RECORDS.all(tx.conn, object_id=row.id, created_at=created_at, last=last, batch=batch)
    kept = objects.kept_properties(tx.conn, row.id)
    duplicate_keys.add(tx.conn, row.id, kept, [(record.id, record.properties) for record in records])
    done = len(records) < batch
    cursor = None if done else msgspec.json.encode([records[-1].created_at, records[-1].id]).decode()
    _PROCEED_DUPLICATES.run(tx.conn, of_object=row.id, state="ready" if done else "building", cursor=cursor)
    return True


def _place(cursor: str | None) -> tuple[int, str]:
    """When the last record in an index was made, and its id."""
    created_at, last = msgspec.json.decode(cursor or '[0, ""]')
    return created_at, last


def _next_begun(conn: sa.Connection, organization_id: str) -> IndexInProgress | None:
    """The oldest property whose index is in progress."""
    return _BEGUN.one(conn, organization_id=organization_id)
