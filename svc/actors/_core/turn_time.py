"""The time limit of a turn, which is suspended during guarded waits."""

from math import inf

import trio


class TurnTime:
    """Moves the deadline of the scope in which the turns, `load` and `flush` of an actor run."""

    __slots__ = ("_left", "_number", "_scope", "_stops")

    def __init__(self) -> None:
        self._scope: trio.CancelScope | None = None
        self._number = 0
        self._stops = 0
        self._left = 0.0

    def begin(self, scope: trio.CancelScope, deadline: float) -> None:
        """Set the deadline, Trio's time, of what runs in *scope* from now on."""
        self._scope = scope
        self._stops = 0
        scope.deadline = deadline

    def end(self) -> None:
        """The turn is done. A task that it left in a foreign nursery no longer suspends any deadline."""
        self._scope = None
        self._number += 1

    def stop(self) -> int | None:
        """Suspend the time limit until `go_on` gets the returned value; None if no turn runs."""
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
