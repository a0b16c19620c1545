"""When a lost connection may be made anew."""

from collections.abc import Callable
from time import monotonic
from typing import Final, TypeVar

import psycopg

from svc.domain.randomness import SYSTEM, Randomness, fraction

R = TypeVar("R")

PAUSE_SECONDS: Final = 0.1
"""The pause after a first attempt that failed; it doubles with each further one."""
PAUSE_SECONDS_MAX: Final = 5.0


class Reconnecting:
    """The attempts of all connections of a store. Between those that fail are pauses, which grow.

    During a pause, whatever needs a connection fails at once with what the last attempt failed with: so units
    are refused quickly while the server is away, and it is not run over when it comes back.
    """

    def __init__(self, timer: Callable[[], float] = monotonic, random: Randomness = SYSTEM) -> None:
        self._timer = timer
        self._random = random
        self._failures = 0
        self._not_before = 0.0
        self._error = ""

    def attempt(self, connect: Callable[[], R]) -> R:
        """What *connect* returns. Raises psycopg's `OperationalError`, during a pause without a call of it.

        Threads may call it at once; at worst an attempt more is made.
        """
        if self._failures and self._timer() < self._not_before:
            raise psycopg.OperationalError(self._error)
        try:
            made = connect()
        except psycopg.Error as error:
            self._error = str(error)
            self._not_before = self._timer() + self.pause_seconds()
            self._failures += 1
            raise
        self._failures = 0
        return made

    def pause_seconds(self) -> float:
        """The pause after an attempt that has just failed: from half of it to all of it, by chance."""
        most = min(PAUSE_SECONDS * 2.0**self._failures, PAUSE_SECONDS_MAX)
        return most * (1 + fraction(self._random)) / 2
