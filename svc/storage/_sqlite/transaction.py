"""Transactions: many units in one, a snapshot to read from, a change of the schema.

These run where the connection lives, which is a thread of its own or, in tests of time, right here.
"""

import sqlite3
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from time import perf_counter
from typing import Any, Final, Generic, NamedTuple, TypeVar

from outcome import Error, Outcome, Value
from sqlalchemy import Connection

from svc.domain.changes import Change
from svc.domain.sealing import Sealer
from svc.storage._aiosqlite_trio import Slot
from svc.storage._sqlite.engine import raw
from svc.storage.store import StoreFailed, Tx

R = TypeVar("R")


_MACHINES_CODES: Final = frozenset(
    {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_CANTOPEN}
)
"""Primary result codes (https://www.sqlite.org/rescode.html)."""


class _TransactionLost(Exception):
    """Raised when SQLite has ended the transaction under a unit."""


class Unit(Generic[R]):
    """A unit of work, its time, and the caller that waits for it."""

    __slots__ = ("caller", "now", "owner", "work")

    def __init__(self, owner: str, work: Callable[[Tx], R], now: int) -> None:
        self.owner = owner
        self.work = work
        self.now = now
        self.caller: Slot[R] = Slot()


class Fairness(NamedTuple):
    """How far a batch goes while others wait for its end. Counts are of units, in the order of the batch."""

    first: int
    """At the front, the first of each owner: they run, however long that takes."""
    behind: int
    """Next, of `write_behind`: they run as well."""
    even: int
    """At the front; after these it goes on for some of its owners only."""
    seconds: float
    """How long it may go on for those, or once somebody else has joined."""
    joining: int
    """How many may join."""


class Batch:
    """Units that are committed together, and what became of them."""

    __slots__ = (
        "_owners",
        "_planned",
        "_room",
        "_sealer",
        "changes",
        "commit_seconds",
        "failure",
        "fairness",
        "joining",
        "left",
        "outcomes",
        "units",
    )

    def __init__(
        self, units: Sequence[Unit[Any]], owners: set[str], fairness: Fairness, sealer: Sealer | None = None
    ) -> None:
        """*owners* are all that have units here, or have others waiting."""
        self.units: list[Unit[Any]] = []
        """Those that it has taken up, in the order in which they ran."""
        self.left: Sequence[Unit[Any]] = ()
        """Those that it has not, and that are for another."""
        self.joining: deque[Unit[Any]] = deque()
        """Those that joined and have not run; once it has ended they are for another, too."""
        self._planned = units
        self.fairness = fairness
        self._owners = owners
        self._room = fairness.joining
        self._sealer = sealer
        self.outcomes: list[Outcome[Any]] = []
        """What each unit returned or raised, in the order of the units."""
        self.changes: list[Change] = []
        """What the units announced that are on disk now."""
        self.failure: Exception | None = None
        """What lost the transaction, if anything did."""
        self.commit_seconds = 0.0

    def join(self, unit: Unit[Any]) -> bool:
        """Have *unit* run next, if it is the first of its owner and there is room; whether it will.

        So it waits for one commit, and not for the rest of a batch and two commits. Called on the Trio thread
        while the batch runs in the writer's.
        """
        if unit.owner in self._owners:
            return False
        self._owners.add(unit.owner)  # from now on it has a unit here or waiting
        if not self._room:
            return False
        self._room -= 1
        self.joining.append(unit)
        return True

    def commit(self, conn: Connection) -> None:
        """Run the units in one transaction and make it durable. Raises nothing: see `outcomes`."""
        sqlite = raw(conn)
        try:
            with conn.begin():  # rolls back when something is raised; BEGIN and COMMIT are ours
                sqlite.execute("BEGIN IMMEDIATE")
                self._run_units(conn, sqlite)
                begun = perf_counter()
                sqlite.execute("COMMIT")
                self.commit_seconds = perf_counter() - begun
        except Exception as error:  # noqa: BLE001  # whatever it is, the units hear of it and the writer goes on
            self.failure = error
            self.changes.clear()
            known = {*self.units, *self.left}
            self.units += [unit for unit in self._planned if unit not in known]
            self.outcomes = [
                own if isinstance(own, Error) else Error(_lost(error))
                for _, own in zip_longest(self.units, self.outcomes)
            ]

    def _run_units(self, conn: Connection, sqlite: sqlite3.Connection) -> None:
        """Run units, for as long as that is fair to those who wait for the commit."""
        units = self._planned
        first, behind, _, seconds, _ = self.fairness
        begun = perf_counter()
        for unit in units[:first]:
            self._run(unit, conn, sqlite)
        if first > 1:
            # Where there are many owners, the others of some may take as long again as the first of each.
            seconds = max(seconds, perf_counter() - begun)
        for unit in units[first : first + behind]:
            self._run(unit, conn, sqlite)
        if first + behind < len(units) or self.joining:
            self._run_rest(conn, sqlite, first + behind, perf_counter() + seconds)

    def _run_rest(self, conn: Connection, sqlite: sqlite3.Connection, place: int, until: float) -> None:
        units, joining, even = self._planned, self.joining, self.fairness.even
        joined = False
        while True:
            while joining:
                self._run(joining.popleft(), conn, sqlite)
                joined = True
            if place == len(units):
                return
            if (joined or place >= even) and perf_counter() > until:
                self.left = units[place:]
                return
            self._run(units[place], conn, sqlite)
            place += 1

    def _run(self, unit: Unit[Any], conn: Connection, sqlite: sqlite3.Connection) -> None:
        """Do the unit's work inside a savepoint, so that it can fail alone."""
        self.units.append(unit)
        tx = Tx(conn, unit.now, self._sealer)
        sqlite.execute("SAVEPOINT unit")
        try:
            value = unit.work(tx)
            sqlite.execute("RELEASE unit")
        except BaseException as error:  # it is the caller's, not this thread's
            # A full disk, an I/O error and ON CONFLICT ROLLBACK may end the whole transaction.
            if not sqlite.in_transaction:
                raise _TransactionLost from error
            self.outcomes.append(Error(_lost(error) if _is_machines(error) else error))
            sqlite.execute("ROLLBACK TO unit")
            sqlite.execute("RELEASE unit")
        else:
            self.outcomes.append(Value(value))
            self.changes += tx.changes


def _is_machines(error: BaseException) -> bool:
    """Whether the disk or the machine failed, and not the unit's own work."""
    code = getattr(getattr(error, "orig", error), "sqlite_errorcode", None)
    return code is not None and code & 0xFF in _MACHINES_CODES


def _lost(cause: BaseException) -> StoreFailed:
    """What the caller of a unit gets whose work went with the transaction: an error of its own."""
    error = StoreFailed("the transaction was lost, and this unit's work with it")
    error.__cause__ = cause
    return error


def read_snapshot(conn: Connection, fn: Callable[[Connection], R]) -> R:
    """What *fn* reads, all of it as of one moment."""
    with conn.begin():
        raw(conn).execute("BEGIN")
        return fn(conn)


@contextmanager
def schema_change(conn: Connection) -> Iterator[None]:
    """A transaction that may rebuild tables: all of it happens, or nothing.

    Foreign keys are off meanwhile, since dropping a table would delete what refers to it, and are checked
    before the commit (https://www.sqlite.org/lang_altertable.html#otheralter). The setting cannot change
    inside a transaction.
    """
    sqlite = raw(conn)
    sqlite.execute("PRAGMA foreign_keys = OFF")
    try:
        with conn.begin():
            sqlite.execute("BEGIN IMMEDIATE")
            yield
            broken = sqlite.execute("PRAGMA foreign_key_check").fetchone()
            if broken is not None:
                raise StoreFailed(f"a row of {broken[0]} refers to a row of {broken[2]} that is not there")
            sqlite.execute("COMMIT")
    finally:
        sqlite.execute("PRAGMA foreign_keys = ON")
