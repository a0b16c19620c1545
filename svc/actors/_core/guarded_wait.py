"""Waits that only the end of the system cancels."""

from collections.abc import Callable
from typing import Any

import outcome
import trio

from svc.wait_guard import Abort


class GuardedWait:
    """The guarded wait of a task. Trio requests cancellation only once, so the request is kept."""

    __slots__ = ("_abandoned", "_abort", "_raise_cancel", "_task")

    def __init__(self, abort: Abort, *, abandoned: bool) -> None:
        self._abort = abort
        self._abandoned = abandoned
        self._task = trio.lowlevel.current_task()
        self._raise_cancel: Callable[[], Any] | None = None

    def refuse(self, raise_cancel: Callable[[], Any]) -> trio.lowlevel.Abort:
        """Refuse the cancellation: it takes effect at the task's next checkpoint."""
        if self._abandoned:
            return self._abort(raise_cancel)
        self._raise_cancel = raise_cancel
        return trio.lowlevel.Abort.FAILED

    def abandon(self) -> None:
        """Allow the cancellation, and cancel now if it was already requested."""
        self._abandoned = True
        cut = self._raise_cancel
        if cut is not None and self._abort(cut) is trio.lowlevel.Abort.SUCCEEDED:
            trio.lowlevel.reschedule(self._task, outcome.capture(cut))
