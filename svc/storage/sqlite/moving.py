"""The side of SQLite in a move; see `svc.storage.moving`."""

from collections.abc import Iterable, Iterator

import sqlalchemy as sa

from svc.storage.migrations import migrate
from svc.storage.moving import Row, RowTarget, order_of
from svc.storage.sql import full_text
from svc.storage.sqlite.engine import raw


class SqliteRows(RowTarget):
    """All rows of a database file; the caller has begun a transaction, inside which keys are not enforced."""

    def __init__(self, conn: sa.Connection) -> None:
        self.conn = conn

    def revision(self) -> str | None:
        return migrate.revision_of(self.conn)

    def rows(self, table: sa.Table) -> Iterator[Row]:
        asked = sa.select(table).order_by(*order_of(table)).compile(dialect=self.conn.dialect)
        return iter(raw(self.conn).execute(str(asked)))

    def fill(self, table: sa.Table, rows: Iterable[Row]) -> None:
        names = ", ".join(f'"{column.name}"' for column in table.columns)
        places = ", ".join("?" for _ in table.columns)
        raw(self.conn).executemany(f"INSERT INTO {table.name} ({names}) VALUES ({places})", rows)  # noqa: S608  # names of the schema

    def finish(self) -> None:
        full_text.rebuild(self.conn)
