"""Saying in the log that something goes wrong over and over, without filling the disk with it."""

from math import inf
from typing import Any, Final

import trio

LOG_SECONDS: Final = 5
"""Between two lines about the same thing."""


class ThrottledLog:
    """Logs *event* at once, and then at most every `LOG_SECONDS`, with how often it happened meanwhile."""

    def __init__(self, log: Any, event: str) -> None:
        self._log = log
        self._event = event
        self._count = 0
        self._quiet_until = -inf

    def note(self, why: str) -> None:
        self._count += 1
        now = trio.current_time()
        if now >= self._quiet_until:
            self._log.warning(self._event, count=self._count, latest=why)
            self._count = 0
            self._quiet_until = now + LOG_SECONDS
