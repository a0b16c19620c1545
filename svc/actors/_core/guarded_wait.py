"""A wait that is not cut short, save by the end of the system."""

from collections.abc import Callable
from typing import Any

import outcome
import trio

from svc.wait_guard import Abort


class GuardedWait:
    """The wait of the running task. Trio asks once whether it may be cut; what it was told then is kept."""

    __slots__ = ("_abandoned", "_abort", "_raise_cancel", "_task")

    def __init__(self, abort: Abort, *, abandoned: bool) -> None:
        self._abort = abort
        self._abandoned = abandoned
        self._task = trio.lowlevel.current_task()
        self._raise_cancel: Callable[[], Any] | None = None

    def refuse(self, raise_cancel: Callable[[], Any]) -> trio.lowlevel.Abort:
        """Do not let the wait be cut: the task hears of it with its next one."""
        if self._abandoned:
            return self._abort(raise_cancel)
        self._raise_cancel = raise_cancel
        return trio.lowlevel.Abort.FAILED

    def abandon(self) -> None:
        """Let it be cut, and cut it if that was asked for already."""
        self._abandoned = True
        cut = self._raise_cancel
        if cut is not None and self._abort(cut) is trio.lowlevel.Abort.SUCCEEDED:
            trio.lowlevel.reschedule(self._task, outcome.capture(cut))
