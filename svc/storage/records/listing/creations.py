"""How many records of an object were made on each of some days, counted up to a bound along an index."""

from collections.abc import Sequence
from typing import Final

import sqlalchemy as sa

from svc.domain.locale.local_days import LocalDay
from svc.storage.records import tables
from svc.storage.records.rows import is_live
from svc.storage.statements import Statement

_record: Final = tables.records.c
_MADE: Final = Statement(
    sa.select(sa.func.count()).select_from(
        sa.select(sa.literal_column("1"))
        .select_from(tables.records)
        .where(
            is_live(sa.bindparam("object_id")),
            _record.created_at >= sa.bindparam("since"),
            _record.created_at < sa.bindparam("until"),
        )
        .limit(sa.bindparam("most", type_=sa.Integer))
        .subquery()
    ),
    int,
)


def by_day(conn: sa.Connection, object_id: str, days: Sequence[LocalDay], most: int) -> Sequence[int]:
    """How many live records of the object were made on each of *days*; of each day *most* are counted."""
    return [
        _MADE.one(conn, object_id=object_id, since=day.begins_at, until=day.ends_at, most=most) or 0
        for day in days
    ]


def count_to(conn: sa.Connection, object_id: str, now: int, most: int) -> int:
    """How many live records the object has, counted up to *most*."""
    return _MADE.one(conn, object_id=object_id, since=0, until=now + 1, most=most) or 0
