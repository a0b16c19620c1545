"""The bounded queue between what records spans and the thread that exports them. Nothing waits for room."""

from collections import deque
from threading import Event, Lock
from typing import Final

SPANS_WAITING_MAX: Final = 16_384
"""Some seconds of a busy service, at some 300 bytes each."""

BATCH_SPANS: Final = 4_096
"""Sent at once: less than 1 MB. A request to a receiver costs as much as a thousand spans."""


class SpanQueue:
    """Encoded spans that wait for the exporter. Any thread may put, one takes."""

    def __init__(self, waiting_max: int = SPANS_WAITING_MAX) -> None:
        self._waiting: deque[bytes] = deque()
        self._waiting_max = waiting_max
        self._lock = Lock()
        self._due = Event()
        self.dropped = 0
        """Spans that found no room, or that no receiver took."""
        self.exported = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, span: bytes) -> None:
        """Add *span*, or count it as dropped where there is no room."""
        waiting = len(self._waiting)
        if waiting >= self._waiting_max:
            self.drop(1)
            return
        self._waiting.append(span)
        if waiting + 1 == BATCH_SPANS:
            self._due.set()

    def drop(self, count: int) -> None:
        """Count spans that nobody will see."""
        with self._lock:
            self.dropped += count

    def wait(self, seconds: float) -> None:
        """Wait until there is a batch, or for *seconds*; in the exporter's thread."""
        if len(self._waiting) < BATCH_SPANS:
            self._due.wait(seconds)
        self._due.clear()

    def wake(self) -> None:
        """End a `wait`, since the exporter is to stop."""
        self._due.set()

    def take(self) -> list[bytes]:
        """At most `BATCH_SPANS`, the oldest first."""
        waiting = self._waiting
        return [waiting.popleft() for _ in range(min(len(waiting), BATCH_SPANS))]
