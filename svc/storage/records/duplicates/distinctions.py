"""Records that look alike and are not the same, as a person has said of them."""

from collections.abc import Collection, Sequence
from itertools import permutations
from typing import Final

import msgspec
import sqlalchemy as sa

from svc.domain.changes import ResourceChanged
from svc.domain.errors import Fault, InvalidInput, NotFound
from svc.storage.records import rows as record_rows
from svc.storage.records import tables
from svc.storage.rows import Rows
from svc.storage.statements import LOOKED_UP_MAX, Statement, batched
from svc.storage.store import Tx
from svc.storage.upserts import insert_or_keep


class Distinction(msgspec.Struct, frozen=True, kw_only=True):
    """A record, and another that it is not."""

    record_id: str
    other_id: str
    organization_id: str
    person_id: str | None
    at: int


_distinct: Final = tables.distinct_records.c
_DISTINCTIONS: Final = Rows(tables.distinct_records, Distinction)
_KEEP: Final = Statement(insert_or_keep(tables.distinct_records, ("record_id", "other_id")))
_DELETE: Final = Statement(
    sa.delete(tables.distinct_records).where(
        _distinct.record_id == sa.bindparam("of_record"), _distinct.other_id == sa.bindparam("of_other")
    )
)
_OF: Final = _DISTINCTIONS.prepared(
    _DISTINCTIONS.select(_distinct.record_id.in_(sa.bindparam("ids", expanding=True)))
)
_DELETE_OF: Final = Statement(
    sa.delete(tables.distinct_records).where(
        sa.or_(
            _distinct.record_id == sa.bindparam("of_record"), _distinct.other_id == sa.bindparam("of_record")
        )
    )
)


def distinguish(
    tx: Tx, organization_id: str, ids: Sequence[str], *, person_id: str | None, different: bool
) -> None:
    """Note that no two of *ids* are the same record, or, if not *different*, forget that.

    Raises `InvalidInput`, at `/ids/0` and so on, for records that are not there, that are of another object
    than the first, or that are named twice.
    """
    faults = []
    found = {row.id: row for row in record_rows.by_ids(tx.conn, organization_id, list(dict.fromkeys(ids)))}
    first = found.get(ids[0])
    for place, record_id in enumerate(ids):
        row, pointer = found.get(record_id), f"/ids/{place}"
        if row is None or row.deleted_at is not None:
            faults.append(Fault(pointer, NotFound.code, "there is no such record"))
        elif record_id in ids[:place]:
            faults.append(Fault(pointer, "invalid_value", "is named twice"))
        elif first is not None and row.object_id != first.object_id:
            faults.append(Fault(pointer, "invalid_value", f"is a `{row.of.slug}`, not a `{first.of.slug}`"))
    if faults:
        raise InvalidInput(faults)
    pairs = list(permutations(ids, 2))
    if different:
        _keep(tx, organization_id, pairs, person_id)
    else:
        _DELETE.many(tx.conn, [{"of_record": one, "of_other": other} for one, other in pairs])
    for record_id in ids:
        tx.announce(ResourceChanged(organization_id, "record", record_id))


def of(conn: sa.Connection, record_ids: Collection[str]) -> dict[str, set[str]]:
    """For each of *record_ids* that has any, the records that it is not."""
    others: dict[str, set[str]] = {}
    for some in batched(list(record_ids), LOOKED_UP_MAX):
        for row in _OF.all(conn, ids=some):
            others.setdefault(row.record_id, set()).add(row.other_id)
    return others


def move(tx: Tx, organization_id: str, survivor_id: str, merged_id: str) -> None:
    """What a merged record was not, the one that survives is not either."""
    moved = _OF.all(tx.conn, ids=[merged_id])
    _DELETE_OF.run(tx.conn, of_record=merged_id)
    for one in moved:
        if one.other_id != survivor_id:
            pairs = [(survivor_id, one.other_id), (one.other_id, survivor_id)]
            _keep(tx, organization_id, pairs, one.person_id)


def _keep(tx: Tx, organization_id: str, pairs: Sequence[tuple[str, str]], person_id: str | None) -> None:
    distinctions = [
        Distinction(
            record_id=one, other_id=other, organization_id=organization_id, person_id=person_id, at=tx.now
        )
        for one, other in pairs
    ]
    _KEEP.many(tx.conn, [*map(_DISTINCTIONS.values, distinctions)])
