"""Long polls: calls that wait for a while where there is nothing to answer yet."""

from collections.abc import Awaitable, Callable

import trio

from svc.actors.wakeups import Wakeup

WaitGone = Callable[[], Awaitable[None]]
"""Returns when the client has disconnected."""


async def has_gone(wait_gone: WaitGone, wakeup: Wakeup, seconds: float) -> bool:
    """Wait for *wakeup*, at most so many seconds; return whether the client disconnected in that time."""
    gone = False
    async with trio.open_nursery() as nursery:

        async def watch() -> None:
            nonlocal gone
            await wait_gone()
            gone = True
            nursery.cancel_scope.cancel()

        nursery.start_soon(watch)
        await wakeup.wait(seconds)
        nursery.cancel_scope.cancel()
    return gone
