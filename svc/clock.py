"""Wall time, steadied by Trio's clock: it never runs backwards and never stands still.

Only Trio tasks can ask it; what runs in a thread gets its time as an argument.
"""

import time
from collections.abc import Callable, Iterable
from typing import Final, Protocol

import structlog
import trio

from svc.domain.limits import CLOCK_SET_BACK_MAX_MS, CLOCK_SLEW
from svc.domain.times import DAY_MS, HOUR_MS, SECOND_MS

log = structlog.get_logger("svc.clock")

LEAD_LOGGED_MS: Final = 2 * SECOND_MS
"""Smaller corrections of the machine's clock are everyday, and not logged."""
LEAD_LOGGED_EVERY_SECONDS: Final = HOUR_MS / SECOND_MS


class Clock(Protocol):
    """Tells the time as milliseconds since the Unix epoch, UTC."""

    def now(self) -> int:
        """The time of this moment, which all stored times and all limits go by. It never runs backwards."""
        ...

    def wall(self) -> int:
        """The machine's own time, for those who compare it with theirs. It may run backwards."""
        ...

    def start_from(self, stored: Iterable[int]) -> None:
        """Go on after the times that an earlier life has *stored*, so that none of them is ahead of `now`."""
        ...


class WallClock:
    """The machine's clock where that moves on, and slower than time passes where it was set back.

    It shows the machine's time whenever that is ahead: after a suspension, or a correction forward, with the
    next reading. When the machine's clock is set back, time goes on from where it is, by `CLOCK_SLEW` slower
    than Trio's clock, until the two meet. Docs: 0002, "Time".
    """

    __slots__ = ("_logs_at", "_read_wall", "_told_at", "_told_ms")

    def __init__(self, wall: Callable[[], float] = time.time) -> None:
        """*wall* reads the machine's clock, in seconds since the epoch."""
        self._read_wall = wall
        self._told_ms = float("-inf")
        """The last time that was the machine's, or that a start went on from."""
        self._told_at = 0.0
        """Trio's time at that moment."""
        self._logs_at = float("-inf")

    def now(self) -> int:
        passed, wall_ms = trio.current_time(), self._read_wall() * SECOND_MS
        least_ms = self._told_ms + (passed - self._told_at) * SECOND_MS * (1 - CLOCK_SLEW)
        if wall_ms >= least_ms:
            self._told_ms, self._told_at = wall_ms, passed
            return int(wall_ms)
        if least_ms - wall_ms > LEAD_LOGGED_MS and passed >= self._logs_at:
            self._logs_at = passed + LEAD_LOGGED_EVERY_SECONDS
            _log_lead(least_ms - wall_ms)
        return int(least_ms)

    def wall(self) -> int:
        return int(self._read_wall() * SECOND_MS)

    def start_from(self, stored: Iterable[int]) -> None:
        now = self.now()
        ahead = [at for at in stored if at > now]
        believed = [at for at in ahead if at <= now + CLOCK_SET_BACK_MAX_MS]
        if believed:
            self._told_ms, self._told_at = float(max(believed)), trio.current_time()
        if len(believed) < len(ahead):
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
    """A clock for tests: *start* when Trio's clock stands at zero, then at its pace."""

    __slots__ = ("_start",)

    def __init__(self, start: int) -> None:
        self._start = start

    def now(self) -> int:
        return self._start + round(trio.current_time() * 1000)

    def wall(self) -> int:
        return self.now()

    def start_from(self, stored: Iterable[int]) -> None:
        """Tell what the test says, whatever is *stored*."""

    def jump(self, ms: int) -> None:
        """Let *ms* pass at once, as they do for a machine that was asleep: no timer comes due."""
        self._start += ms

    def set_back(self, ms: int) -> None:
        """Tell an earlier time from now on, as after a start that did not believe what is stored."""
        self._start -= ms
