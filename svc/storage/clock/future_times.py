"""Stored times that lie further ahead than they can, since a clock was wrong when they were stored.

Left alone, they would take effect one day: a lease without a holder would keep its conversation waiting until
then, a retry would wait for weeks with what is newer behind it, and what is over would be kept. So a start
sets them to what they would be if it had all happened now. How far ahead a time can lie, its column says.
"""

from typing import Any, assert_never

import sqlalchemy as sa
import structlog

from svc.storage.clock import marks as clock_marks
from svc.storage.metadata import metadata
from svc.storage.schema import Ahead, AheadByRow, Untouched, facts_of
from svc.storage.store import Tx

log = structlog.get_logger("svc.storage")


def put_right(tx: Tx) -> None:
    """Set what lies too far ahead to the latest that it can be, and leave the mark of this time.

    It looks at every row: seconds for millions, before anything else is done.
    """
    changed = sum(_put_right(tx, table) for table in metadata.sorted_tables)
    log.warning("stored times that lay ahead of now were set to now", rows=changed)
    clock_marks.mark(tx)


def _put_right(tx: Tx, table: sa.Table) -> int:
    """Put the times of a table right; how many rows had some that lay too far ahead."""
    wrong: list[sa.ColumnElement[bool]] = []
    values: dict[str, sa.ColumnElement[Any]] = {}
    for column in table.columns:
        cases = [_case(tx.now, column, rule) for rule in rules_of(column)]
        if cases:
            wrong += [too_far for too_far, _ in cases]
            values[column.key] = sa.case(*cases, else_=column)
    if not wrong:
        return 0
    return tx.conn.execute(sa.update(table).where(sa.or_(*wrong)).values(values)).rowcount


def rules_of(column: sa.Column[Any]) -> tuple[Ahead, ...]:
    """How far ahead of now the column's times can lie: none where they stay as they are."""
    match facts_of(column).ahead:
        case Ahead() as rule:
            return (rule,)
        case AheadByRow(rules):
            return rules
        case Untouched() | None:
            return ()
        case other:
            assert_never(other)


def _case(now: int, column: sa.Column[Any], rule: Ahead) -> tuple[sa.ColumnElement[bool], int]:
    """What a row looks like whose time lies too far ahead, and what it becomes."""
    latest = now + rule.most_ms
    too_far = column > latest
    if rule.where:
        too_far = sa.and_(sa.literal_column(f"({rule.where})", sa.Boolean), too_far)
    return too_far, now if rule.due else latest
