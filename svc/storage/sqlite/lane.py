"""A lane: a connection, and the place where work over it is done."""

from collections.abc import Callable
from typing import Protocol, TypeVar

from outcome import Outcome
from sqlalchemy import Connection

R = TypeVar("R")


class Lane(Protocol):
    """A connection, and the place where work over it is done, one job after the other."""

    def submit(self, work: Callable[[Connection], R], tell: Callable[[Outcome[R]], None]) -> None:
        """Have *work* done over the connection, and its outcome told on the Trio thread."""
        ...
