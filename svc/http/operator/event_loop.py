"""How late the event loop is: the longest time in which no other task had its turn."""

from collections import deque
from typing import Final

import trio

EVERY_SECONDS: Final = 0.25
WINDOW_SECONDS: Final = 60


class EventLoopWatch:
    """Sleeps again and again, and notes how much later than asked it wakes."""

    def __init__(self) -> None:
        self._stalls: deque[tuple[float, float]] = deque(maxlen=round(WINDOW_SECONDS / EVERY_SECONDS))

    async def run(self) -> None:
        while True:
            due_at = trio.current_time() + EVERY_SECONDS
            await trio.sleep_until(due_at)
            now = trio.current_time()
            self._stalls.append((now, now - due_at))

    def longest_seconds(self) -> float:
        """The longest stall of the last minute."""
        since = trio.current_time() - WINDOW_SECONDS
        return max((stall for at, stall in self._stalls if at > since), default=0.0)
