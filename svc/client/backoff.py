"""Rests between tries that may go on for ever."""

import random
from typing import Final

import anyio

FIRST_SECONDS: Final = 1.0
LONGEST_SECONDS: Final = 60.0


class Backoff:
    """Longer and longer rests, until something goes well."""

    def __init__(self) -> None:
        self._seconds = FIRST_SECONDS

    async def take(self) -> None:
        """Backoff. Somewhat less than the time that it stands at, so that many do not wake up at once."""
        seconds = self._seconds
        self._seconds = min(seconds * 2, LONGEST_SECONDS)
        await anyio.sleep(seconds * (0.75 + random.random() / 4))  # noqa: S311  # no secret

    def over(self) -> None:
        """Something went well: the next rest is short again."""
        self._seconds = FIRST_SECONDS
