"""Time as the whole program keeps it: `int` milliseconds since the Unix epoch, UTC."""

from calendar import month_name
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Annotated, Final

from msgspec import Meta

SECOND_MS: Final = 1_000
MINUTE_MS: Final = 60 * SECOND_MS
HOUR_MS: Final = 60 * MINUTE_MS
DAY_MS: Final = 24 * HOUR_MS
YEAR_MS: Final = 365 * DAY_MS

Timestamp = Annotated[
    str, Meta(extra_json_schema={"format": "date-time"}, examples=["2026-09-18T09:30:00.000Z"])
]
"""A time in an answer: RFC 3339 in UTC with milliseconds."""

_EPOCH: Final = datetime.fromtimestamp(0, UTC)


@lru_cache(maxsize=256)
def rfc3339(at: int) -> str:
    """*at* as the outside sees it: RFC 3339 in UTC with milliseconds, `2026-09-18T00:00:00.000Z`.

    Cached, since what a unit of work answers and the events of it have the same few times.
    """
    moment = datetime.fromtimestamp(at // SECOND_MS, UTC)
    return f"{moment.isoformat()[:19]}.{at % SECOND_MS:03d}Z"


def day_of(at: int) -> int:
    """The number of the UTC day that *at* falls on, counted from the epoch."""
    return at // DAY_MS


def day_in_words(at: int) -> str:
    """The UTC day that *at* falls on, such as `1 May 2026`."""
    year, month, date = rfc3339(at)[:10].split("-")
    return f"{int(date)} {month_name[int(month)]} {year}"


def moment_ms(moment: datetime) -> int:
    """The millisecond that *moment*, which knows its offset from UTC, falls into."""
    return (moment - _EPOCH) // timedelta(milliseconds=1)


def ms_of(text: str) -> int:
    """The time that `rfc3339` wrote as *text*."""
    return moment_ms(datetime.fromisoformat(text))
