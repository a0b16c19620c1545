"""Monthly budgets of keys, in calendar months of UTC."""

from datetime import UTC, datetime

from svc.domain.locale.times import SECOND_MS, moment_ms


def month_of(at: int) -> str:
    """The month that *at*, ms since the epoch, falls in: `2026-09`."""
    return datetime.fromtimestamp(at // SECOND_MS, UTC).strftime("%Y-%m")


def month_after(at: int) -> int:
    """When the month after that of *at* begins, ms since the epoch: budgets start anew then."""
    moment = datetime.fromtimestamp(at // SECOND_MS, UTC)
    year, month = moment.year + moment.month // 12, moment.month % 12 + 1
    return moment_ms(datetime(year, month, 1, tzinfo=UTC))
