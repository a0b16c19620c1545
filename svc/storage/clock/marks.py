"""Stored times: the mark that a running service writes each minute, and the newest ids.

After a crash or a restart, time goes on from there and ids sort after those that are stored, even if the
machine's clock was set back in between. Nothing is written for it on the way of a request.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

import msgspec
import sqlalchemy as sa

from svc.clock import Clock
from svc.domain.ids import Ids, time_of
from svc.domain.locale.times import DAY_MS
from svc.storage import tables
from svc.storage.metadata import metadata
from svc.storage.statements import Statement
from svc.storage.store import Tx
from svc.storage.upserts import insert_or_replace

_LATEST = "latest"
"""The name of the one mark there is."""
_MARK: Final = Statement(insert_or_replace(tables.clock_marks, ["name"]))


class Traces(msgspec.Struct, frozen=True):
    """The latest time that was stored, as far as is known. Times are ms since the epoch."""

    marked_at: int | None
    newest_ulid: str | None
    """The newest id of all tables, without its prefix."""

    @property
    def latest(self) -> int:
        """The latest time, by the mark if there is one."""
        return max(self.times, default=0) if self.marked_at is None else self.marked_at

    @property
    def times(self) -> tuple[int, ...]:
        """The time that a clock resumes from. Ids count where the mark does not contradict them.

        A clock that was years ahead leaves such ids for good, but its mark only until the next one.
        """
        found = () if self.marked_at is None else (self.marked_at,)
        if self.newest_ulid is None:
            return found
        made_at = time_of(self.newest_ulid)
        contradicted = self.marked_at is not None and made_at > self.marked_at + DAY_MS
        return found if contradicted else (*found, made_at)


def traces(conn: sa.Connection) -> Traces:
    """Look at the mark and at the end of each table's ids; tables that are not there are passed over."""
    there = frozenset(sa.inspect(conn).get_table_names())
    newest = _ulids(conn.scalars(_newest_ids(there)))
    marked_at = marked(conn) if tables.clock_marks.name in there else None
    return Traces(marked_at, max(newest, default=None))


def resume(clock: Clock, ids: Ids, found: Traces) -> None:
    """Resume the clock and the ids after the traces."""
    if found.newest_ulid is not None:
        ids.go_on_after(found.newest_ulid)
    clock.start_from(found.times)


def marked(conn: sa.Connection) -> int | None:
    """The time of the last mark."""
    at = conn.scalar(sa.select(tables.clock_marks.c.at).where(tables.clock_marks.c.name == _LATEST))
    return at if isinstance(at, int) else None


def mark(tx: Tx) -> None:
    """Write the mark of this time."""
    _MARK.run(tx.conn, name=_LATEST, at=tx.now)


@lru_cache(maxsize=4)
def _newest_ids(there: frozenset[str]) -> "sa.CompoundSelect[tuple[str | None]]":
    """The end of the ids of each table that is *there*, by its index; NULL for an empty one."""
    keys = [
        key
        for table in metadata.sorted_tables
        if table.name in there and (key := table.c.get("id")) is not None and isinstance(key.type, sa.Text)
    ]
    none = sa.select(sa.null())  # for a database that has none of them yet
    return sa.union_all(none, *(sa.select(sa.func.max(key)) for key in keys))


def _ulids(ids: Iterable[str | None]) -> list[str]:
    """The *ids* without their prefixes; what is no id of ours is passed over."""
    found = []
    for one in ids:
        ulid = "" if one is None else one.partition("_")[2]
        try:
            time_of(ulid)
        except ValueError:
            continue
        found.append(ulid)
    return found
