"""Exact sliding windows: how many events still fit into the last so many milliseconds."""

from array import array
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable

from svc.domain.locale.times import SECOND_MS


class SlidingWindow:
    """At most *maximum* events within any *window_ms* milliseconds.

    Exact: an event counts from its own time until it is *window_ms* old, and then no longer.
    It never holds more than *maximum* times (eight bytes each): further ones could not change any
    answer, because the oldest that are kept decide when there is room again.
    Query with times that do not run backwards: events that have left the window are dropped. An event from
    the future, such as one that was stored while the clock was ahead, counts as of the first query: so no
    wait is ever longer than the window.
    """

    __slots__ = ("_times", "maximum", "window_ms")

    def __init__(self, window_ms: int, maximum: int, times: Iterable[int] = ()) -> None:
        """*times* are the events so far in any order, such as those read back after a restart."""
        self.window_ms = window_ms
        self.maximum = maximum
        self._times = array("q", sorted(times)[-maximum:])

    def __len__(self) -> int:
        """The number of events that counted at the last query."""
        return len(self._times)

    def room(self, now: int) -> int:
        """How many events still fit at *now*; 0 to `maximum`."""
        self._forget(now)
        if self._times and self._times[-1] > now:
            future = bisect_right(self._times, now)
            self._times[future:] = array("q", [now]) * (len(self._times) - future)
        return self.maximum - len(self._times)

    def add(self, at: int) -> None:
        """Count an event at *at*, without checking for room."""
        insort(self._times, at)
        if len(self._times) > self.maximum:
            del self._times[0]

    def take_back(self, at: int) -> None:
        """No longer count an event at *at*; where none is counted, nothing happens."""
        place = bisect_left(self._times, at)
        if place < len(self._times) and self._times[place] == at:
            del self._times[place]

    def oldest(self) -> int | None:
        """The oldest event that counted at the last query; None when there was none."""
        return self._times[0] if self._times else None

    def latest(self) -> int | None:
        """The latest event that counted at the last query; None when there was none."""
        return self._times[-1] if self._times else None

    def next_room_at(self, now: int) -> int | None:
        """The time at which the next event fits; None when one fits at *now*."""
        return None if self.room(now) else self._times[0] + self.window_ms

    def _forget(self, now: int) -> None:
        over = bisect_right(self._times, now - self.window_ms)
        if over:
            del self._times[:over]


def retry_after_seconds(wait_ms: int) -> int:
    """*wait_ms* as `Retry-After` says it: whole seconds, rounded up, at least 1."""
    return max(1, -(-wait_ms // SECOND_MS))
