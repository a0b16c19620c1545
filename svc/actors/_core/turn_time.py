"""The time of a turn: it stands still while the turn waits for what must be waited for."""

from math import inf

import trio


class TurnTime:
    """Moves the deadline of the scope in which a turn, load or flush runs, one after the other."""

    __slots__ = ("_left", "_number", "_scope", "_stops")

    def __init__(self) -> None:
        self._scope: trio.CancelScope | None = None
        self._number = 0
        self._stops = 0
        self._left = 0.0

    def begin(self, scope: trio.CancelScope, deadline: float) -> None:
        """What runs in *scope* from now on has until Trio's time *deadline*."""
        self._scope = scope
        self._stops = 0
        scope.deadline = deadline

    def end(self) -> None:
        """It is done: a task of it that still waits, in a nursery of somebody else, has no time to stop."""
        self._scope = None
        self._number += 1

    def stop(self) -> int | None:
        """Stand still until `go_on` is given what this returns; None where no turn runs."""
        if self._scope is None:
            return None
        if not self._stops:
            self._left = self._scope.deadline - trio.current_time()
            self._scope.deadline = inf
        self._stops += 1
        return self._number

    def go_on(self, stopped: int) -> None:
        if self._scope is not None and stopped == self._number:
            self._stops -= 1
            if not self._stops:
                self._scope.deadline = trio.current_time() + self._left
