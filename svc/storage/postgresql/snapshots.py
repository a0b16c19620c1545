"""Snapshots: long reads over connections of their own, which nobody waits for."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from typing import Any, Final, TypeVar

import psycopg
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from svc.storage.postgresql import faults
from svc.storage.postgresql.session import READING_LONG, Session, bound, usable
from svc.storage.postgresql.transaction import begin_snapshot
from svc.storage.postgresql.worker_thread import WorkerThread
from svc.storage.store import StoreFailed

R = TypeVar("R")

_END: Final[Any] = object()


class ThreadSnapshots:
    """Opens a connection of *engine*, with a thread, for each snapshot."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    @asynccontextmanager
    async def __call__(self, fn: Callable[[sa.Connection], Iterator[R]]) -> AsyncIterator[AsyncIterator[R]]:
        """Raises `StoreFailed` if the connection cannot be opened."""
        async with AsyncExitStack() as opening:
            thread = WorkerThread("svc snapshot")
            opening.push_async_callback(thread.aclose)
            reading = _Reading(self._engine, fn)
            try:
                await thread.run(reading.open)
            except (psycopg.Error, DBAPIError) as error:
                raise StoreFailed(
                    f"the data cannot be read for a snapshot: {faults.fault(error) or 'it fails'}"
                ) from error
            finally:
                opening.push_async_callback(thread.run, reading.close)
            async with aclosing(_each(thread, reading)) as items:
                yield items


class _Reading:
    """What a snapshot yields; all of it runs in one thread."""

    def __init__(self, engine: sa.Engine, fn: Callable[[sa.Connection], Iterator[Any]]) -> None:
        self._engine = engine
        self._fn = fn
        self._conn: sa.Connection | None = None
        self._items: Iterator[Any] | None = None

    def open(self) -> None:
        """Connect, and begin the transaction."""
        self._conn = conn = bound(self._engine.connect(), Session(READING_LONG))
        begin_snapshot(usable(conn))

    def next(self) -> Any:
        """The next item, or `_END`."""
        assert self._conn is not None  # noqa: S101  # it was opened
        if self._items is None:
            self._items = self._fn(self._conn)
        return next(self._items, _END)

    def close(self) -> None:
        """Close the connection, which ends the transaction."""
        try:
            if isinstance(self._items, Generator):
                self._items.close()
        finally:
            if self._conn is not None:
                self._conn.invalidate()
                self._conn.close()


async def _each(thread: WorkerThread, reading: _Reading) -> AsyncGenerator[Any, None]:
    while (item := await thread.run(reading.next)) is not _END:
        yield item
