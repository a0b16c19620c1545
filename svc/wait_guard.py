"""Waits for work that goes on without its caller, and whose outcome must be known before anything is decided.

The store waits so for a unit of work that it has accepted. Whoever runs the waiting task says what protects
such a wait: the actor runtime does, for the tasks of actors. So the store knows no actor, and the runtime no
store.
"""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Protocol

import trio

Abort = Callable[[Callable[[], Any]], trio.lowlevel.Abort]
"""See `trio.lowlevel.wait_task_rescheduled`. It says `FAILED` where the task is woken already."""


class WaitGuard(Protocol):
    """Protects the waits of the tasks that it is set for."""

    async def guard(self, abort: Abort) -> Any:
        """Wait until the task is rescheduled; it says itself whether and when the wait may be cut short."""
        ...


_wait_guard: ContextVar[WaitGuard | None] = ContextVar("wait_guard", default=None)


def set_wait_guard(wait_guard: WaitGuard) -> None:
    """Have *wait_guard* protect the waits of the running task, and of those that it starts from now on."""
    _wait_guard.set(wait_guard)


async def wait_guarded(abort: Abort) -> Any:
    """As `trio.lowlevel.wait_task_rescheduled`, protected by the guard of the running task, if it has one."""
    wait_guard = _wait_guard.get()
    if wait_guard is None:
        return await trio.lowlevel.wait_task_rescheduled(abort)
    return await wait_guard.guard(abort)
