"""A lane: a connection, and the place where work over it is done."""

from collections.abc import Callable
from typing import Protocol, TypeVar

import sqlalchemy as sa
from outcome import Outcome

R = TypeVar("R")


class Lane(Protocol):
    """A connection, and the place where work over it is done, one job after the other."""

    def submit(self, work: Callable[[sa.Connection], R], tell: Callable[[Outcome[R]], None]) -> None:
        """Have *work* done over the connection, and its outcome told on the Trio thread."""
        ...
