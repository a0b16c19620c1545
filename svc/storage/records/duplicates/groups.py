"""Groups of records of an object that may be the same, a page at a time."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain import cursors
from svc.domain.cursors import Position
from svc.domain.limits import LIST_ROWS
from svc.domain.records.duplicates import DUPLICATE_KINDS, DuplicateKey, DuplicateKind, duplicate_keys
from svc.domain.records.limits import (
    DUPLICATES_COMPARED_MAX,
    DUPLICATES_EXAMINED_MAX,
    DUPLICATES_SHOWN,
    QUICK_RECORDS_MAX,
    RELATED_BYTES_MAX,
)
from svc.storage.pages import Keyset
from svc.storage.readable import each
from svc.storage.records import rows as record_rows
from svc.storage.records import tables
from svc.storage.records.duplicates import distinctions
from svc.storage.records.listing import index_builds
from svc.storage.records.listing.narrowing import count_rows
from svc.storage.records.objects import StoredObject
from svc.storage.records.rows import Record, RecordRow, is_live
from svc.storage.statements import Statement


class Group(msgspec.Struct, frozen=True):
    """Records that have something in common."""

    by: DuplicateKind
    records: Sequence[Record]
    """The first of them, in the order of their making."""
    count: int


class GroupPage(msgspec.Struct, frozen=True):
    """A page of groups, and the cursor that goes on."""

    groups: Sequence[Group]
    next_cursor: str | None


class _Found(msgspec.Struct, frozen=True):
    """Something that several records have in common."""

    key: DuplicateKey
    count: int
    read_ids: Callable[[], Sequence[str]]
    """The first `DUPLICATES_COMPARED_MAX` of their ids."""


class _Shared(NamedTuple):
    """A value that several records have, and how many do."""

    value: str
    records: int


_keys: Final = tables.duplicate_keys.c
_BATCH: Final = 100
_OF_KIND: Final = (_keys.object_id == sa.bindparam("object_id"), _keys.kind == sa.bindparam("kind"))
_SHARED: Final = Statement(
    sa.select(_keys.value, sa.func.count().label("records"))
    .where(*_OF_KIND, _keys.value > sa.bindparam("after"))
    .group_by(_keys.value)
    .having(sa.func.count() > 1)
    .order_by(_keys.value)
    .limit(_BATCH),
    _Shared,
)
_IDS: Final = Statement(
    sa.select(_keys.record_id)
    .where(*_OF_KIND, _keys.value == sa.bindparam("value"))
    .order_by(_keys.record_id)
    .limit(DUPLICATES_COMPARED_MAX),
    str,
)


def list_page(
    conn: sa.Connection,
    object_: StoredObject,
    *,
    cursor: str | None = None,
    limit: int = LIST_ROWS,
    expect_long: Callable[[], None],
) -> GroupPage:
    """The groups of records of an object that may be the same: those by e-mail first, then by phone and name.

    Records that a person has called different from all others of a group are left out of it, and so is a
    group that an earlier one has whole. A page may be short, and still have a cursor that goes on.

    Raises `IndexNotReady` for an object of more than `QUICK_RECORDS_MAX` records that was not looked through
    before, and `InvalidInput`.
    """
    cursors.check_limit(limit)
    keyset = Keyset(["duplicates", object_.id], cursor, limit, keys=1)
    after = None if keyset.after is None else _key_at(keyset.after)
    groups: list[Group] = []
    size = examined = 0
    last: DuplicateKey | None = None
    for found in _found(conn, object_, after, expect_long):
        if last is not None and (
            len(groups) == limit or examined == DUPLICATES_EXAMINED_MAX or size > RELATED_BYTES_MAX
        ):
            return GroupPage(groups, cursors.write(["duplicates", object_.id], _position(last)))
        last, examined = found.key, examined + 1
        rows = _rows_of(conn, object_, found)
        if rows is not None and (group := _group(object_, found, rows)) is not None:
            groups.append(group)
            size += sum(len(row.properties) for row in rows.shown)
    return GroupPage(groups, None)


def _key_at(position: Position) -> DuplicateKey:
    for kind in DUPLICATE_KINDS:
        if kind == position.id:
            return kind, position.keys[0].decode(errors="replace")
    raise cursors.refused()


def _position(key: DuplicateKey) -> Position:
    kind, value = key
    return Position((value.encode(),), kind)


def _found(
    conn: sa.Connection, object_: StoredObject, after: DuplicateKey | None, expect_long: Callable[[], None]
) -> Iterator[_Found]:
    """What records of the object have in common, behind *after*, in the order of groups."""
    live = sa.select(sa.literal(1)).select_from(tables.records).where(is_live(object_.id))
    if count_rows(conn, live, QUICK_RECORDS_MAX + 1) > QUICK_RECORDS_MAX:
        expect_long()
        if object_.duplicates_state != "ready":
            begun = object_.duplicates_state is not None
            raise index_builds.duplicates_not_ready(conn, object_.id, begun=begun)
        return _indexed(conn, object_.id, after)
    return _scanned(conn, object_, after)


def _indexed(conn: sa.Connection, object_id: str, after: DuplicateKey | None) -> Iterator[_Found]:
    for kind, first in _kinds_behind(after):
        value = first
        while shared := _SHARED.all(conn, object_id=object_id, kind=kind, after=value):
            for one in shared:
                read_ids = partial(_IDS.all, conn, object_id=object_id, kind=kind, value=one.value)
                yield _Found((kind, one.value), one.records, read_ids)
            value = shared[-1].value


def _kinds_behind(after: DuplicateKey | None) -> Iterator[tuple[DuplicateKind, str]]:
    """The kinds from that of *after* on, each with the value that its groups come behind."""
    if after is None:
        return ((kind, "") for kind in DUPLICATE_KINDS)
    at, value = after
    first = DUPLICATE_KINDS.index(at)
    return ((kind, value if kind == at else "") for kind in DUPLICATE_KINDS[first:])


def _scanned(conn: sa.Connection, object_: StoredObject, after: DuplicateKey | None) -> Iterator[_Found]:
    """As `_indexed`, of an object of few records, by looking at all of them."""
    rows = conn.execute(
        sa.select(tables.records.c.id, tables.records.c.properties).where(is_live(object_.id))
    )
    ids: defaultdict[DuplicateKey, list[str]] = defaultdict(list)
    for record_id, properties in rows.tuples():
        try:
            values = msgspec.json.decode(properties, type=dict[str, Any])
        except msgspec.DecodeError:
            continue  # `svc check` names it
        for key in duplicate_keys(object_.kept, values):
            ids[key].append(record_id)
    for kind, first in _kinds_behind(after):
        # Texts of a database are in the order of their bytes.
        values_of_kind = sorted((value for at, value in ids if at == kind), key=str.encode)
        for value in values_of_kind:
            known = ids[kind, value]
            if value.encode() > first.encode() and len(known) > 1:
                shown = sorted(known)[:DUPLICATES_COMPARED_MAX]
                yield _Found((kind, value), len(known), partial(list, shown))


class _Rows(msgspec.Struct, frozen=True):
    """The rows of a group that are shown, and how many it has."""

    shown: Sequence[RecordRow]
    count: int


def _rows_of(conn: sa.Connection, object_: StoredObject, found: _Found) -> _Rows | None:
    """The records of a group, without those that are none of the others; None if fewer than two are left."""
    ids = found.read_ids()
    others = distinctions.of(conn, ids)
    if others and len(ids) == found.count:
        known = set(ids)
        left = [record_id for record_id in ids if known - {record_id} - others.get(record_id, set())]
    else:
        left = list(ids)
    count = found.count - (len(ids) - len(left))
    if count <= 1:
        return None
    rows = {row.id: row for row in record_rows.by_ids(conn, object_.organization_id, left[:DUPLICATES_SHOWN])}
    return _Rows([rows[record_id] for record_id in left if record_id in rows], count)


def _group(object_: StoredObject, found: _Found, rows: _Rows) -> Group | None:
    """The group of *rows*; None where it is of a deleted property, or an earlier one has it whole."""
    records: list[Record] = each(rows.shown, lambda row: record_rows.from_row(object_, row), "records")
    keys = [duplicate_keys(object_.properties.values(), record.properties) for record in records]
    shown = [record for record, has in zip(records, keys, strict=True) if found.key in has]
    count = rows.count - (len(records) - len(shown))
    if len(shown) <= 1 or (count == len(shown) and _has_earlier(found.key, keys)):
        return None
    return Group(found.key[0], shown, count)


def _has_earlier(key: DuplicateKey, keys: Iterable[set[DuplicateKey]]) -> bool:
    """Whether all records of a group by *key* have something in common that comes before it."""
    kind, _ = key
    before = DUPLICATE_KINDS[: DUPLICATE_KINDS.index(kind)]
    return any(earlier in before for earlier, _ in set.intersection(*keys))
