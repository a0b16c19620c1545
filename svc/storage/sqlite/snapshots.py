"""Snapshots: long reads over connections of their own, which nobody waits for."""

import sqlite3
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from functools import partial
from typing import Any, Final, TypeVar

import sqlalchemy as sa
import trio
from sqlalchemy.exc import DatabaseError

from svc.storage.sqlite import _aiosqlite_trio as aiosqlite_trio
from svc.storage.sqlite._aiosqlite_trio import ThreadLost
from svc.storage.sqlite.engine import raw
from svc.storage.sqlite.transaction import read_snapshot
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
        opened: list[sa.Connection] = []

        def connect() -> sqlite3.Connection:
            opened.append(self._engine.connect())
            return raw(opened[0])

        async with AsyncExitStack() as opening:
            try:
                connection = await opening.enter_async_context(
                    aiosqlite_trio.Connection(connect, name="svc snapshot")
                )
            except (DatabaseError, sqlite3.DatabaseError, OSError, ThreadLost) as error:
                raise StoreFailed("the data cannot be read for a snapshot") from error
            reading = _Reading(opened[0], fn)
            try:
                async with aclosing(_each(connection, reading)) as items:
                    yield items
            finally:
                if not connection.is_lost:
                    with trio.CancelScope(shield=True):
                        await connection.run(reading.close)


class _Reading:
    """What a snapshot yields; all of it runs in the connection's thread."""

    def __init__(self, conn: sa.Connection, fn: Callable[[sa.Connection], Iterator[Any]]) -> None:
        self._conn = conn
        self._fn = fn
        self._items: Iterator[Any] | None = None

    def next(self) -> Any:
        """The next item, or `_END`."""
        if self._items is None:
            raw(self._conn).execute("PRAGMA query_only = ON")
            self._conn.begin()
            raw(self._conn).execute("BEGIN")
            self._items = self._fn(self._conn)
        return next(self._items, _END)

    def close(self) -> None:
        """End the transaction, and close the connection."""
        try:
            if isinstance(self._items, Generator):
                self._items.close()
            self._conn.rollback()
        finally:
            self._conn.close()


async def _each(connection: aiosqlite_trio.Connection, reading: _Reading) -> AsyncGenerator[Any, None]:
    while (item := await connection.run(reading.next)) is not _END:
        yield item


class InlineSnapshots:
    """Reads all at once, on the connection that everything of an inline store runs on."""

    def __init__(self, conn: sa.Connection) -> None:
        self._conn = conn

    @asynccontextmanager
    async def __call__(self, fn: Callable[[sa.Connection], Iterator[R]]) -> AsyncIterator[AsyncIterator[R]]:
        async with aclosing(self._each(fn)) as items:
            yield items

    async def _each(self, fn: Callable[[sa.Connection], Iterator[R]]) -> AsyncGenerator[R, None]:
        for item in read_snapshot(self._conn, partial(_all, fn)):
            await trio.lowlevel.checkpoint()
            yield item


def _all(fn: Callable[[sa.Connection], Iterator[R]], conn: sa.Connection) -> list[R]:
    return list(fn(conn))
