"""What a migration of some data will do: its steps, and how many rows each of them passes over."""

import sqlite3
from collections import defaultdict
from pathlib import Path
from typing import Final

import msgspec
import sqlalchemy as sa

from svc.storage.migrations import migrate
from svc.storage.sql import full_text
from svc.storage.sqlite.engine import make_engine, raw

ROWS_A_SECOND: Final = 150_000
"""For the estimate before a migration: a rebuild of 200,000 messages, records or submissions had 146,000 to
158,000 rows a second. `svc upgrade --check` measures on a copy instead."""
STEP_ROWS: Final = 2_000
"""What a migration of no rows takes, in rows: some 13 ms."""

_TOUCHES: Final = frozenset(
    {sqlite3.SQLITE_READ, sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE}
)
_REBUILT: Final = "_alembic_tmp_"
_NOT_OURS: Final = ("sqlite_", "alembic_version", full_text.TABLE)


class MigrationStep(msgspec.Struct, frozen=True):
    """One migration, the tables whose rows it reads or writes, and how many rows they have."""

    revision: str
    title: str
    tables: tuple[str, ...]
    rows: int

    @property
    def work(self) -> int:
        """How long it takes beside the other steps, in rows."""
        return self.rows + STEP_ROWS


class MigrationPlan(msgspec.Struct, frozen=True):
    """The migrations that data at revision *before* lacks, oldest first. None is a file without a schema."""

    before: str | None
    after: str
    steps: tuple[MigrationStep, ...]

    @property
    def rows(self) -> int:
        """Rows that are passed over, counted for each step."""
        return sum(step.rows for step in self.steps)

    @property
    def work(self) -> int:
        return sum(step.work for step in self.steps)

    @property
    def estimate_seconds(self) -> float:
        return self.work / ROWS_A_SECOND


def plan_of(conn: sa.Connection, versions: Path = migrate.VERSIONS) -> MigrationPlan:
    """The plan for the data of *conn*, which is only read. Raises `SchemaTooNew`."""
    before = migrate.revision_of(conn)
    after = migrate.known_revisions(versions)[-1]
    if migrate.is_current(conn, versions):
        return MigrationPlan(before, after, ())
    titles = migrate.titles(versions)
    touched = {} if before is None else _touched(before, versions)
    present = set(sa.inspect(conn).get_table_names())
    tables = {
        revision: tuple(sorted(touched.get(revision, frozenset()) & present))
        for revision in titles
        if before is None or revision > before
    }
    rows = {name: _rows(conn, name) for name in set().union(*tables.values())}
    return MigrationPlan(
        before,
        after,
        tuple(
            MigrationStep(revision, titles[revision], names, sum(rows[name] for name in names))
            for revision, names in tables.items()
        ),
    )


def _rows(conn: sa.Connection, table: str) -> int:
    return conn.execute(sa.select(sa.func.count()).select_from(sa.table(table))).scalar_one()


def _touched(before: str, versions: Path) -> dict[str, set[str]]:
    """The tables that each revision after *before* reads, writes or indexes.

    They are found by running all migrations on an empty database in memory.
    """
    found: dict[str, set[str]] = defaultdict(set)
    current: set[str] = set()

    def note(action: int, first: str | None, second: str | None, *_rest: str | None) -> int:
        table = second if action == sqlite3.SQLITE_CREATE_INDEX else first if action in _TOUCHES else None
        if table is not None and not table.startswith(_NOT_OURS):
            current.add(table.removeprefix(_REBUILT))
        return sqlite3.SQLITE_OK

    def end(revision: str) -> None:
        if revision > before:
            found[revision] |= current
        current.clear()

    with make_engine(None).connect() as scratch:
        sqlite = raw(scratch)
        sqlite.execute("PRAGMA foreign_keys = OFF")
        sqlite.set_authorizer(note)
        try:
            migrate.upgrade(scratch, versions, end)
        finally:
            sqlite.set_authorizer(None)
    return found
