"""What group commit needs of a database."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

import sqlalchemy as sa

from svc.storage.store import Tx

R = TypeVar("R")


class OutcomeUnknown(Exception):
    """Raised by a COMMIT of which it cannot be found out whether it was done."""


class StatementFailed(Exception):
    """Raised by a COMMIT, with nothing kept, where a statement had failed that nothing has waited for.

    Its cause is the statement's error.
    """


class Transaction(Protocol):
    """A writing transaction that has begun."""

    def execute(self, command: str, /) -> object:
        """Execute a command without values, such as `SAVEPOINT unit`.

        Raises the error of a statement before it that was not waited for, too.
        """
        ...

    def settle(self) -> None:
        """Wait for the statements that were not waited for. Raises the error of the first that failed."""
        ...

    def commit(self) -> None:
        """Commit it. Raises `StatementFailed`, `OutcomeUnknown`, and any other error with nothing kept."""
        ...

    @property
    def is_open(self) -> bool:
        """Whether the database has not ended it by itself."""
        ...

    @property
    def is_whole(self) -> bool:
        """Whether no error in it waits for a rollback. Of what is not waited for, it is not known yet."""
        ...


class Database(Protocol):
    """Begins transactions, and knows the machine's faults from those of a unit."""

    def transaction(self, conn: sa.Connection) -> AbstractContextManager[Transaction]:
        """Begin a writing transaction. What is not committed inside is rolled back."""
        ...

    def read(self, conn: sa.Connection, fn: Callable[[sa.Connection], R]) -> R:
        """Run *fn* in a reading transaction, which sees one snapshot."""
        ...

    def probe(self, tx: Tx) -> None:
        """Write something that is not kept. It fails where the machine could not keep more."""
        ...

    def fault(self, error: BaseException) -> str | None:
        """What is wrong with the machine where *error* is not the unit's own, without any stored data."""
        ...
