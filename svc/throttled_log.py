"""Saying in the log that something goes wrong over and over, without filling the disk with it."""

from math import inf
from typing import Any, Final, Literal

import trio

LOG_SECONDS: Final = 60
"""Between two lines about the same thing."""


class ThrottledLog:
    """Logs *event* at the first time, then once a minute at most with how many more there were.

    What has an event for when it is *over* logs that too, when `end` says that it goes well again: once for
    each line that said that it does not, so that what fails and works by turns does not fill the log either.
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
        self._told = False

    def note(self, why: str, **about: Any) -> None:
        """It went wrong once more, and *why*. Call it in Trio's thread."""
        self._count += 1
        now = trio.current_time()
        if now >= self._quiet_until:
            getattr(self._log, self._level)(self._event, count=self._count, latest=why, **about)
            self._count = 0
            self._quiet_until = now + LOG_SECONDS
            self._told = True

    def end(self) -> None:
        """It went well."""
        if self._told and self._over is not None:
            self._told = False
            self._log.info(self._over, more=self._count)
            self._count = 0
