"""Transactions: batches of units, and snapshots for reads.

They run in the connection's thread or, in tests of time, on the Trio thread.
"""

import sqlite3
from collections import deque
from collections.abc import Callable, Sequence
from itertools import zip_longest
from time import perf_counter
from typing import Any, Final, Generic, NamedTuple, TypeVar

import sqlalchemy as sa
from outcome import Error, Outcome, Value

from svc.domain.changes import Change
from svc.storage.sqlite._aiosqlite_trio import Slot
from svc.storage.sqlite.engine import raw
from svc.storage.store import Owner, Sources, StoreFailed, StoreLost, Tx

R = TypeVar("R")

_MACHINES_CODES: Final = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_IOERR: "the disk fails",
    sqlite3.SQLITE_READONLY: "the disk is read-only",
    sqlite3.SQLITE_CANTOPEN: "a file cannot be opened",
    sqlite3.SQLITE_NOMEM: "there is no memory left",
    sqlite3.SQLITE_BUSY: "another program holds the data",
}
"""Faults of the machine, not of the unit, by SQLite's primary result codes
(https://www.sqlite.org/rescode.html)."""

RETRY_FAILED_SECONDS: Final = 5.0
"""When to retry after a fault: a full disk is still full a second later."""

PROBE_BYTES: Final = 64 * 1024
"""How much a probe grows the database: more than most units do."""


class _TransactionLost(Exception):
    """Raised when SQLite has rolled back the transaction during a unit."""


class Unit(Generic[R]):
    """A unit of work, its time, and the slot that its caller waits on."""

    __slots__ = ("caller", "now", "owner", "work")

    def __init__(self, owner: str, work: Callable[[Tx], R], now: int) -> None:
        self.owner = owner
        self.work = work
        self.now = now
        self.caller: Slot[R] = Slot()


class Fairness(NamedTuple):
    """How many units a batch runs while other owners wait, counted in the order of the batch."""

    first: int
    """Units at the front, the first of each owner: they always run."""
    behind: int
    """Units of `write_behind` after them: they always run, too."""
    even: int
    """Units from the front, of all owners in turn; those after them are of some owners only."""
    seconds: float
    """How long the batch may continue with the rest, or once a unit of another owner has joined."""
    joining: int
    """How many units may join."""


class Batch:
    """Units that are committed together, and their outcomes."""

    __slots__ = (
        "_owners",
        "_planned",
        "_room",
        "_sources",
        "_timer",
        "changes",
        "commit_seconds",
        "failure",
        "fairness",
        "fault",
        "joining",
        "left",
        "outcomes",
        "probes",
        "units",
    )

    def __init__(
        self,
        units: Sequence[Unit[Any]],
        owners: set[str],
        fairness: Fairness,
        sources: Sources,
        *,
        timer: Callable[[], float] = perf_counter,
        probes: bool = False,
    ) -> None:
        """*owners*: those with units in this batch or in the queue. *timer* counts seconds."""
        self.units: list[Unit[Any]] = []
        """The units that have run, in that order."""
        self.left: Sequence[Unit[Any]] = ()
        """Planned units that were not run: they are requeued."""
        self.joining: deque[Unit[Any]] = deque()
        """Units that joined and have not run yet; at the end of the batch they are requeued."""
        self._planned = units
        self.fairness = fairness
        self._owners = owners
        self._room = fairness.joining
        self._sources = sources
        self._timer = timer
        self.probes = probes
        """Whether it begins with a probe; a commit without a `fault` then shows that writing works."""
        self.outcomes: list[Outcome[Any]] = []
        """What each unit returned or raised, in the order of the units."""
        self.changes: list[Change] = []
        """The changes that the committed units announced."""
        self.failure: BaseException | None = None
        """The error that lost the transaction, if any."""
        self.fault: BaseException | None = None
        """The error that lost the transaction, or the machine's fault that lost a unit's work, if any."""
        self.commit_seconds = 0.0

    def join(self, unit: Unit[Any]) -> bool:
        """Add *unit* to the running batch, if it is the first of its owner and there is room; whether it was.

        So it waits for one commit, instead of the rest of this batch and two commits. Called on the Trio
        thread, while the batch runs in the writer's.
        """
        if unit.owner in self._owners:
            return False
        self._owners.add(unit.owner)  # from now on it has a unit here or waiting
        if not self._room:
            return False
        self._room -= 1
        self.joining.append(unit)
        return True

    def commit(self, conn: sa.Connection) -> None:
        """Run the units in one transaction and commit it. Errors are in `outcomes`; none is raised."""
        sqlite = raw(conn)
        try:
            if sqlite.in_transaction:  # a fault of the disk may have prevented the ROLLBACK, too
                sqlite.execute("ROLLBACK")
            with conn.begin():  # rolls back on an error; BEGIN and COMMIT are executed here
                sqlite.execute("BEGIN IMMEDIATE")
                if self.probes:
                    self._run(Unit(Owner.SYSTEM, _probe, 0), conn, sqlite)
                    self.units.clear()  # if it failed, `fault` says so
                    self.outcomes.clear()
                self._run_units(conn, sqlite)
                begun = self._timer()
                sqlite.execute("COMMIT")
                self.commit_seconds = self._timer() - begun
        except Exception as error:  # noqa: BLE001  # an outcome of the units; the writer continues
            self.lose(error)

    def lose(self, failure: BaseException, *, known: bool = True) -> None:
        """Fail all units: the transaction was lost, or, if not *known*, may have been.

        Units that failed before keep their own error. Planned units that were not reached fail as well.
        """
        self.failure = self.fault = failure
        self.changes.clear()
        taken_up = {*self.units, *self.left}
        self.units += [unit for unit in self._planned if unit not in taken_up]
        lost = _lost if known else _broken_off
        self.outcomes = [
            own if isinstance(own, Error) else Error(lost(failure))
            for _, own in zip_longest(self.units, self.outcomes)
        ]

    def _run_units(self, conn: sa.Connection, sqlite: sqlite3.Connection) -> None:
        """Run units for as long as `fairness` allows while owners wait for the commit."""
        units = self._planned
        first, behind, _, seconds, _ = self.fairness
        begun = self._timer()
        for unit in units[:first]:
            self._run(unit, conn, sqlite)
        if first > 1:
            # With many owners, further units of some may take as long as the first units of all did.
            seconds = max(seconds, self._timer() - begun)
        for unit in units[first : first + behind]:
            self._run(unit, conn, sqlite)
        if first + behind < len(units) or self.joining:
            self._run_rest(conn, sqlite, first + behind, self._timer() + seconds)

    def _run_rest(self, conn: sa.Connection, sqlite: sqlite3.Connection, place: int, until: float) -> None:
        units, joining, even = self._planned, self.joining, self.fairness.even
        joined = False
        while True:
            while joining:
                self._run(joining.popleft(), conn, sqlite)
                joined = True
            if place == len(units):
                return
            if (joined or place >= even) and self._timer() > until:
                self.left = units[place:]
                return
            self._run(units[place], conn, sqlite)
            place += 1

    def _run(self, unit: Unit[Any], conn: sa.Connection, sqlite: sqlite3.Connection) -> None:
        """Run the unit inside a savepoint, so that it can fail alone."""
        self.units.append(unit)
        tx = Tx(conn, unit.now, self._sources)
        sqlite.execute("SAVEPOINT unit")
        try:
            value = unit.work(tx)
            sqlite.execute("RELEASE unit")
        except BaseException as error:  # an outcome for the caller, not an error of this thread
            # A full disk, an I/O error and ON CONFLICT ROLLBACK may end the whole transaction.
            if not sqlite.in_transaction:
                raise _TransactionLost from error
            if _code(error) in _MACHINES_CODES:
                self.fault = error
                self.outcomes.append(Error(_lost(error)))
            else:
                self.outcomes.append(Error(error))
            sqlite.execute("ROLLBACK TO unit")
            sqlite.execute("RELEASE unit")
        else:
            self.outcomes.append(Value(value))
            self.changes += tx.changes


def _probe(tx: Tx) -> None:
    """Grow the database and roll back; then rewrite one page unchanged.

    A transaction without changes would not be written to the disk.
    """
    sqlite = raw(tx.conn)
    sqlite.execute("SAVEPOINT probe")
    sqlite.execute("CREATE TABLE probe (filler BLOB)")
    sqlite.execute("INSERT INTO probe VALUES (zeroblob(?))", (PROBE_BYTES,))
    sqlite.execute("ROLLBACK TO probe")
    sqlite.execute("RELEASE probe")
    [number] = sqlite.execute("PRAGMA user_version").fetchone()
    sqlite.execute(f"PRAGMA user_version = {number:d}")


def _code(error: BaseException | None) -> int | None:
    """SQLite's primary result code, if *error* has one: the driver's, or SQLAlchemy's around it."""
    code: int | None = getattr(getattr(error, "orig", error), "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


def reason(fault: BaseException) -> str:
    """A description of *fault* without any stored data."""
    code = _code(fault.__cause__ if isinstance(fault, _TransactionLost) else fault)
    return _MACHINES_CODES.get(code or 0, "a transaction was lost")


def _lost(cause: BaseException) -> StoreFailed:
    """A new error for one unit whose work was lost."""
    error = StoreFailed(
        f"the data cannot be written: {reason(cause)}", retry_after_seconds=RETRY_FAILED_SECONDS
    )
    error.__cause__ = cause
    return error


def _broken_off(cause: BaseException) -> StoreLost:
    error = StoreLost("the writer broke off, and this unit's work may be there or not")
    error.__cause__ = cause
    return error


def read_snapshot(conn: sa.Connection, fn: Callable[[sa.Connection], R]) -> R:
    """Run *fn* in a read transaction, which sees one snapshot."""
    with conn.begin():
        raw(conn).execute("BEGIN")
        return fn(conn)
