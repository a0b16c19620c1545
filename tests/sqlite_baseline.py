"""`python -m tests.sqlite_baseline`: write the baseline of SQLite anew, as the migrations lead to it now."""

import sqlite3
from collections.abc import Iterator

import sqlalchemy as sa

from svc.storage.migrations import migrate
from svc.storage.sql import full_text
from svc.storage.sqlite.baseline import BASELINE
from svc.storage.sqlite.engine import make_engine
from svc.storage.sqlite.schema_changes import schema_change


def migrated_schema() -> str:
    """The statements that make what all migrations make in an empty file."""
    with make_engine(None).connect() as conn:
        with schema_change(conn):
            migrate.upgrade(conn)
        return "".join(f"{statement};\n\n" for statement in _statements(conn))


def _statements(conn: sa.Connection) -> list[str]:
    made = conn.exec_driver_sql("SELECT name, sql FROM sqlite_master WHERE sql NOT NULL ORDER BY rowid")
    # Those of the search index are made with it.
    tables = [sql for name, sql in made if not name.startswith(f"{full_text.TABLE}_")]
    return [*tables, f"INSERT INTO alembic_version VALUES ('{migrate.revision_of(conn)}')"]  # noqa: S608


def statements_in(script: str) -> Iterator[str]:
    """The statements of *script*, each without its semicolon, as SQLite keeps them."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement.strip().removesuffix(";")
            statement = ""


if __name__ == "__main__":
    BASELINE.write_text(migrated_schema().rstrip("\n") + "\n", "utf-8")
