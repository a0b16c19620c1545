"""A sliding window for each of many keys. Idle keys are evicted."""

from collections.abc import Iterable

from svc.domain.rate_limits.sliding_window import SlidingWindow


class KeyedWindows:
    """At most *maximum* events of one key within any *window_ms* milliseconds.

    Its size is bounded by the events that count now: idle keys are evicted whenever the number of keys has
    doubled since the last sweep, so the cost for each event is amortized O(1).
    """

    __slots__ = ("_sweep_at", "_windows", "maximum", "window_ms")

    def __init__(self, window_ms: int, maximum: int, events: Iterable[tuple[str, int]] = ()) -> None:
        """*events* are pairs of key and time, in any order, such as those read back after a restart."""
        self.window_ms = window_ms
        self.maximum = maximum
        self._windows: dict[str, SlidingWindow] = {}
        self._sweep_at = 64
        for key, at in events:
            self.add(key, at)

    def __len__(self) -> int:
        return len(self._windows)

    def next_room_at(self, key: str, now: int) -> int | None:
        """The time at which the next event of *key* fits; None when one fits at *now*."""
        window = self._windows.get(key)
        return None if window is None else window.next_room_at(now)

    def count(self, key: str, now: int) -> int:
        """How many events of *key* count at *now*."""
        window = self._windows.get(key)
        return 0 if window is None else self.maximum - window.room(now)

    def latest(self, key: str) -> int | None:
        """The latest event of *key* that counted at the last query; None when there was none."""
        window = self._windows.get(key)
        return None if window is None else window.latest()

    def add(self, key: str, at: int) -> None:
        """Count an event of *key* at *at*."""
        window = self._windows.get(key)
        if window is None:
            if len(self._windows) >= self._sweep_at:
                self._sweep(at)
            window = self._windows[key] = SlidingWindow(self.window_ms, self.maximum)
        window.add(at)

    def take_back(self, key: str, at: int) -> None:
        """No longer count an event of *key* at *at*."""
        window = self._windows.get(key)
        if window is not None:
            window.take_back(at)

    def _sweep(self, now: int) -> None:
        self._windows = {
            key: window for key, window in self._windows.items() if window.room(now) < self.maximum
        }
        self._sweep_at = max(64, 2 * len(self._windows))
