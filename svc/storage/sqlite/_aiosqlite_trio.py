"""aiosqlite on Trio: its connection and its thread, waited for by Trio tasks.

aiosqlite's thread takes pairs of a future and a function from a queue, calls the function and reports by
`future.get_loop().call_soon_threadsafe(set_result, future, result)`. Whatever has those methods passes for
an asyncio future, so `_Ticket` does. This leans on private names of aiosqlite 0.22: a contract test beside
it pins them.
"""

import sqlite3
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from threading import Thread
from typing import Any, Generic, Self, TypeVar, TypeVarTuple
from weakref import WeakMethod

import aiosqlite
import trio
from aiosqlite.core import _STOP_RUNNING_SENTINEL, _connection_worker_thread
from outcome import Error, Outcome, Value

from svc.storage.commit.slot import Slot

R = TypeVar("R")
Ts = TypeVarTuple("Ts")


class ThreadLost(Exception):
    """Raised when a connection's thread has ended by itself. The outcome of its last job is unknown."""


class _Ticket(Generic[R]):
    """What aiosqlite's thread takes for a future and for its loop; tells an outcome on the Trio thread."""

    __slots__ = ("_done", "_tell", "_token", "_untold")

    def __init__(
        self,
        token: trio.lowlevel.TrioToken,
        untold: "deque[_Ticket[Any]]",
        tell: Callable[[Outcome[R]], None],
    ) -> None:
        self._token = token
        self._untold = untold
        self._tell = tell
        self._done = False
        untold.append(self)

    def get_loop(self) -> Self:
        return self

    def call_soon_threadsafe(self, report: Callable[[*Ts], object], *args: *Ts) -> None:
        with suppress(trio.RunFinishedError):  # no task is left to wake
            self._token.run_sync_soon(report, *args)

    def done(self) -> bool:
        return self._done

    def set_result(self, result: R) -> None:
        self.tell(Value(result))

    def set_exception(self, error: BaseException) -> None:
        self.tell(Error(error))

    def tell(self, outcome: Outcome[R]) -> None:
        # The thread does one job after the other, and Trio runs its reports in order: this is the oldest.
        self._done = True
        self._untold.popleft()
        self._tell(outcome)


def _work(
    tx: Any,
    token: trio.lowlevel.TrioToken,
    ended: WeakMethod[Callable[[BaseException | None], None]],
) -> None:
    """Run in the thread, until `stop`, and report its end."""
    why: BaseException | None = None
    try:
        _connection_worker_thread(tx)
    except BaseException as error:  # noqa: BLE001  # it ends the thread, and that is reported
        why = error
    report = ended()
    if report is not None:
        with suppress(trio.RunFinishedError):
            token.run_sync_soon(report, why)


def _nothing() -> None:
    """What is done about a lost thread where nothing needs to be."""


class Connection(aiosqlite.Connection):
    """An aiosqlite connection for Trio. Make it inside `trio.run`, then await it or enter it.

    Should its thread end by itself, its jobs raise `ThreadLost`, and *lost* is called on the Trio thread.
    """

    def __init__(
        self, connector: Callable[[], sqlite3.Connection], *, name: str, lost: Callable[[], None] = _nothing
    ) -> None:
        super().__init__(connector, iter_chunk_size=64)
        self._token = trio.lowlevel.current_trio_token()
        self._untold = deque[_Ticket[Any]]()
        self._lost = lost
        self.is_lost = False
        """Whether the thread has ended by itself."""
        # A run that ends without closing must not hang the interpreter. To SQLite it is a crash like others.
        ended = WeakMethod(self._thread_ended)  # what the thread held could not be forgotten
        self._thread = Thread(target=_work, args=(self._tx, self._token, ended), name=name, daemon=True)

    async def __aenter__(self) -> Self:
        await self
        return self

    def submit(self, work: Callable[[], R], tell: Callable[[Outcome[R]], None]) -> None:
        """Queue *work* as one job for the connection's thread; *tell* gets its outcome on the Trio thread.

        aiosqlite logs the `repr` of *work* at debug level, so that must hold nothing private.
        """
        if self.is_lost:
            raise ThreadLost(f"the thread {self._thread.name!r} has ended")
        if not self._running or self._connection is None:
            raise ValueError("Connection closed")
        self._queue(work, tell)

    async def run(self, work: Callable[[], R]) -> R:
        """What *work* returns or raises in the connection's thread, where it outlives a cancelled caller."""
        slot: Slot[R] = Slot()
        self.submit(work, slot.set)
        return await slot

    def _thread_ended(self, why: BaseException | None) -> None:
        """Answer all that the thread has left undone. What it reported was told before this."""
        if not self._running and not self._untold:
            return
        self._running, self.is_lost = False, True
        self._connection = None
        try:
            while self._untold:
                lost = ThreadLost(f"the thread {self._thread.name!r} has ended")
                lost.__cause__ = why
                self._untold[0].tell(Error(lost))
        finally:
            self._lost()

    async def _execute(self, fn: Callable[..., R], *args: Any, **kwargs: Any) -> R:
        return await self.run(partial(fn, *args, **kwargs))

    async def _connect(self) -> Self:
        if self._connection is None:
            slot: Slot[sqlite3.Connection] = Slot()
            self._queue(self._connector, slot.set)
            try:
                with trio.CancelScope(shield=True):
                    self._connection = await slot
            except BaseException:
                self.stop()
                raise
        return self

    async def close(self) -> None:
        if not self.is_lost:
            await super().close()

    def stop(self) -> Slot[object]:  # type: ignore[override]
        self._running = False
        stopped: Slot[object] = Slot()
        self._queue(self._close_and_stop, stopped.set)
        return stopped

    def _close_and_stop(self) -> object:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        return _STOP_RUNNING_SENTINEL

    def _queue(self, work: Callable[[], R], tell: Callable[[Outcome[R]], None]) -> None:
        self._tx.put_nowait((_Ticket(self._token, self._untold, tell), work))  # type: ignore[arg-type]
