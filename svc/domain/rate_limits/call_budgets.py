"""Budgets: how many calls a caller may make in a minute, and what is left of them."""

import msgspec

from svc.domain.limits import CALL_WINDOW_MS
from svc.domain.rate_limits.sliding_window import SlidingWindow, retry_after_seconds


class Allowance(msgspec.Struct, frozen=True):
    """The state of a caller's budget at a call."""

    limit: int
    remaining: int
    """Calls that may still be made now, after this one."""
    reset_seconds: int
    """Until more calls fit."""
    granted: bool
    """Whether this call may be made. A rejected call is not counted."""


class Budgets:
    """At most *limit* calls of each caller within any minute."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._windows: dict[str, SlidingWindow] = {}

    def spend(self, caller: str, now: int) -> Allowance:
        """Count a call of *caller*, if there is room for it."""
        window = self._windows.get(caller)
        if window is None:
            self._forget_quiet(now)
            window = self._windows[caller] = SlidingWindow(CALL_WINDOW_MS, self._limit)
        room = window.room(now)
        if room:
            window.add(now)
        oldest = window.oldest()
        reset_ms = CALL_WINDOW_MS if oldest is None else oldest + CALL_WINDOW_MS - now
        return Allowance(self._limit, max(0, room - 1), retry_after_seconds(reset_ms), granted=room > 0)

    def _forget_quiet(self, now: int) -> None:
        """Evict idle callers, so that its size is bounded by the callers of the last minute."""
        self._windows = {
            name: window for name, window in self._windows.items() if window.room(now) < self._limit
        }
