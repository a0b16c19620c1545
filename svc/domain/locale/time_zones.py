"""Offsets of time zones from UTC, as a list that a database can look them up in."""

from datetime import UTC, datetime
from functools import lru_cache
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

_DAY_SECONDS: Final = 86_400
_FIRST_YEAR: Final = 1970
_LAST_YEAR: Final = 2037
"""The years whose changes of clocks are known, as far as systems tell them; others are as the nearest."""


class Offset(NamedTuple):
    """What clocks are ahead of UTC, from a time on; both in seconds."""

    since: int
    seconds: int


@lru_cache(maxsize=64)
def offsets(time_zone: str) -> tuple[Offset, ...]:
    """The offsets of a time zone, the latest first; UTC's for one that is not known."""
    try:
        zone = ZoneInfo(time_zone)
    except (LookupError, ValueError, OSError):
        return (Offset(_start(_FIRST_YEAR), 0),)
    start = _start(_FIRST_YEAR)
    found = [Offset(start, _offset(zone, start))]
    for day in range(start, _start(_LAST_YEAR + 1), _DAY_SECONDS):
        after = _offset(zone, day + _DAY_SECONDS)
        if after != found[-1].seconds:
            found.append(Offset(_change(zone, day, day + _DAY_SECONDS, after), after))
    return tuple(reversed(found))


def _change(zone: ZoneInfo, before: int, after: int, seconds: int) -> int:
    """The first second, between *before* and *after*, at which the offset is *seconds*."""
    while after - before > 1:
        middle = (before + after) // 2
        before, after = (before, middle) if _offset(zone, middle) == seconds else (middle, after)
    return after


def _start(year: int) -> int:
    return int(datetime(year, 1, 1, tzinfo=UTC).timestamp())


def _offset(zone: ZoneInfo, at: int) -> int:
    offset = datetime.fromtimestamp(at, zone).utcoffset()
    return 0 if offset is None else int(offset.total_seconds())
