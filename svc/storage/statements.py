"""Statements of the hot paths: SQLAlchemy Core, compiled once, then run by the driver's own cursor.

At every execution Core spends several times what the database does on looking up the compiled form and on
wrapping the result. The statement stays Core, so its SQL is right for whichever database it meets.
"""

from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from types import MappingProxyType
from typing import Any, Final, TypeAlias, cast

import sqlalchemy as sa
from sqlalchemy.engine.interfaces import DBAPICursor
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql.compiler import SQLCompiler

Values: TypeAlias = Mapping[str, Any]
_Clause: TypeAlias = sa.Select[Any] | sa.Insert | sa.Update | sa.Delete
DialectStatement: TypeAlias = Callable[[sa.Dialect], _Clause]
"""What is written in another way for each database: see `svc.storage.upserts`."""

_NO_VALUES: Final[Values] = MappingProxyType({})


class Statement:
    """A statement with named parameters, run as Core would run it.

    Rows are named tuples, errors are SQLAlchemy's. Every parameter must be given; for an `insert()` without
    `values()` that is every column. A statement with an expanding `IN` has another text for each length, so
    it goes through Core.
    """

    def __init__(self, statement: _Clause | DialectStatement) -> None:
        self._statement = statement
        self._plans: dict[tuple[str, str], _Plan] = {}

    def one(self, conn: sa.Connection, values: Values = _NO_VALUES) -> Any | None:
        """The first row, if there is one."""
        plan, result = self._execute(conn, values)
        row = result.fetchone()
        result.close()  # else a statement that is not read to its end would hold the transaction open
        return None if row is None else plan.row(row)

    def all(self, conn: sa.Connection, values: Values = _NO_VALUES) -> list[Any]:
        """All rows."""
        plan, result = self._execute(conn, values)
        return [plan.row(row) for row in result.fetchall()]

    def run(self, conn: sa.Connection, values: Values = _NO_VALUES) -> int:
        """Run it for its effect; the number of rows that it touched."""
        _, result = self._execute(conn, values)
        return result.rowcount

    def many(self, conn: sa.Connection, rows: Sequence[Values]) -> None:
        """Run it for its effect, once with each of *rows*."""
        plan = self._plan(conn.dialect)
        if plan.expanding:
            for row in rows:
                conn.execute(plan.statement, row)
        elif rows:
            plan.execute_many(conn, [plan.bind(row) for row in rows])

    def _execute(
        self, conn: sa.Connection, values: Values
    ) -> "tuple[_Plan, DBAPICursor | sa.CursorResult[Any]]":
        plan = self._plan(conn.dialect)
        if plan.expanding:
            return plan, conn.execute(plan.statement, values)
        return plan, plan.execute(conn, plan.bind(values))

    def _plan(self, dialect: sa.Dialect) -> "_Plan":
        key = (dialect.name, dialect.driver)
        plan = self._plans.get(key)
        if plan is None:
            plan = self._plans[key] = _Plan(self._statement, dialect)
        return plan


class _Plan:
    """A statement for one dialect: its text, and how values go in and rows come out."""

    __slots__ = ("_sql", "bind", "expanding", "row", "statement")

    def __init__(self, statement: _Clause | DialectStatement, dialect: sa.Dialect) -> None:
        statement = statement(dialect) if callable(statement) else statement
        self.statement = statement
        compiled = statement.compile(dialect=dialect)
        self._sql = compiled.string
        self.expanding = any(bind.expanding for bind in compiled.bind_names)
        self.bind = _binder(compiled, dialect)
        self.row = _as_it_is if self.expanding else _row_maker(statement, dialect)

    def execute(self, conn: sa.Connection, values: Any) -> DBAPICursor:
        cursor = _cursor(conn)
        try:
            cursor.execute(self._sql, values)
        except conn.dialect.loaded_dbapi.Error as error:
            raise self._translated(error, conn) from error
        return cursor

    def execute_many(self, conn: sa.Connection, rows: Any) -> None:
        cursor = _cursor(conn)
        try:
            cursor.executemany(self._sql, rows)
        except conn.dialect.loaded_dbapi.Error as error:
            raise self._translated(error, conn) from error

    def _translated(self, error: Exception, conn: sa.Connection) -> BaseException:
        base = cast(type[Exception], conn.dialect.loaded_dbapi.Error)
        return DBAPIError.instance(self._sql, None, error, base, hide_parameters=True, dialect=conn.dialect)


def _cursor(conn: sa.Connection) -> DBAPICursor:
    if not conn.in_transaction():
        conn.begin()  # as Core does before a statement
    return conn.connection.cursor()


def _binder(compiled: SQLCompiler, dialect: sa.Dialect) -> Callable[[Values], Any]:
    """What turns named values into what the driver takes: a tuple, or a mapping where it has names."""
    constants = {
        name: bind.effective_value for bind, name in compiled.bind_names.items() if not bind.required
    }
    processors = {
        name: processor
        for bind, name in compiled.bind_names.items()
        if (processor := bind.type.dialect_impl(dialect).bind_processor(dialect)) is not None
    }

    def complete(values: Values) -> Values:
        if constants:
            values = {**constants, **values}
        if processors:
            values = {**values, **{name: process(values[name]) for name, process in processors.items()}}
        return values

    if not compiled.positional:
        return complete
    names = compiled.positiontup or []
    if len(names) < 2:  # noqa: PLR2004  # itemgetter makes tuples of two and more
        return lambda values: tuple(complete(values)[name] for name in names)
    ordered = itemgetter(*names)
    return ordered if not (constants or processors) else lambda values: ordered(complete(values))


def _as_it_is(row: Sequence[Any]) -> Any:
    """What Core made is a named tuple already."""
    return row


def _row_maker(statement: _Clause, dialect: sa.Dialect) -> Callable[[Sequence[Any]], Any]:
    """What turns a driver's row into a named tuple."""
    columns = statement.exported_columns
    names = [str(name) for name in columns.keys()]  # noqa: SIM118  # a collection of columns is no dict
    made = cast(Any, namedtuple)("Row", names, rename=True)  # noqa: PYI024  # names known at run time only
    make: Callable[[Sequence[Any]], Any] = made._make
    processors = [
        (place, processor)
        for place, column in enumerate(columns)
        if (processor := column.type.dialect_impl(dialect).result_processor(dialect, None)) is not None
    ]
    if not processors:
        return make

    def make_processed(row: Sequence[Any]) -> Any:
        values = list(row)
        for place, process in processors:
            values[place] = process(values[place])
        return make(values)

    return make_processed
