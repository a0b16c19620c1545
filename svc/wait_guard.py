"""Waits for work that goes on without its caller, and whose outcome must be known before anything is decided.

The store waits so for a unit of work that it has accepted. Whoever runs the waiting task says what protects
such a wait: the actor runtime does, for the tasks of actors. So the store knows no actor, and the runtime no
store.
"""

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Protocol, TypeVar, TypeVarTuple

R = TypeVar("R")
Ts = TypeVarTuple("Ts")


class WaitGuard(Protocol):
    """Protects the waits of the tasks that it is set for."""

    async def guard(self, wait: Callable[[*Ts], Awaitable[R]], *args: *Ts) -> R:
        """What `wait(*args)` returns or raises; it is not cut short."""
        ...


_wait_guard: ContextVar[WaitGuard | None] = ContextVar("wait_guard", default=None)


def set_wait_guard(wait_guard: WaitGuard) -> None:
    """Have *wait_guard* protect the waits of the running task, and of those that it starts from now on."""
    _wait_guard.set(wait_guard)


async def wait_guarded(wait: Callable[[*Ts], Awaitable[R]], *args: *Ts) -> R:
    """Call `wait(*args)`, protected by the guard of the running task; where there is none, as it is."""
    wait_guard = _wait_guard.get()
    return await (wait(*args) if wait_guard is None else wait_guard.guard(wait, *args))
