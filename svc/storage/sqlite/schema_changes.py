"""Changes of the schema: migrations, and the making of tables."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import sqlalchemy as sa

from svc.storage.sqlite.engine import raw
from svc.storage.store import StoreFailed

_WRITES: Final = frozenset({sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE})
_REFERRING_NOWHERE: Final = ("sqlite_", "alembic_version")


@contextmanager
def schema_change(conn: sa.Connection) -> Iterator[None]:
    """A transaction that may rebuild tables; it is committed as a whole, or rolled back.

    Foreign keys are not enforced inside it, because dropping a table would delete the rows that refer to it;
    they are checked before the commit (https://www.sqlite.org/lang_altertable.html#otheralter). The setting
    cannot be changed inside a transaction. The check reads all rows, which takes seconds for a million, so it
    is left out where no table was written or dropped, but only made, indexed or given a column.
    """
    sqlite = raw(conn)
    sqlite.execute("PRAGMA foreign_keys = OFF")
    try:
        with conn.begin():
            sqlite.execute("BEGIN IMMEDIATE")
            with _written_tables(sqlite) as written:
                yield
            broken = sqlite.execute("PRAGMA foreign_key_check").fetchone() if written else None
            if broken is not None:
                raise StoreFailed(
                    "the data could not be migrated, and is as it was:"
                    f" a row of {broken[0]} refers to a row of {broken[2]} that is not there"
                )
            sqlite.execute("COMMIT")
    finally:
        sqlite.execute("PRAGMA foreign_keys = ON")


@contextmanager
def _written_tables(sqlite: sqlite3.Connection) -> Iterator[set[str]]:
    """The tables whose rows are inserted, updated or deleted meanwhile; `DROP TABLE` deletes them."""
    written: set[str] = set()

    def note(action: int, table: str | None, *_rest: str | None) -> int:
        if action in _WRITES and table is not None and not table.startswith(_REFERRING_NOWHERE):
            written.add(table)
        return sqlite3.SQLITE_OK

    sqlite.set_authorizer(note)
    try:
        yield written
    finally:
        sqlite.set_authorizer(None)
