"""Work on large bodies of AI calls, in a thread: on the event loop it would hold up every door."""

from collections.abc import Callable
from typing import Final, TypeVar

import trio

from svc.actors.system import System

R = TypeVar("R")

LARGE_BYTES: Final = 256 * 1024
"""From this size on; less than that takes a millisecond, and a thread costs a tenth of one."""


async def run_beside(system: System, size: int, work: Callable[[], R]) -> R:
    """The result of *work* on *size* bytes. It is finished in any case, one large body after the other.

    So the threads that decode never take more than half of the processor from the event loop.
    """
    if size < LARGE_BYTES:
        return work()
    return await trio.to_thread.run_sync(work, limiter=system.ai.large_bodies)
