"""Wall time that never runs backwards and never stands still, by means of Trio's monotonic clock.

A clock can only be read in Trio's thread; functions that run in other threads get the time as an argument.
"""

import time
from collections.abc import Callable, Iterable
from typing import Final, Protocol

import structlog
import trio

from svc.domain.limits import CLOCK_SET_BACK_MAX_MS, CLOCK_SLEW
from svc.domain.locale.times import DAY_MS, HOUR_MS, SECOND_MS

log = structlog.get_logger("svc.clock")

LEAD_LOGGED_MS: Final = 2 * SECOND_MS
"""Smaller corrections of the machine's clock are routine, and not logged."""
LEAD_LOGGED_EVERY_SECONDS: Final = HOUR_MS / SECOND_MS


class Clock(Protocol):
    """A source of time, in ms since the Unix epoch."""

    def now(self) -> int:
        """The current time, for stored times and for all limits. It never runs backwards."""
        ...

    def wall(self) -> int:
        """The machine's time, for programs that compare it with their own clock. It may run backwards."""
        ...

    def start_from(self, stored: Iterable[int]) -> None:
        """Continue after the times that an earlier process has *stored*, so that none is ahead of `now`."""
        ...


class WallClock:
    """The machine's clock, made monotonic.

    It follows the machine's clock whenever that is ahead, as after a suspension or a correction forward. When
    the machine's clock is set back, this clock continues from where it is, slower than Trio's clock by
    `CLOCK_SLEW`, until the two meet. See decision 0002, "Time".
    """

    __slots__ = ("_base_at", "_base_ms", "_logs_at", "_read_wall")

    def __init__(self, wall: Callable[[], float] = time.time) -> None:
        """*wall* reads the machine's clock, in seconds since the epoch."""
        self._read_wall = wall
        self._base_ms = float("-inf")
        """The last reading of the machine's clock that was used, or the stored time to continue from."""
        self._base_at = 0.0
        """Trio's time at that moment, in seconds."""
        self._logs_at = float("-inf")

    def now(self) -> int:
        monotonic, wall_ms = trio.current_time(), self._read_wall() * SECOND_MS
        least_ms = self._base_ms + (monotonic - self._base_at) * SECOND_MS * (1 - CLOCK_SLEW)
        if wall_ms >= least_ms:
            self._base_ms, self._base_at = wall_ms, monotonic
            return int(wall_ms)
        if least_ms - wall_ms > LEAD_LOGGED_MS and monotonic >= self._logs_at:
            self._logs_at = monotonic + LEAD_LOGGED_EVERY_SECONDS
            _log_lead(least_ms - wall_ms)
        return int(least_ms)

    def wall(self) -> int:
        return int(self._read_wall() * SECOND_MS)

    def start_from(self, stored: Iterable[int]) -> None:
        now = self.now()
        ahead = [at for at in stored if at > now]
        plausible = [at for at in ahead if at <= now + CLOCK_SET_BACK_MAX_MS]
        if plausible:
            self._base_ms, self._base_at = float(max(plausible)), trio.current_time()
        if len(plausible) < len(ahead):
            log.error(
                "stored times are far ahead of this machine's clock, and count as now; check the clock",
                days=round((max(ahead) - now) / DAY_MS, 1),
            )


def _log_lead(lead_ms: float) -> None:
    if lead_ms <= CLOCK_SET_BACK_MAX_MS:
        log.warning(
            "this machine's clock was set back; time runs slower until they meet",
            seconds=round(lead_ms / SECOND_MS),
            meets_in_seconds=round(lead_ms / SECOND_MS / CLOCK_SLEW),
        )
    else:
        log.error(
            "time is far ahead of this machine's clock; if the clock is right now, restart to take it up",
            days=round(lead_ms / DAY_MS, 1),
        )


class VirtualClock:
    """A clock for tests: Trio's clock, plus *start* in ms since the epoch."""

    __slots__ = ("_start",)

    def __init__(self, start: int) -> None:
        self._start = start

    def now(self) -> int:
        return self._start + round(trio.current_time() * 1000)

    def wall(self) -> int:
        return self.now()

    def start_from(self, stored: Iterable[int]) -> None:
        """Ignore what is *stored*: the test decides."""

    def jump(self, ms: int) -> None:
        """Move on by *ms* at once, as after a suspension of the machine: no timer becomes due."""
        self._start += ms

    def set_back(self, ms: int) -> None:
        """Go back by *ms*, as after a start that found the stored times implausible."""
        self._start -= ms
