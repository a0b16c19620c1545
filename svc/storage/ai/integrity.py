"""The invariants of the ledger and of what it belongs to, for `svc check`."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import sqlalchemy as sa

from svc.storage.ai import tables
from svc.storage.sql.expressions import Whole


def _sums_of_ledger(conn: sa.Connection) -> Iterator[str]:
    """Organizations whose last balance is not the sum of their entries."""
    column = tables.ledger.c
    sums = conn.execute(
        sa.select(column.organization_id, Whole(column.amount), sa.func.max(column.id)).group_by(
            column.organization_id
        )
    )
    for organization_id, total, last_id in sums.all():
        last = conn.scalar(sa.select(column.balance_after).where(column.id == last_id))
        if last != total:
            yield f"{organization_id}: the entries make {total}, and the last balance is {last}"


def _steps_of_ledger(conn: sa.Connection) -> Iterable[str]:
    """Entries that do not follow from the one before."""
    column = tables.ledger.c
    steps = sa.select(
        column.id,
        column.amount,
        column.balance_after,
        sa.func.lag(column.balance_after, 1, 0)
        .over(partition_by=column.organization_id, order_by=column.id)
        .label("before"),
    ).subquery()
    return conn.scalars(
        sa.select(steps.c.id).where(
            sa.or_(steps.c.balance_after != steps.c.before + steps.c.amount, steps.c.balance_after < 0)
        )
    )


def _entries_of(kind: str) -> sa.ScalarSelect[Any]:
    column = tables.ledger.c
    return (
        sa.select(sa.func.count())
        .where(column.call_id == tables.calls.c.id, column.kind == kind)
        .correlate(tables.calls)
        .scalar_subquery()
    )


def _calls_of_ledger(conn: sa.Connection) -> Iterable[str]:
    """Calls whose entries in the ledger are not what they reserved, charged and gave back."""
    column, entry = tables.calls.c, tables.ledger.c
    amounts = (
        sa.select(sa.func.coalesce(Whole(entry.amount), 0))
        .where(entry.call_id == column.id)
        .correlate(tables.calls)
        .scalar_subquery()
    )
    has_reserved = column.reserved_micro_credits.is_not(None)
    has_ended = column.ended_at.is_not(None)
    return conn.scalars(
        sa.select(column.id).where(
            sa.or_(
                _entries_of("reserve") != sa.cast(has_reserved, sa.Integer),
                _entries_of("settle") != sa.cast(sa.and_(has_reserved, has_ended), sa.Integer),
                sa.and_(has_ended, amounts != -column.charged_micro_credits),
                sa.and_(~has_ended, amounts != -sa.func.coalesce(column.reserved_micro_credits, 0)),
            )
        )
    )


def _open_calls_of_before(conn: sa.Connection) -> Iterable[str]:
    """Calls under way of another process than the one that made the newest call."""
    column = tables.calls.c
    newest = sa.select(sa.func.max(column.process)).scalar_subquery()
    return conn.scalars(sa.select(column.id).where(column.ended_at.is_(None), column.process != newest))


def _months_of_keys(conn: sa.Connection) -> Iterator[str]:
    """Keys whose calls under way have not reserved what their months say."""
    column, month = tables.calls.c, tables.key_months.c
    reserved = dict(
        conn.execute(
            sa.select(column.key_id, Whole(sa.func.coalesce(column.budgeted_micro_credits, 0)))
            .where(column.ended_at.is_(None))
            .group_by(column.key_id)
        )
        .tuples()
        .all()
    )
    for key_id, total in conn.execute(
        sa.select(month.key_id, Whole(month.reserved_micro_credits)).group_by(month.key_id)
    ):
        if total != reserved.get(key_id, 0):
            yield f"{key_id}: {total} are reserved, and its calls have {reserved.get(key_id, 0)}"


INVARIANTS: Final[dict[str, Callable[[sa.Connection], Iterable[str]]]] = {
    "the sum of each ledger is its last balance": _sums_of_ledger,
    "every entry of a ledger follows from the one before, and none leaves less than nothing": (
        _steps_of_ledger
    ),
    "every AI call has one reservation at most, and one settlement that fits when it has ended": (
        _calls_of_ledger
    ),
    "no AI call of an earlier process is open": _open_calls_of_before,
    "every key has reserved in its budget what its calls under way have": _months_of_keys,
}
"""Checks by invariant, as in `svc.storage.integrity`."""
