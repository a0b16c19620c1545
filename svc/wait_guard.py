"""Waits that cancellation may not interrupt, because the work continues and its outcome has to be known.

The store waits in this way for a unit of work that it has accepted. The guard of the wait is set for the
waiting task: by the actor runtime, for the tasks of actors. So the store does not depend on the runtime, nor
the runtime on the store. The guard also tells whether a request waits for what the task does.
"""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Protocol

import trio

Abort = Callable[[Callable[[], Any]], trio.lowlevel.Abort]
"""As for `trio.lowlevel.wait_task_rescheduled`. It returns `FAILED` if the task was rescheduled already."""


class WaitGuard(Protocol):
    """Decides about cancellation of the guarded waits of a task."""

    async def guard(self, abort: Abort) -> Any:
        """Wait until the task is rescheduled. The guard decides whether and when to call *abort*."""
        ...

    def is_requested(self) -> bool:
        """Whether a request waits for what the current task does."""
        ...


_wait_guard: ContextVar[WaitGuard | None] = ContextVar("wait_guard", default=None)


def set_wait_guard(wait_guard: WaitGuard) -> None:
    """Set the guard of the current task, and of tasks that it starts from now on."""
    _wait_guard.set(wait_guard)


async def wait_guarded(abort: Abort) -> Any:
    """As `trio.lowlevel.wait_task_rescheduled`, under the guard of the current task, if it has one."""
    wait_guard = _wait_guard.get()
    if wait_guard is None:
        return await trio.lowlevel.wait_task_rescheduled(abort)
    return await wait_guard.guard(abort)


def is_requested() -> bool:
    """Whether a request waits for what the current task does: outside of actors, one always does.

    An actor works for a request in the turns that were asked on behalf of one. What it does by itself, since
    it was told something or a timer was due, nobody waits for.
    """
    wait_guard = _wait_guard.get()
    return wait_guard is None or wait_guard.is_requested()
