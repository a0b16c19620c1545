"""A reader: a lane for reads, which serves their owners in turn."""

from collections.abc import Callable
from threading import Lock
from typing import Any, Final, NamedTuple, TypeVar

import sqlalchemy as sa
from outcome import Error, Outcome, capture

from svc.request_id import request_id, working_for
from svc.storage.commit.database import Database
from svc.storage.commit.fair_queue import FairQueue
from svc.storage.commit.lane import Lane
from svc.storage.commit.slot import Slot
from svc.storage.commit.unit_spans import UnitSpan
from svc.storage.store import StoreFull

R = TypeVar("R")

READS_WAITING_MAX: Final = 4_096
"""Reads that may wait for one reader."""
OWNER_READS_MAX: Final = 1_024
"""Reads of one owner that may wait: a quarter of the queue."""


class _Read(NamedTuple):
    """A read, the request that it is done for, the slot that its caller waits on, and its span."""

    fn: Callable[[sa.Connection], Any]
    request_id: bytes | None
    caller: Slot[Any]
    span: UnitSpan | None


class Reader:
    """Runs reads in its lane.

    A job of the lane selects its read when it begins: the oldest of the owner whose turn it is. So before the
    first read of an owner, at most one read of each other owner runs, and the lane never idles in between.
    """

    def __init__(self, lane: Lane, database: Database) -> None:
        self._lane = lane
        self._database = database
        self._reads = FairQueue[_Read](READS_WAITING_MAX, OWNER_READS_MAX)
        self._lock = Lock()  # of `_reads`, from which the lane's thread takes
        self._unanswered: dict[Slot[Any], None] = {}

    @property
    def waiting(self) -> int:
        """Reads not answered yet."""
        return len(self._unanswered)

    async def read(self, owner: str, fn: Callable[[sa.Connection], R], span: UnitSpan | None = None) -> R:
        """Run *fn* over one snapshot, in *span*. Raises `StoreFull`, and what *fn* raises."""
        caller: Slot[R] = Slot()
        with self._lock:
            accepted = self._reads.put(owner, _Read(fn, request_id(), caller, span))
        if not accepted:
            full = StoreFull("too many reads wait already")
            if span is not None:
                span.end(Error(full))
            raise full
        self._unanswered[caller] = None
        try:
            self._lane.submit(self._read_next, self._done)
        except Exception:  # the lane has ended; `_done` answers the reads that it had
            self._unanswered.pop(caller, None)
            raise
        return await caller

    def _read_next(self, conn: sa.Connection) -> tuple[_Read, Outcome[Any]]:
        """Run the next read, in the lane."""
        with self._lock:
            read = self._reads.take()
        with working_for(read.request_id):
            return read, capture(self._database.read, conn, read.fn)

    def _done(self, finished: Outcome[tuple[_Read, Outcome[Any]]]) -> None:
        if isinstance(finished, Error):  # the lane has ended, and its queued reads with it
            unanswered, self._unanswered = self._unanswered, {}
            for caller in unanswered:
                caller.set(Error(finished.error))
            return
        read, outcome = finished.unwrap()
        if read.span is not None:
            read.span.end(outcome)
        del self._unanswered[read.caller]
        read.caller.set(outcome)
