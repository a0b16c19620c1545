"""Wall time, derived from Trio's clock so that a mock clock drives everything.

Only Trio tasks can ask it; what runs in a thread gets its time as an argument.
"""

import time
from typing import Final, Protocol

import trio

REANCHOR_SECONDS: Final = 60.0
"""How long one reading of the machine's clock is trusted before it is read again."""


class Clock(Protocol):
    """Tells the time as milliseconds since the Unix epoch, UTC."""

    def now(self) -> int:
        """The time of this moment; it never runs backwards."""
        ...


class WallClock:
    """The machine's clock, followed at Trio's pace and never backwards.

    The offset between the two is measured again every `REANCHOR_SECONDS`, so that
    a corrected or suspended machine shows the right time within a minute.
    """

    __slots__ = ("_anchor", "_anchored_at", "_latest")

    def __init__(self) -> None:
        self._anchored_at = float("-inf")
        self._anchor = 0.0
        self._latest = 0

    def now(self) -> int:
        passed = trio.current_time()
        if passed - self._anchored_at > REANCHOR_SECONDS:
            self._anchor = time.time() - passed
            self._anchored_at = passed
        self._latest = max(self._latest, int((self._anchor + passed) * 1000))
        return self._latest


class VirtualClock:
    """A clock for tests: *start* when Trio's clock stands at zero, then at its pace."""

    __slots__ = ("_start",)

    def __init__(self, start: int) -> None:
        self._start = start

    def now(self) -> int:
        return self._start + round(trio.current_time() * 1000)

    def jump(self, ms: int) -> None:
        """Let *ms* pass at once, as they do for a machine that was asleep: no timer comes due."""
        self._start += ms
