"""The schema: a baseline, and the migrations after it.

What SQLite came to by all its migrations, PostgreSQL begins with. The file is never changed; later revisions
run on both.
"""

from pathlib import Path
from typing import Final

import sqlalchemy as sa

from svc.storage.migrations import migrate
from svc.storage.postgresql import tenure
from svc.storage.postgresql.functions import create_functions
from svc.storage.postgresql.pipeline import raw
from svc.storage.store import StoreFailed

BASELINE: Final = Path(__file__).with_name("baseline.sql")
BASELINE_REVISION: Final = "0040"
"""The revision of SQLite's schema that the baseline is like."""


def migrate_to_head(conn: sa.Connection, versions: Path = migrate.VERSIONS) -> None:
    """Make the functions, and bring the schema to the newest revision, in the current transaction.

    Raises `SchemaTooNew` and `StoreFailed`; the caller then rolls back.
    """
    if migrate.revision_of(conn) is None:
        _make(conn)
    create_functions(conn)
    if not migrate.is_current(conn, versions):
        migrate.upgrade(conn, versions)


def _make(conn: sa.Connection) -> None:
    """Make the schema of the baseline. Raises `StoreFailed` where there are tables of others."""
    others = {*sa.inspect(conn).get_table_names()} - {tenure.TABLE}
    if others:
        raise StoreFailed(f"the database has tables of others, such as {min(others)}: name one that is empty")
    create_functions(conn)  # indexes call them
    raw(conn).execute_now(BASELINE.read_text("utf-8"))
    conn.exec_driver_sql("CREATE TABLE alembic_version (version_num varchar(32) PRIMARY KEY)")
    conn.exec_driver_sql(f"INSERT INTO alembic_version VALUES ('{BASELINE_REVISION}')")  # noqa: S608
