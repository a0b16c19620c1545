"""A thread for each connection: it does one job after the other, and tells outcomes on the Trio thread."""

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

import trio
from outcome import Error, Outcome, capture

from svc.storage.commit.slot import Slot

R = TypeVar("R")

Tell = Callable[[Outcome[Any]], None]


class ThreadLost(Exception):
    """Raised when a connection's thread has ended by itself. The outcome of its last job is unknown."""


def _nothing() -> None:
    """What is done about a lost thread where nothing needs to be."""


class WorkerThread:
    """A thread with a queue of jobs. Make it inside `trio.run`; `aclose` ends it.

    Should it end by itself, its jobs raise `ThreadLost`, and *lost* is called on the Trio thread.
    """

    def __init__(self, name: str, lost: Callable[[], None] = _nothing) -> None:
        self.name = name
        self._lost = lost
        self._token = trio.lowlevel.current_trio_token()
        self._jobs: SimpleQueue[tuple[Callable[[], Any], Tell] | None] = SimpleQueue()
        self._untold: deque[Tell] = deque()
        self._stopping = False
        self._ended = trio.Event()
        # A run that ends without closing must not hang the interpreter.
        Thread(target=self._work, name=name, daemon=True).start()

    @property
    def is_lost(self) -> bool:
        """Whether it has ended by itself."""
        return self._ended.is_set() and not self._stopping

    def submit(self, work: Callable[[], R], tell: Callable[[Outcome[R]], None]) -> None:
        """Queue *work* as one job; *tell* gets its outcome on the Trio thread. Raises `ThreadLost`."""
        if self._stopping or self._ended.is_set():
            raise ThreadLost(f"the thread {self.name!r} has ended")
        self._untold.append(tell)
        self._jobs.put((work, tell))

    async def run(self, work: Callable[[], R]) -> R:
        """What *work* returns or raises in the thread, where it outlives a cancelled caller."""
        slot: Slot[R] = Slot()
        self.submit(work, slot.set)
        return await slot

    async def aclose(self) -> None:
        """End it, after the jobs that it has. It is waited for, whoever is cancelled meanwhile."""
        self._stopping = True
        self._jobs.put(None)
        with trio.CancelScope(shield=True):
            await self._ended.wait()

    def _work(self) -> None:
        why: BaseException | None = None
        try:
            while (job := self._jobs.get()) is not None:
                work, _ = job
                self._report(self._tell, capture(work))
                del job, work  # what they hold is not kept until the next
        except BaseException as error:  # noqa: BLE001  # it ends the thread, and that is reported
            why = error
        self._report(self._end, why)

    def _report(self, report: Callable[[Any], None], about: object) -> None:
        with suppress(trio.RunFinishedError):  # no task is left to wake
            self._token.run_sync_soon(report, about)

    def _tell(self, outcome: Outcome[Any]) -> None:
        # The thread does one job after the other, and Trio runs its reports in order: this is the oldest.
        self._untold.popleft()(outcome)

    def _end(self, why: BaseException | None) -> None:
        """Answer all that the thread has left undone. What it reported was told before this."""
        self._ended.set()
        try:
            while self._untold:
                lost = ThreadLost(f"the thread {self.name!r} has ended")
                lost.__cause__ = why
                self._untold.popleft()(Error(lost))
        finally:
            if not self._stopping:
                self._lost()
