"""Prepared statements for hot paths: SQLAlchemy Core, compiled once, executed by the driver's own cursor.

At every execution Core spends several times what the database does on the look-up of the compiled form and on
the result. The statement is still Core, so its SQL is compiled for each dialect. A database may have a way of
its own to execute statements: see `Driver`.
"""

from collections import namedtuple
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, Final, Generic, NamedTuple, Protocol, TypeAlias, TypeVar, cast, overload

import sqlalchemy as sa
from sqlalchemy.engine.interfaces import DBAPICursor
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql.compiler import SQLCompiler

Values: TypeAlias = Mapping[str, Any]
Clause: TypeAlias = sa.Select[Any] | sa.CompoundSelect[Any] | sa.Insert | sa.Update | sa.Delete
DialectStatement: TypeAlias = Callable[[sa.Dialect], Clause]
"""A statement that differs by dialect: see `svc.storage.upserts`."""

R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


class RowMaker(Protocol[R_co]):
    """Makes a value of a row with these *fields*: see `svc.storage.rows`."""

    @property
    def fields(self) -> Sequence[str]:
        """The names of the columns, in their order."""
        ...

    @property
    def make(self) -> Callable[[Sequence[Any]], R_co]:
        """Makes the value."""
        ...


LOOKED_UP_MAX: Final = 500
"""Values of one expanding `IN`: databases limit the parameters of a statement."""


def batched(values: Sequence[R], size: int) -> Iterator[Sequence[R]]:
    """*values* in parts of at most *size*."""
    return (values[first : first + size] for first in range(0, len(values), size))


class Statement(Generic[R]):
    """A statement with named parameters, executed as Core would.

    Rows are named tuples, or what *row* makes of them where it is given, whose fields must be the statement's
    columns. Where *row* is `str`, `int`, `bytes` or `bool`, a row is the value of the one column that the
    statement has, which must not be NULL: `one` is None where there is no row. Errors are SQLAlchemy's.

    Parameters are keywords, or else one mapping; none may be left out, and an `insert()` without `values()`
    takes every column. A statement with an expanding `IN` has another text for each length, so it is executed
    by Core.
    """

    @overload
    def __init__(self: "Statement[Any]", statement: Clause | DialectStatement) -> None: ...
    @overload
    def __init__(self, statement: Clause | DialectStatement, row: type[R] | RowMaker[R]) -> None: ...
    def __init__(
        self, statement: Clause | DialectStatement, row: type[R] | RowMaker[R] | None = None
    ) -> None:
        self._statement = statement
        self._row = row
        self._plans: dict[tuple[str, str], Plan] = {}

    def one(self, conn: sa.Connection, values: Values | None = None, /, **named: Any) -> R | None:
        """The first row, if there is one."""
        plan, result = self._execute(conn, named if values is None else values)
        row = result.fetchone()
        result.close()  # a statement that is not read to its end would hold the transaction open
        return None if row is None else plan.row(row)

    def all(self, conn: sa.Connection, values: Values | None = None, /, **named: Any) -> list[R]:
        """All rows."""
        plan, result = self._execute(conn, named if values is None else values)
        return [plan.row(row) for row in result.fetchall()]

    def each(self, conn: sa.Connection, values: Values | None = None, /, **named: Any) -> Generator[R]:
        """The rows, one at a time. Close it (`contextlib.closing`) where it may not be read to its end."""
        plan, result = self._execute(conn, named if values is None else values)
        try:
            while (row := result.fetchone()) is not None:
                yield plan.row(row)
        finally:
            result.close()

    def run(self, conn: sa.Connection, values: Values | None = None, /, **named: Any) -> None:
        """Execute it.

        A database may execute it later, before the next statement whose rows or number are asked for, the
        next savepoint, or the commit. Should it fail, that raises its error, which names this statement.
        """
        plan = self._plan(conn.dialect)
        if plan.expanding:
            conn.execute(plan.statement, named if values is None else values)
        else:
            plan.run(conn, plan.bind(named if values is None else values))

    def changed(self, conn: sa.Connection, values: Values | None = None, /, **named: Any) -> int:
        """Execute it; the number of rows that it changed."""
        _, result = self._execute(conn, named if values is None else values)
        return result.rowcount

    def many(self, conn: sa.Connection, rows: Sequence[Values]) -> None:
        """Execute it once with each of *rows*, maybe later, as `run`."""
        plan = self._plan(conn.dialect)
        if plan.expanding:
            for row in rows:
                conn.execute(plan.statement, row)
        elif rows:
            plan.execute_many(conn, [plan.bind(row) for row in rows])

    def _execute(self, conn: sa.Connection, values: Values) -> "tuple[Plan, _Result | sa.CursorResult[Any]]":
        plan = self._plan(conn.dialect)
        if plan.expanding:
            return plan, conn.execute(plan.statement, values)
        return plan, plan.execute(conn, plan.bind(values))

    def _plan(self, dialect: sa.Dialect) -> "Plan":
        key = (dialect.name, dialect.driver)
        plan = self._plans.get(key)
        if plan is None:
            make = Plan if (driver := _DRIVERS.get(key)) is None else driver.plan
            plan = self._plans[key] = make(self._statement, dialect, self._row)
        return plan


class _Result(Protocol):
    """What is used of a driver's cursor."""

    @property
    def rowcount(self) -> int: ...
    def fetchone(self) -> Any: ...
    def fetchall(self) -> Sequence[Any]: ...
    def close(self) -> None: ...


class Plan:
    """A statement compiled for one dialect: its text, its binder of values, and its maker of rows."""

    __slots__ = ("bind", "expanding", "is_bytes", "row", "sql", "statement")

    def __init__(
        self,
        statement: Clause | DialectStatement,
        dialect: sa.Dialect,
        row: type[Any] | RowMaker[Any] | None = None,
    ) -> None:
        statement = statement(dialect) if callable(statement) else statement
        self.statement = statement
        compiled = statement.compile(dialect=dialect)
        self.sql = compiled.string
        self.expanding = any(bind.expanding for bind in compiled.bind_names)
        self.bind = _binder(compiled, dialect)
        self.is_bytes = [
            isinstance(compiled.binds[name].type, sa.LargeBinary) for name in _names_of(compiled)
        ]
        """Of each parameter, in their order, whether it is bytes."""
        if self.expanding:
            self.row = _unchanged if row is None else _make_of(row, _names(statement))
        else:
            self.row = _row_maker(statement, dialect, row)

    def execute(self, conn: sa.Connection, values: Any) -> _Result:
        """Execute it with values that are bound."""
        cursor = _cursor(conn)
        try:
            cursor.execute(self.sql, values)
        except conn.dialect.loaded_dbapi.Error as error:
            raise _translated(error, conn, self.sql) from error
        return cursor

    def run(self, conn: sa.Connection, values: Any) -> None:
        """Execute it, where nothing is asked about its outcome."""
        self.execute(conn, values)

    def execute_many(self, conn: sa.Connection, rows: Sequence[Any]) -> None:
        """Execute it with each of *rows*, likewise."""
        cursor = _cursor(conn)
        try:
            cursor.executemany(self.sql, rows)
        except conn.dialect.loaded_dbapi.Error as error:
            raise _translated(error, conn, self.sql) from error


class Driver(NamedTuple):
    """How a database executes statements where its driver's cursor is not the best way."""

    plan: Callable[[Clause | DialectStatement, sa.Dialect, type[Any] | RowMaker[Any] | None], Plan]
    command: Callable[[sa.Connection, str], None]
    """As `run_command`."""


_DRIVERS: Final[dict[tuple[str, str], Driver]] = {}


def use_driver(dialect: sa.Dialect, driver: Driver) -> None:
    """Have *driver* execute what is for databases of *dialect*, from its first statement on."""
    _DRIVERS[dialect.name, dialect.driver] = driver


def run_command(conn: sa.Connection, sql: str) -> None:
    """Execute *sql*, which has no values and no result, such as `SAVEPOINT`. Errors are SQLAlchemy's.

    It raises the error of a statement before it that was not waited for.
    """
    if (driver := _DRIVERS.get((conn.dialect.name, conn.dialect.driver))) is not None:
        driver.command(conn, sql)
        return
    try:
        _cursor(conn).execute(sql)
    except conn.dialect.loaded_dbapi.Error as error:
        raise _translated(error, conn, sql) from error


def _translated(error: Exception, conn: sa.Connection, sql: str) -> BaseException:
    base = cast(type[Exception], conn.dialect.loaded_dbapi.Error)
    return DBAPIError.instance(sql, None, error, base, hide_parameters=True, dialect=conn.dialect)


def _cursor(conn: sa.Connection) -> DBAPICursor:
    if not conn.in_transaction():
        conn.begin()  # as Core does before a statement
    return conn.connection.cursor()


def _binder(compiled: SQLCompiler, dialect: sa.Dialect) -> Callable[[Values], Any]:
    """The function that makes the driver's parameters of named values: a tuple, or a mapping."""
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
    names = _names_of(compiled)
    if len(names) < 2:  # noqa: PLR2004  # itemgetter makes tuples of two and more
        return lambda values: tuple(complete(values)[name] for name in names)
    ordered = itemgetter(*names)
    return ordered if not (constants or processors) else lambda values: ordered(complete(values))


def _names_of(compiled: SQLCompiler) -> Sequence[str]:
    """The names of the positional parameters, in their order."""
    return compiled.positiontup or []


def _unchanged(row: Sequence[Any]) -> Any:
    """Core's rows are named tuples already."""
    return row


_VALUES: Final = frozenset({str, int, bytes, bool})
"""The types of rows that are the value of their only column."""


def _names(statement: Clause) -> list[str]:
    """The names of the statement's columns."""
    return [str(name) for name in statement.exported_columns.keys()]  # noqa: SIM118  # it is no dict


def _make_of(row: Any, names: Sequence[str]) -> Callable[[Sequence[Any]], Any]:
    """Makes what *row* says of a row with these columns. Raises `TypeError` if it has other fields."""
    if row in _VALUES:
        fields, make = names[:1], itemgetter(0)
    elif hasattr(row, "_make"):
        fields, make = row._fields, row._make
    else:
        fields, make = row.fields, row.make
    if [*fields] != names:
        raise TypeError(f"{getattr(row, '__name__', row)} has not the fields {names}")
    return make


def _row_maker(
    statement: Clause, dialect: sa.Dialect, row: type[Any] | RowMaker[Any] | None
) -> Callable[[Sequence[Any]], Any]:
    """Makes a named tuple of a driver's row. Raises `TypeError` if *row* has other fields."""
    names = _names(statement)
    # Without a type of rows, the names are known at run time only.
    make = cast(Any, namedtuple)("Row", names, rename=True)._make if row is None else _make_of(row, names)  # noqa: PYI024
    processors = [
        (place, processor)
        for place, column in enumerate(statement.exported_columns)
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
