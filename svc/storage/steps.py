"""Work in steps: a unit of work that has more to do than others can wait for does a part of it.

Each step handles a few rows. After it, the unit asks whether it has time for another (`Tx.has_time`, which
goes by the writer's clock), and else returns where the next unit goes on.
"""

from collections.abc import Callable, Sequence
from typing import Any

import sqlalchemy as sa

from svc.domain.limits import PRUNED_MAX
from svc.storage.statements import Statement
from svc.storage.store import Tx

Step = Callable[[Tx], bool]
"""Handles a few rows, and returns whether there may be more for it."""


def run(tx: Tx, steps: Sequence[Step], first: int = 0) -> int | None:
    """Run *steps* from the one numbered *first* on, each until there is no more for it, while there is time.

    At least one is run. Returns the number of the step to go on with; None once all are done.
    """
    for number in range(first, len(steps)):
        more = steps[number](tx)
        while more and tx.has_time():
            more = steps[number](tx)
        if more:
            return number
        if not tx.has_time() and number + 1 < len(steps):
            return number + 1
    return None


class Deletion:
    """Deletes the rows of a table for which all conditions hold, a few at a time, by a prepared statement.

    *oldest_by* is the time whose index finds them, where there is one. Conditions may have named parameters.
    """

    def __init__(
        self,
        table: sa.Table,
        *conditions: sa.ColumnElement[bool],
        oldest_by: sa.Column[int] | None = None,
        rows_max: int = PRUNED_MAX,
    ) -> None:
        key = table.primary_key.columns
        some = sa.select(*key).where(*conditions).limit(rows_max)
        if oldest_by is not None:
            some = some.order_by(oldest_by)
        self._statement = Statement(sa.delete(table).where(sa.tuple_(*key).in_(some)))
        self._rows_max = rows_max

    def step(self, tx: Tx, **parameters: Any) -> bool:
        """Delete a few rows; whether there may be more."""
        return self._statement.changed(tx.conn, parameters) == self._rows_max
