"""The side of PostgreSQL in a move; see `svc.storage.moving`."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final

import psycopg
import sqlalchemy as sa
from psycopg import sql
from sqlalchemy.exc import DBAPIError

from svc.storage.migrations import migrate
from svc.storage.moving import Row, RowTarget, order_of
from svc.storage.postgresql import tenure
from svc.storage.postgresql.engine import Address, check, make_engine, one_line
from svc.storage.postgresql.pipeline import raw
from svc.storage.postgresql.schema import migrate_to_head
from svc.storage.postgresql.store import LANES
from svc.storage.store import StoreFailed

WAIT_SECONDS: Final = 0.3
"""How long a move waits for the data, which a service may have for good."""
READ_ROWS: Final = 2_000
"""Rows that are fetched at once: a cursor of the server's has the others."""


@contextmanager
def sole_use(url: str) -> Iterator["PostgresRows"]:
    """All rows of the database at *url*, in a transaction that is committed at the end.

    The schema is brought to the newest revision before. No other process has the data meanwhile, and a
    service that has lost sight of the server cannot come back and write.

    Raises:
        StoreInUse: another process has the data.
        SchemaTooNew: the data is of a newer version.
        StoreFailed: the database cannot be used.
    """
    address = Address(url)
    try:
        with make_engine(address).connect() as conn:
            connection = raw(conn)
            check(connection, address)
            tenure.hold(connection, address, WAIT_SECONDS)
            tenure.take_over(connection, LANES + 1)
            with conn.begin():
                connection.execute_now("BEGIN ISOLATION LEVEL REPEATABLE READ")
                migrate_to_head(conn)
                yield PostgresRows(conn)
                connection.execute_now("COMMIT")
    except (psycopg.Error, DBAPIError) as error:
        raise StoreFailed(f"{address}: {one_line(error)}") from error


class PostgresRows(RowTarget):
    """All rows of a database; the caller has begun a transaction."""

    def __init__(self, conn: sa.Connection) -> None:
        self.conn = conn

    def revision(self) -> str | None:
        return migrate.revision_of(self.conn)

    def rows(self, table: sa.Table) -> Iterator[Row]:
        asked = sa.select(table).order_by(*order_of(table)).compile(dialect=self.conn.dialect)
        truths = [place for place, column in enumerate(table.columns) if isinstance(column.type, sa.Boolean)]
        with raw(self.conn).cursor(name="svc_move") as cursor:
            cursor.itersize = READ_ROWS
            cursor.execute(str(asked).encode())
            for row in cursor:
                yield _with_numbers(row, truths) if truths else row

    def fill(self, table: sa.Table, rows: Iterable[Row]) -> None:
        """As `RowTarget.fill`. Raises `StoreFailed` for what PostgreSQL cannot have."""
        names = sql.SQL(", ").join(sql.Identifier(column.name) for column in table.columns)
        into = sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(table.name), names)
        truths = [place for place, column in enumerate(table.columns) if isinstance(column.type, sa.Boolean)]
        try:
            with raw(self.conn).cursor() as cursor, cursor.copy(into) as copy:
                for row in rows:
                    copy.write_row(_with_truths(row, truths) if truths else row)
        except psycopg.DataError as error:
            raise StoreFailed(f"{table.name} has what PostgreSQL cannot: {_first_line(error)}") from error
        except psycopg.IntegrityError as error:
            raise StoreFailed(f"{table.name} breaks a rule: {_first_line(error)}") from error

    def finish(self) -> None:
        """Have the planner know how much there is now; its indexes keep themselves."""
        raw(self.conn).execute("ANALYZE")


def _with_numbers(row: Row, truths: list[int]) -> Row:
    """*row* with 1 and 0 for truth values, which are at the places *truths*."""
    values = list(row)
    for place in truths:
        values[place] = None if values[place] is None else int(values[place])
    return tuple(values)


def _with_truths(row: Row, truths: list[int]) -> Row:
    """The reverse of `_with_numbers`."""
    values = list(row)
    for place in truths:
        values[place] = None if values[place] is None else bool(values[place])
    return tuple(values)


def _first_line(error: psycopg.Error) -> str:
    """What is wrong, without the values, which stand in the lines after it."""
    return str(error).partition("\n")[0]
