"""Deadlines for waits that are many, alike and short."""

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

import trio

T = TypeVar("T")


class Cancellable(Protocol):
    """A cancel scope, or what is ended in another way."""

    def cancel(self) -> None:
        """End it."""
        ...


class Writing(Protocol):
    """A connection or a stream that sends a part of an answer."""

    def stall(self) -> None:
        """Note that the client does not take it."""
        ...


class Patience(Generic[T]):
    """Calls *expire* with everything whose wait is longer than *seconds*.

    All wait equally long here, so they expire in the order they began: one task and one
    ordered mapping watch over all of them. A deadline of its own costs a scope about eight
    microseconds a wait, which is a fifth of a small request; this costs less than one.
    """

    __slots__ = ("_expire", "_expiries", "_seconds")

    def __init__(self, seconds: float, expire: Callable[[T], None]) -> None:
        if seconds <= 0:
            raise ValueError("patience needs time")
        self._seconds = seconds
        self._expire = expire
        self._expiries: dict[T, float] = {}

    def begin(self, waiting: T) -> None:
        """Start the wait of *waiting*, which must not be waiting here already."""
        self._expiries[waiting] = trio.current_time() + self._seconds

    def end(self, waiting: T) -> None:
        """End the wait of *waiting*, if it has one."""
        self._expiries.pop(waiting, None)

    async def watch(self) -> None:
        """Look for what expires, for ever."""
        while True:
            # Whoever begins during this sleep expires after it: nothing need wake it.
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
