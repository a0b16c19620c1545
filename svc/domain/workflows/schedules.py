"""Schedules: the occurrences of a cron expression in a time zone.

The five fields are read as Debian's cron does, by cronsim: at a change of the clocks, what falls into the
hour that is left out comes right after it, and what falls into the hour that is repeated comes once, unless
the minute or the hour is a `*`.
"""

from datetime import UTC, datetime
from typing import Final
from zoneinfo import ZoneInfo

import msgspec
from cronsim import CronSim, CronSimError

from svc.domain.errors import Fault, InvalidInput, InvalidValue
from svc.domain.identity.organizations import clean_time_zone
from svc.domain.locale.times import MINUTE_MS, SECOND_MS, moment_ms
from svc.domain.workflows.limits import CRON_CHARS_MAX, SCHEDULE_LATE_MS, SCHEDULE_MISSED_MS

_FIELDS: Final = 5


class Occurrence(msgspec.Struct, frozen=True):
    """One time of a schedule, which has come."""

    at: int
    """When it was planned, ms since the epoch."""
    late: bool
    """Whether it was missed at that time, as while the service was stopped."""


class Timetable:
    """A cron expression in a time zone."""

    def __init__(self, cron: str, time_zone: str) -> None:
        """Raises `InvalidInput`, at `/cron` and `/timeZone`, where either is none."""
        faults = []
        try:
            _check_cron(cron)
        except InvalidValue as error:
            faults.append(Fault("/cron", "invalid_value", str(error)))
        try:
            clean_time_zone(time_zone)
        except InvalidValue as error:
            faults.append(Fault("/timeZone", "invalid_value", str(error)))
        if faults:
            raise InvalidInput(faults)
        self._cron = cron
        self._zone = UTC if time_zone == "UTC" else ZoneInfo(time_zone)

    def next_after(self, at: int) -> int | None:
        """The first occurrence after *at*; None if there is none within fifty years."""
        # cronsim names the first of the two times in an hour that is repeated, even when that is over.
        times = map(moment_ms, CronSim(self._cron, datetime.fromtimestamp(at // SECOND_MS, self._zone)))
        return next((time for time in times if time > at), None)

    def due(self, planned: int, now: int) -> Occurrence | None:
        """What a schedule whose next occurrence was *planned* starts at *now*; None if nothing.

        Of several that have come by now it is the latest, as long as it is not over a day ago. The next one
        to plan is `next_after(now)`, so each starts one run at most.
        """
        latest = self._latest(max(planned, now - SCHEDULE_MISSED_MS), now)
        return None if latest is None else Occurrence(latest, late=now - latest >= SCHEDULE_LATE_MS)

    def _latest(self, since: int, until: int) -> int | None:
        """The last occurrence from *since* to *until*, both included.

        It is looked for in ever longer stretches before *until*: a day has 1,440 of the densest schedule.
        """
        stretch_ms = MINUTE_MS
        while until >= since:
            start = max(since, until - stretch_ms)
            latest, following = None, self.next_after(start - 1)
            while following is not None and following <= until:
                latest, following = following, self.next_after(following)
            if latest is not None or start == since:
                return latest
            stretch_ms *= 2
        return None


def _check_cron(cron: str) -> None:
    """Raises `InvalidValue` unless *cron* is an expression of five fields."""
    if len(cron) > CRON_CHARS_MAX:
        raise InvalidValue(f"must have at most {CRON_CHARS_MAX} characters")
    if len(cron.split()) != _FIELDS:
        raise InvalidValue("must have five fields: minute, hour, day, month, day of the week")
    try:
        CronSim(cron, datetime.fromtimestamp(0, UTC))
    except CronSimError as error:
        raise InvalidValue(f"is no cron expression: {str(error).lower()}") from None
