"""Exponential backoff between attempts whose number is not limited."""

import random
from typing import Final

import anyio

FIRST_SECONDS: Final = 1.0
LONGEST_SECONDS: Final = 60.0


class Backoff:
    """Doubles the wait with each attempt, until `reset`."""

    def __init__(self) -> None:
        self._seconds = FIRST_SECONDS

    async def wait(self) -> None:
        """Wait before the next attempt, with jitter, so that many clients do not retry at the same moment."""
        seconds = self._seconds
        self._seconds = min(seconds * 2, LONGEST_SECONDS)
        await anyio.sleep(seconds * (0.75 + random.random() / 4))  # noqa: S311  # not for a secret

    def reset(self) -> None:
        """An attempt has succeeded: start again with the shortest wait."""
        self._seconds = FIRST_SECONDS
