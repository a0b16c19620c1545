"""Schedules: the occurrences of a cron expression in a time zone.

The five fields are read as Debian's cron does, by cronsim: at a change of the clocks, what falls into the
hour that is left out comes right after it, and what falls into the hour that is repeated comes once, unless
the minute or the hour is a `*`.
"""

from typing import Final

import msgspec


class Occurrence(msgspec.Struct, frozen=True):
    """One time of a schedule, which has come."""

    at: int
    """When it was planned, ms since the epoch."""
    late: bool
    """Whether it was missed at that time, as while the service was stopped."""


class Timetable:
    """A cron expression in a time zone."""

    def __init__(self, cron: str, time_zone: str) -> None:
        """Raises `InvalidInput`, at `/cron` or `/timeZone`, if either is none, or the time never comes."""
        raise NotImplementedError

    def next_after(self, at: int) -> int | None:
        """The first occurrence after *at*; None if there is none within fifty years."""
        raise NotImplementedError

    def due(self, planned: int, now: int) -> Occurrence | None:
        """What a schedule whose next occurrence was *planned* starts at *now*; None if nothing.

        Of several that have come by now it is the latest, as long as that is less than a day ago. The next
        one to plan is `next_after(now)`, so each starts one run at most.
        """
        raise NotImplementedError
