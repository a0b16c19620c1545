"""A lane: a connection, with the thread that runs jobs on it."""

from collections.abc import Callable
from typing import Protocol, TypeVar

import sqlalchemy as sa
from outcome import Outcome

R = TypeVar("R")


class Lane(Protocol):
    """A connection, with the thread that runs jobs on it, one after the other."""

    def submit(self, work: Callable[[sa.Connection], R], done: Callable[[Outcome[R]], None]) -> None:
        """Queue *work* to run with the connection; *done* is called with its outcome on the Trio thread."""
        ...
