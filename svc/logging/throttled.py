"""Rate-limited logging of repeated failures, so that they do not fill the disk."""

from math import inf
from typing import Any, Final, Literal

import trio

LOG_SECONDS: Final = 60
"""Interval between two lines about the same event."""


class ThrottledLog:
    """Logs *event* at its first occurrence, then at most once a minute, with the number of occurrences.

    With *over*, `end` logs that event, once after each line about a failure: so something that alternately
    fails and works does not fill the log either.
    """

    def __init__(
        self,
        log: Any,
        event: str,
        *,
        level: Literal["warning", "error"] = "warning",
        over: str | None = None,
    ) -> None:
        self._log = log
        self._event = event
        self._level = level
        self._over = over
        self._count = 0
        self._quiet_until = -inf
        self._logged = False

    def note(self, why: str | BaseException, **about: Any) -> None:
        """Count a failure, with its reason. Call it in Trio's thread."""
        self._count += 1
        now = trio.current_time()
        if now >= self._quiet_until:
            getattr(self._log, self._level)(self._event, count=self._count, latest=why, **about)
            self._count = 0
            self._quiet_until = now + LOG_SECONDS
            self._logged = True

    def end(self) -> None:
        """Note that the failure is over."""
        if self._logged and self._over is not None:
            self._logged = False
            self._log.info(self._over, more=self._count)
            self._count = 0
