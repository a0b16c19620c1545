"""Reports of what calls used, summed up by day, model, key or payer."""

from collections.abc import Sequence
from typing import Final, Literal, get_args

import msgspec
import sqlalchemy as sa

from svc.domain.ai.exits import COMPLETE
from svc.domain.ai.limits import AI_USAGE_DAYS_MAX, AI_USAGE_ROWS_MAX
from svc.domain.ai.models import Payer
from svc.domain.errors import Fault, InvalidInput
from svc.domain.locale.times import DAY_MS, rfc3339
from svc.storage.ai import tables
from svc.storage.sql.expressions import Whole
from svc.storage.store import View

Dimension = Literal["day", "model", "key", "payer"]


class UsageFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Which calls are summed up: by when they began, ms since the epoch; *until* itself is not in it."""

    since: int
    until: int
    key_id: str | None = None
    model: str | None = None


class UsageSum(msgspec.Struct, frozen=True, kw_only=True):
    """The sum of some calls. A dimension that is not asked for is None."""

    day: str | None = None
    """The day of UTC: `2026-09-18`."""
    model: str | None = None
    key_id: str | None = None
    payer: Payer | None = None
    calls: int
    failed_calls: int
    """Those that ended otherwise than by an answer, lost ones included."""
    estimated_calls: int
    lost_calls: int
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    cost_micro_credits: int
    charged_micro_credits: int


_column: Final = tables.calls.c
_SUMMED: Final = (
    "prompt_tokens",
    "cached_tokens",
    "completion_tokens",
    "cost_micro_credits",
    "charged_micro_credits",
)
_SUMS: Final = (
    sa.func.count().label("calls"),
    sa.func.count().filter(_column.ended.not_in(COMPLETE)).label("failed_calls"),
    sa.func.count().filter(_column.estimated).label("estimated_calls"),
    sa.func.count().filter(_column.ended == "lost").label("lost_calls"),
    *(sa.func.coalesce(Whole(_column[name]), 0).label(name) for name in _SUMMED),
)
_DIMENSIONS: Final[dict[Dimension, sa.ColumnElement[object]]] = {
    "day": (_column.started_at // DAY_MS).label("day"),
    "model": _column.model,
    "key": _column.key_id,
    "payer": _column.payer,
}


def report(
    view: View, organization_id: str, filter_: UsageFilter, by: Sequence[Dimension]
) -> tuple[list[UsageSum], UsageSum]:
    """Sum up the calls that have ended, for each value of the dimensions *by*; and all of them together.

    Raises `InvalidInput` for too long a time or too many rows, and `TakesLong` from a view that is not
    patient: every call of that time is looked at.
    """
    if not 0 <= filter_.until - filter_.since <= AI_USAGE_DAYS_MAX * DAY_MS:
        what = f"a report is of at most {AI_USAGE_DAYS_MAX} days, and does not end before it begins"
        raise InvalidInput([Fault("/from", "invalid_value", what)])
    view.expect_long()
    matching = [
        _column.organization_id == organization_id,
        _column.started_at >= filter_.since,
        _column.started_at < filter_.until,
        _column.ended_at.is_not(None),
    ]
    wanted = {"key_id": filter_.key_id, "model": filter_.model}
    matching += [_column[name] == value for name, value in wanted.items() if value is not None]
    total = view.conn.execute(sa.select(*_SUMS).where(*matching)).one()
    if not by:
        return [], UsageSum(**total._asdict())
    columns = [_DIMENSIONS[name] for name in get_args(Dimension) if name in by]
    rows = view.conn.execute(
        sa.select(*columns, *_SUMS)
        .where(*matching)
        .group_by(*columns)
        .order_by(*(column.asc().nulls_first() for column in columns))
        .limit(AI_USAGE_ROWS_MAX + 1)
    ).all()
    if len(rows) > AI_USAGE_ROWS_MAX:
        what = f"that makes more than {AI_USAGE_ROWS_MAX:,} rows: ask for fewer dimensions or a shorter time"
        raise InvalidInput([Fault("/by", "invalid_value", what)])
    return [_sum(row) for row in rows], UsageSum(**total._asdict())


def _sum(row: sa.Row[tuple[object, ...]]) -> UsageSum:
    values = row._asdict()
    if "day" in values:
        values["day"] = rfc3339(values["day"] * DAY_MS)[:10]
    return UsageSum(**values)
