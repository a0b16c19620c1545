"""When backups are made: at fixed times, counted from a time of day in UTC."""

from typing import Final, Self

import msgspec

from svc.domain.locale.times import HOUR_MS, MINUTE_MS
from svc.domain.retries import doubled_ms

OVERDUE_PERIODS: Final = 2
"""A last good backup that is older than so many periods is told as a problem."""
RETRY_MS_MAX: Final = HOUR_MS


class Schedule(msgspec.Struct, frozen=True):
    """A backup each *every_ms*, on a grid that is the same over restarts. Times are ms since the epoch."""

    every_ms: int
    offset_ms: int
    """How far the grid is behind midnight of the epoch's day, in UTC."""

    @classmethod
    def of(cls, at: str, every_hours: int) -> Self:
        """The schedule of the settings: *at* is `HH:MM`."""
        hours, _, minutes = at.partition(":")
        return cls(every_hours * HOUR_MS, int(hours) * HOUR_MS + int(minutes) * MINUTE_MS)

    def begun_at(self, now: int) -> int:
        """When the period began in which *now* is. One backup is made in it, however late."""
        return now - (now - self.offset_ms) % self.every_ms

    def next_at(self, now: int) -> int:
        """When the next period begins."""
        return self.begun_at(now) + self.every_ms

    def is_due(self, newest_at: int | None, now: int) -> bool:
        """Whether a backup is due after the newest, which makes up for all that were missed."""
        return newest_at is None or newest_at < self.begun_at(now)

    def is_overdue(self, good_at: int | None, now: int) -> bool:
        """Whether the last good backup is too old to be relied on."""
        return good_at is None or now - good_at > OVERDUE_PERIODS * self.every_ms


def retry_ms(failures: int) -> int:
    """How long to wait after so many failures in a row: a minute, doubled each time."""
    return doubled_ms(MINUTE_MS, failures - 1, RETRY_MS_MAX)
