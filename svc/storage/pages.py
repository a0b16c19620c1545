"""Keyset pages: the rows behind a cursor, and the cursor of the next page.

One row more than the page has is read: it says whether there is a next page. A cursor holds the keys of the
last row of its page, so that writes between two pages make the list neither skip nor repeat a row.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

import msgspec
import sqlalchemy as sa

from svc.domain import cursors
from svc.domain.cursors import Position
from svc.domain.limits import TOTAL_MAX

R = TypeVar("R")


class Total(msgspec.Struct, frozen=True):
    """How many rows a list has in all."""

    count: int
    exact: bool
    """Whether there are no more."""


def total_of(counted: int) -> Total:
    """The total of rows that were counted up to `TOTAL_MAX` + 1."""
    return Total(min(counted, TOTAL_MAX), counted <= TOTAL_MAX)


def total(conn: sa.Connection, select: sa.Select[Any]) -> Total:
    """How many rows *select* has."""
    return total_of(count_to_total(conn, select))


def count_to_total(conn: sa.Connection, select: sa.Select[Any]) -> int:
    """How many rows *select* has, counted up to `TOTAL_MAX` + 1."""
    counted = select.limit(TOTAL_MAX + 1).subquery()
    return conn.execute(sa.select(sa.func.count()).select_from(counted)).scalar_one()


def _by_id(row: Any) -> Position:
    return Position((), row.id)


class Keyset:
    """One page of a list: up to *limit* rows behind *cursor*.

    *question* is JSON-ready and says what is listed; the cursor of another question is rejected. *keys* is
    how many keys are before the id in the order of the list.
    """

    __slots__ = ("_question", "after", "limit")

    def __init__(
        self, question: Any, cursor: str | None, limit: int, *, keys: int = 0, pointer: str = ""
    ) -> None:
        """Raises `InvalidInput`, at `/cursor` below *pointer*, for a cursor of another question."""
        self._question: Final = question
        self.limit: Final = limit
        self.after: Final = cursors.read(question, cursor, keys, pointer=f"{pointer}/cursor")
        """The position that the page begins behind; None for the first page."""

    def conditions(
        self, column: sa.ColumnElement[str], *, newest_first: bool
    ) -> list[sa.ColumnElement[bool]]:
        """What selects the rows behind the cursor in the order of *column*, the id."""
        if self.after is None:
            return []
        return [column < self.after.id if newest_first else column > self.after.id]

    def fetch(
        self,
        conn: sa.Connection,
        select: sa.Select[Any],
        column: sa.ColumnElement[str],
        *,
        newest_first: bool,
    ) -> tuple[Sequence[sa.Row[Any]], str | None]:
        """The page of *select* in the order of *column*, the id, and the cursor of the next page."""
        rows = conn.execute(
            select.where(*self.conditions(column, newest_first=newest_first))
            .order_by(column.desc() if newest_first else column)
            .limit(self.limit + 1)
        ).all()
        return self.cut(rows)

    def cut(
        self, rows: Sequence[R], position: Callable[[R], Position] = _by_id
    ) -> tuple[Sequence[R], str | None]:
        """The page out of *rows*, of which `limit` + 1 were asked for, and the cursor of the next page."""
        page = rows[: self.limit]
        if len(rows) <= self.limit:
            return page, None
        return page, cursors.write(self._question, position(page[-1]))
