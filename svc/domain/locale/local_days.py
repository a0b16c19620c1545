"""Days as the people of an organization have them: from midnight to midnight in its time zone."""

from datetime import UTC, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from svc.domain.locale.times import SECOND_MS, moment_ms


class LocalDay(NamedTuple):
    """A day: its date (ISO 8601), its first ms since the epoch, and that of the day after."""

    date: str
    begins_at: int
    ends_at: int


def last_days(now: int, time_zone: str, count: int) -> list[LocalDay]:
    """The last *count* days up to that of *now*, the earliest first.

    Where clocks are changed, a day is shorter or longer.
    """
    zone = ZoneInfo(time_zone)
    today = datetime.fromtimestamp(now / SECOND_MS, UTC).astimezone(zone).date()
    dates = [today - timedelta(days=back) for back in range(count - 1, -2, -1)]
    midnights = [moment_ms(datetime.combine(date, time.min, zone)) for date in dates]
    return [
        LocalDay(date.isoformat(), begins_at, ends_at)
        for date, begins_at, ends_at in zip(dates, midnights, midnights[1:], strict=False)
    ]
