"""Statements by prepared statements of the protocol, below psycopg's cursors: a `Driver` of `Statement`."""

from collections.abc import Sequence
from typing import Any, Final

import psycopg
import sqlalchemy as sa
from psycopg import pq
from psycopg.abc import Transformer

from svc.storage.postgresql.pipeline import DIALECT, PipelinedConnection, Prepared, raw, translated
from svc.storage.statements import Clause, DialectStatement, Driver, Plan, RowMaker


class PreparedPlan(Plan):
    """A statement whose text, values and rows are known: it is prepared once in each connection."""

    __slots__ = ("_prepared",)

    def __init__(
        self,
        statement: Clause | DialectStatement,
        _dialect: sa.Dialect,
        row: type[Any] | RowMaker[Any] | None = None,
    ) -> None:
        super().__init__(statement, DIALECT, row)
        self._prepared = Prepared(self.sql, self.is_bytes)

    def execute(self, conn: sa.Connection, values: Any) -> "Result":
        connection = _begun(conn)
        return Result(connection, connection.query(self._prepared, values))

    def run(self, conn: sa.Connection, values: Any) -> None:
        _begun(conn).write(self._prepared, values)

    def execute_many(self, conn: sa.Connection, rows: Sequence[Any]) -> None:
        write, prepared = _begun(conn).write, self._prepared
        for values in rows:
            write(prepared, values)


class Result:
    """The result of a statement, with what is used of a driver's cursor."""

    __slots__ = ("_all", "_connection", "_place", "_result")

    def __init__(self, connection: PipelinedConnection, result: pq.abc.PGresult) -> None:
        self._connection = connection
        self._result = result
        self._place = 0
        self._all: Transformer | None = None

    @property
    def rowcount(self) -> int:
        """The number of rows that were changed, or are there."""
        return self._result.command_tuples or 0

    def fetchone(self) -> tuple[Any, ...] | None:
        """The next row; None at the end."""
        place, self._place = self._place, self._place + 1
        if place == 0:
            return self._connection.load_first(self._result)
        if self._all is None:  # between two rows the connection executes others
            self._all = self._connection.transformer()
            self._all.set_pgresult(self._result)
        return self._all.load_row(place, tuple) if place < self._result.ntuples else None

    def fetchall(self) -> list[tuple[Any, ...]]:
        """All rows."""
        return self._connection.load(self._result)

    def close(self) -> None:
        """Nothing is held open: the rows are in memory."""


def _begun(conn: sa.Connection) -> PipelinedConnection:
    if not conn.in_transaction():
        conn.begin()  # as Core does before a statement
    return raw(conn)


_COMMANDS: Final[dict[str, Prepared]] = {}


def command(sql: str) -> Prepared:
    """A command without values, such as `SAVEPOINT part`, of which there are few."""
    found = _COMMANDS.get(sql)
    if found is None:
        found = _COMMANDS[sql] = Prepared(sql)
    return found


def _run_command(conn: sa.Connection, sql: str) -> None:
    try:
        _begun(conn).command(command(sql))
    except psycopg.Error as error:
        raise translated(error, sql) from error


DRIVER: Final = Driver(PreparedPlan, _run_command)
