"""Moving all rows from one database to another, and looking whether they have all come.

Both are at the same revision, so that a table is the same in both. What is written is one transaction of the
target's: a move that breaks off leaves it empty, and is begun anew.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Any, Final, NamedTuple, Protocol

import msgspec
import sqlalchemy as sa

from svc.storage.metadata import metadata
from svc.storage.store import StoreFailed

TABLES: Final[Sequence[sa.Table]] = metadata.sorted_tables
"""Each after those that it refers to."""
REPORTED_ROWS: Final = 10_000
"""How many rows are between two reports about one table."""

Row = tuple[Any, ...]
"""The values of a row, as the database has them: a truth value is 1 or 0."""
Report = Callable[[str, int], None]
"""Hears how many rows of a table have been moved so far."""

_encode: Final = msgspec.msgpack.Encoder().encode


class RowSource(Protocol):
    """Reads all rows of a database, over one snapshot of it."""

    conn: sa.Connection

    def revision(self) -> str | None:
        """That of the schema; None where there is none yet."""
        ...

    def rows(self, table: sa.Table) -> Iterator[Row]:
        """The rows of *table*, in the order of `order_of`."""
        ...


class RowTarget(RowSource, Protocol):
    """Takes rows, in one transaction."""

    def fill(self, table: sa.Table, rows: Iterable[Row]) -> None:
        """Insert *rows*, all at once, so that they may refer to each other."""
        ...

    def finish(self) -> None:
        """Make what follows from the rows, such as an index of texts."""
        ...


class Moved(NamedTuple):
    """The rows of one table that have been moved."""

    table: str
    rows: int
    digest: bytes
    """The SHA-256 of all of them, in their order."""


def order_of(table: sa.Table) -> "list[sa.UnaryExpression[Any]]":
    """By the primary key, or by all columns where there is none; the same in each database."""
    columns = table.primary_key.columns or table.columns
    return [column.asc().nulls_first() for column in columns]


def move(source: RowSource, target: RowTarget, report: Report) -> list[Moved]:
    """Copy all rows, and compare each table with what has come.

    Raises `StoreFailed` where the target is of another revision or has rows, and where a table is not the
    same afterwards; the caller then rolls back what the target has taken.
    """
    _check_alike(source, target)
    moved = [_move_table(table, source, target, report) for table in TABLES]
    target.finish()
    for table, one in zip(TABLES, moved, strict=True):
        found = _Digest(target.rows(table)).all()
        if (found.rows, found.digest) != (one.rows, one.digest):
            raise StoreFailed(
                f"{table.name} is not the same in both: {one.rows} rows, and {found.rows} that have come"
            )
    return moved


def _check_alike(source: RowSource, target: RowTarget) -> None:
    theirs, ours = source.revision(), target.revision()
    if theirs != ours:
        raise StoreFailed(
            f"the data are at schema revision {theirs or 'none'}, and where they are to go is at"
            f" {ours or 'none'}: start the service once on each, with the same version"
        )
    for table in TABLES:
        if next(target.rows(table), None) is not None:
            raise StoreFailed(f"{table.name} has rows already: data are moved to where there are none")


def _move_table(table: sa.Table, source: RowSource, target: RowTarget, report: Report) -> Moved:
    digest = _Digest(source.rows(table), lambda rows: report(table.name, rows))
    target.fill(table, digest)
    moved = digest.moved(table)
    report(table.name, moved.rows)
    return moved


class _Found(NamedTuple):
    rows: int
    digest: bytes


class _Digest:
    """Counts rows on their way, and digests them."""

    def __init__(self, rows: Iterable[Row], report: Callable[[int], None] | None = None) -> None:
        self._rows = rows
        self._report = report
        self._sum = sha256()
        self._count = 0

    def __iter__(self) -> Iterator[Row]:
        for row in self._rows:
            self._sum.update(_encode(row))
            self._count += 1
            if self._report is not None and self._count % REPORTED_ROWS == 0:
                self._report(self._count)
            yield row

    def all(self) -> _Found:
        """Of all rows, which go nowhere."""
        for _ in self:
            pass
        return _Found(self._count, self._sum.digest())

    def moved(self, table: sa.Table) -> Moved:
        return Moved(table.name, self._count, self._sum.digest())
