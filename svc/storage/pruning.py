"""How expired rows are pruned: found by a read over all owners, and deleted by units of their own owners.

A read may look at every organization at once; a unit of work writes rows of one owner (see `Store`). So what
is over is looked up first, a few rows at a time by the index on their time, and then each owner has a unit
that deletes its own. Between the two a row may change, so what can come to count again is looked at twice.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

import sqlalchemy as sa

from svc.domain.limits import PRUNED_MAX
from svc.storage.schema import table_facts
from svc.storage.statements import Statement
from svc.storage.store import Owner, Tx

UNTIL: Final = sa.bindparam("until", type_=sa.BigInteger)
"""What a search may ask for: what was over at this time, in ms since the epoch, is to be pruned."""
_PEOPLE: Final = sa.literal_column(f"'{Owner.PEOPLE}'", sa.Text)

Prune = Callable[[Tx, Sequence[Any], int], None]
"""Prunes rows of one owner that the search has found: those that are over at a time, ms since the epoch."""


class Pruner:
    """Finds rows that are over, and prunes those of one owner.

    The columns of *search* are the `owner`, and what *prune* needs to know of a row. It finds a few rows at
    most, and none once nothing is left. *life_ms* is how long the rows live; None: as long as the history.
    """

    def __init__(self, search: "sa.Select[Any]", prune: Prune, *, life_ms: int | None = None) -> None:
        self._search = Statement(search)
        self._prune = prune
        self._life_ms = life_ms

    def find(self, conn: sa.Connection, now: int, history_ms: int) -> dict[str, list[Any]]:
        """A few rows that are over, by their owner: an organization's id, or `Owner.PEOPLE`."""
        found: dict[str, list[Any]] = {}
        for row in self._search.all(conn, until=self._until(now, history_ms)):
            found.setdefault(row.owner, []).append(row)
        return found

    def prune(self, tx: Tx, rows: Sequence[Any], history_ms: int) -> None:
        """Prune rows of one owner that were found. It is a unit of that owner."""
        self._prune(tx, rows, self._until(tx.now, history_ms))

    def _until(self, now: int, history_ms: int) -> int:
        return now - (history_ms if self._life_ms is None else self._life_ms)


def owner_of(table: sa.Table) -> "sa.ColumnElement[str]":
    """The owner of a row of *table*. Raises `TypeError` for rows of the installation, which has no units."""
    facts = table_facts(table)
    if facts.rows_of == "people":
        return _PEOPLE
    if facts.rows_of != "an organization":
        raise TypeError(f"{table.name} has rows of the installation")
    if facts.through is None:
        return table.c.organization_id
    column = table.c[facts.through]
    [foreign_key] = column.foreign_keys
    parent = foreign_key.column.table
    return sa.select(parent.c.organization_id).where(foreign_key.column == column).scalar_subquery()


def deletion(
    table: sa.Table,
    *conditions: sa.ColumnElement[bool],
    oldest_by: "sa.Column[int] | None" = None,
    life_ms: int | None = None,
    rows_max: int = PRUNED_MAX,
) -> Pruner:
    """Deletes the rows of *table* for which all *conditions* hold, which may have the parameter `UNTIL`.

    *oldest_by* is the time whose index finds them, where there is one.
    """
    key = table.primary_key.columns
    search = sa.select(owner_of(table).label("owner"), *key).where(*conditions).limit(rows_max)
    if oldest_by is not None:
        search = search.order_by(oldest_by)
    delete = Statement(
        sa.delete(table).where(*(column == sa.bindparam(f"of_{column.name}") for column in key), *conditions)
    )
    names = [column.name for column in key]

    def prune(tx: Tx, rows: Sequence[Any], until: int) -> None:
        delete.many(
            tx.conn,
            [{"until": until, **{f"of_{name}": getattr(row, name) for name in names}} for row in rows],
        )

    return Pruner(search, prune, life_ms=life_ms)
