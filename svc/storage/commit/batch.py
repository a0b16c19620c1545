"""Batches: units that share a transaction, each of which may fail alone.

They run in the connection's thread or, in tests of time, on the Trio thread.
"""

from collections import deque
from collections.abc import Callable, Sequence
from itertools import zip_longest
from time import perf_counter
from typing import Any, Final, Generic, NamedTuple, TypeVar

import sqlalchemy as sa
from outcome import Error, Outcome, Value

from svc.domain.changes import Change
from svc.request_id import request_id, working_for
from svc.storage.commit.database import Database, OutcomeUnknown, StatementFailed, Transaction
from svc.storage.commit.slot import Slot
from svc.storage.commit.unit_spans import UnitSpan
from svc.storage.store import Owner, Sources, StoreFailed, StoreLost, Tx

R = TypeVar("R")

RETRY_FAILED_SECONDS: Final = 5.0
"""When to retry after a fault: a full disk is still full a second later."""

STEPS_SECONDS: Final = 0.01
"""How long units that work in steps may hold up a batch, before its commit, which can take as long again."""


class _TransactionLost(Exception):
    """Raised when the database has rolled back the transaction during a unit."""


class _NothingKept(Exception):
    """Raised when a unit without a savepoint has failed, so that the transaction is rolled back."""


class Unit(Generic[R]):
    """A unit of work, its time, what it is done for, and the slot that its caller waits on."""

    __slots__ = ("caller", "now", "owner", "request_id", "span", "work")

    def __init__(self, owner: str, work: Callable[[Tx], R], now: int) -> None:
        self.owner = owner
        self.work = work
        self.now = now
        self.request_id = request_id()
        self.span: UnitSpan | None = None
        """That of the unit, until it is durable."""
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
        "_database",
        "_owners",
        "_planned",
        "_room",
        "_sources",
        "_steps_until",
        "_timer",
        "announcers",
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
        database: Database,
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
        self._database = database
        self._timer = timer
        self._steps_until = 0.0
        self.probes = probes
        """Whether it begins with a probe; a commit without a `fault` then shows that writing works."""
        self.outcomes: list[Outcome[Any]] = []
        """What each unit returned or raised, in the order of the units."""
        self.changes: list[Change] = []
        """The changes that the committed units announced."""
        self.announcers: list[Unit[Any]] = []
        """For each of the changes, its unit."""
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
        self._steps_until = self._timer() + STEPS_SECONDS
        database = self._database
        try:
            with database.transaction(conn) as transaction:
                if self.probes:
                    self._run(Unit(Owner.SYSTEM, database.probe, 0), conn, transaction)
                    self.units.clear()  # if it failed, `fault` says so
                    self.outcomes.clear()
                self._run_units(conn, transaction)
                begun = self._timer()
                transaction.commit()
                self.commit_seconds = self._timer() - begun
        except _NothingKept:
            pass  # its error is an outcome already; units that have joined are requeued
        except StatementFailed as error:
            self._fail_lone(error.__cause__ or error)
        except OutcomeUnknown as error:
            self.lose(error, known=False)
        except Exception as error:  # noqa: BLE001  # an outcome of the units; the writer continues
            self.lose(error)

    def lose(self, failure: BaseException, *, known: bool = True) -> None:
        """Fail all units: the transaction was lost, or, if not *known*, may have been.

        Units that failed before keep their own error. Planned units that were not reached fail as well.
        """
        self.failure = self.fault = failure
        self.changes.clear()
        self.announcers.clear()
        taken_up = {*self.units, *self.left}
        self.units += [unit for unit in self._planned if unit not in taken_up]
        lost = self._lost if known else _broken_off
        self.outcomes = [
            own if isinstance(own, Error) else Error(lost(failure))
            for _, own in zip_longest(self.units, self.outcomes)
        ]

    def _run_units(self, conn: sa.Connection, transaction: Transaction) -> None:
        """Run units for as long as `fairness` allows while owners wait for the commit."""
        units = self._planned
        first, behind, _, seconds, _ = self.fairness
        begun = self._timer()
        for unit in units[:first]:
            self._run(unit, conn, transaction)
        if first > 1:
            # With many owners, further units of some may take as long as the first units of all did.
            seconds = max(seconds, self._timer() - begun)
        for unit in units[first : first + behind]:
            self._run(unit, conn, transaction)
        if first + behind < len(units) or self.joining:
            self._run_rest(conn, transaction, first + behind, self._timer() + seconds)

    def _run_rest(self, conn: sa.Connection, transaction: Transaction, place: int, until: float) -> None:
        units, joining, even = self._planned, self.joining, self.fairness.even
        joined = False
        while True:
            while joining:
                if len(units) == len(self.units) == 1:
                    self._wait_for_lone(transaction)
                self._run(joining.popleft(), conn, transaction)
                joined = True
            if place == len(units):
                return
            if (joined or place >= even) and self._timer() > until:
                self.left = units[place:]
                return
            self._run(units[place], conn, transaction)
            place += 1

    def _has_time(self) -> bool:
        return self._timer() < self._steps_until

    def _run(self, unit: Unit[Any], conn: sa.Connection, transaction: Transaction) -> None:
        """Run the unit so that it can fail alone: inside a savepoint, if it does not have the transaction."""
        # A unit that joins meanwhile runs after it, in a savepoint.
        alone = len(self._planned) == 1 and not self.units and not self.probes
        self.units.append(unit)
        tx = Tx(conn, unit.now, self._sources, self._has_time)
        if unit.span is not None:
            unit.span.begin()
        if not alone:
            transaction.execute("SAVEPOINT unit")
        try:
            with working_for(unit.request_id):
                value = unit.work(tx)
            if not alone:
                transaction.execute("RELEASE unit")
            elif not transaction.is_whole:
                raise _TransactionLost("the unit has hidden a failure")  # noqa: TRY301  # an outcome, too
        except BaseException as error:  # an outcome for the caller, not an error of this thread
            # A full disk, an I/O error and ON CONFLICT ROLLBACK may end the whole transaction.
            if not transaction.is_open:
                raise _TransactionLost from error
            self.outcomes.append(self._failed(error))
            if alone:
                raise _NothingKept from None
            transaction.execute("ROLLBACK TO unit")
            transaction.execute("RELEASE unit")
        else:
            self.outcomes.append(Value(value))
            self.changes += tx.changes
            self.announcers += [unit] * len(tx.changes)

    def _wait_for_lone(self, transaction: Transaction) -> None:
        """Wait for the statements of a unit without a savepoint, before another unit runs."""
        try:
            transaction.settle()
        except Exception as error:
            if not transaction.is_open:
                raise _TransactionLost from error
            self._fail_lone(error)
            raise _NothingKept from None

    def _fail_lone(self, error: BaseException) -> None:
        """The unit without a savepoint has failed by a statement that it did not wait for."""
        self.outcomes[0] = self._failed(error)
        self.changes.clear()
        self.announcers.clear()

    def _failed(self, error: BaseException) -> Outcome[Any]:
        """The outcome of a unit that has failed by *error*, its own or the machine's."""
        if self._database.fault(error) is None:
            return Error(error)
        self.fault = error
        return Error(self._lost(error))

    def reason(self, fault: BaseException) -> str:
        """A description of *fault* without any stored data."""
        error = fault.__cause__ if isinstance(fault, _TransactionLost) else fault
        return (error and self._database.fault(error)) or "a transaction was lost"

    def _lost(self, cause: BaseException) -> StoreFailed:
        """A new error for one unit whose work was lost."""
        error = StoreFailed(
            f"the data cannot be written: {self.reason(cause)}", retry_after_seconds=RETRY_FAILED_SECONDS
        )
        error.__cause__ = cause
        return error


def _broken_off(cause: BaseException) -> StoreLost:
    error = StoreLost("the writer broke off, and this unit's work may be there or not")
    error.__cause__ = cause
    return error
