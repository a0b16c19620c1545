"""Deadlines for many waits of equal length."""

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

import trio

T = TypeVar("T")


class Cancellable(Protocol):
    """A cancel scope, or anything that is cancelled alike."""

    def cancel(self) -> None:
        """End it."""
        ...


class Writing(Protocol):
    """A connection or a stream that sends part of an answer."""

    def stall(self) -> None:
        """Note that the client does not read."""
        ...


class Patience(Generic[T]):
    """Calls *expire* for every wait that is longer than *seconds*.

    All waits are equally long, so they expire in the order they began: one task and one ordered mapping
    are enough. A deadline on a scope of its own costs about eight microseconds a wait, a fifth of a small
    request; this costs less than one.
    """

    __slots__ = ("_expire", "_expiries", "_seconds")

    def __init__(self, seconds: float, expire: Callable[[T], None]) -> None:
        if seconds <= 0:
            raise ValueError("patience needs time")
        self._seconds = seconds
        self._expire = expire
        self._expiries: dict[T, float] = {}

    def begin(self, waiting: T) -> None:
        """Start a wait of *waiting*, which must not have one here already."""
        self._expiries[waiting] = trio.current_time() + self._seconds

    def end(self, waiting: T) -> None:
        """End the wait of *waiting*, if it has one."""
        self._expiries.pop(waiting, None)

    async def watch(self) -> None:
        """Expire waits, for ever."""
        while True:
            # A wait that begins during this sleep expires after it, so nothing has to interrupt it.
            await trio.sleep_until(self._next_expiry())
            self._end_expired(trio.current_time())

    def _next_expiry(self) -> float:
        return next(iter(self._expiries.values()), trio.current_time() + self._seconds)

    def _end_expired(self, now: float) -> None:
        while self._expiries:
            waiting, expiry = next(iter(self._expiries.items()))
            if expiry > now:
                return
            del self._expiries[waiting]
            self._expire(waiting)
