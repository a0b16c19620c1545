"""The baseline of a new file is what all migrations lead to."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from svc.storage.migrations import migrate
from svc.storage.sqlite import baseline
from svc.storage.sqlite.engine import make_engine, raw
from svc.storage.sqlite.migration_process import migrate_apart
from svc.storage.sqlite.schema_changes import schema_change
from svc.storage.store import StoreFailed
from tests.sqlite_baseline import migrated_schema, statements_in

pytestmark = pytest.mark.sqlite


_CONSTRAINTS = ("CONSTRAINT ", "FOREIGN ", "PRIMARY ", "UNIQUE ", "CHECK ")


def facts(conn: sa.Connection) -> dict[str, Any]:
    """Each table, index and trigger as SQLite keeps its statement, and the rows of each table."""
    kept = list(
        conn.exec_driver_sql("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name, type")
    )
    tables = [name for kind, name, *_ in kept if kind == "table"]
    rows = {name: list(conn.exec_driver_sql(f'SELECT * FROM "{name}"')) for name in tables}  # noqa: S608
    return {"schema": [(*names, ordered(sql)) for *names, sql in kept], "rows": rows}


def ordered(sql: str | None) -> list[str] | None:
    """The lines of *sql*, constraints last: Alembic rebuilds a table with them in any order."""
    if sql is None:
        return None
    lines = [line.strip().rstrip(", ") for line in sql.splitlines()]
    return sorted(lines, key=lambda line: line if line.startswith(_CONSTRAINTS) else "")


def test_a_new_file_is_as_all_migrations_make_it() -> None:
    """So a later migration finds the same, whichever way a file was made."""
    with make_engine(None).connect() as migrated, schema_change(migrated):
        migrate.upgrade(migrated)
        expected = facts(migrated)
    with make_engine(None).connect() as conn:
        baseline.make_in_empty(conn)

        assert expected == facts(conn)


def test_the_baseline_is_written_from_the_migrations() -> None:
    """After a new migration, `python -m tests.sqlite_baseline` writes it anew."""
    written = sorted(map(str, map(ordered, statements_in(migrated_schema()))))
    kept = sorted(map(str, map(ordered, statements_in(baseline.BASELINE.read_text("utf-8")))))

    assert written == kept


def test_a_new_file_takes_no_other_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its schema is made in this one, without Alembic."""
    monkeypatch.setattr("subprocess.Popen", None)
    monkeypatch.setattr(migrate, "upgrade", None)
    with make_engine(None).connect() as conn:
        migrate_apart(conn)

        assert migrate.known_revisions()[-1] == migrate.revision_of(conn)


def test_a_file_with_tables_is_left_to_the_migrations() -> None:
    """Of whatever revision it is."""
    with make_engine(None).connect() as conn:
        raw(conn).execute("CREATE TABLE others (id TEXT)")
        baseline.make_in_empty(conn)

        assert ["others"] == sa.inspect(conn).get_table_names()


def test_a_schema_that_cannot_be_made_is_not_made_by_half(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It is made in one transaction; the failure says that nothing was changed."""
    half = [*statements_in(baseline.BASELINE.read_text("utf-8"))][:5]
    (tmp_path / "half.sql").write_text(";\n".join([*half, "CREATE nothing;"]))
    monkeypatch.setattr(baseline, "BASELINE", tmp_path / "half.sql")
    with make_engine(None).connect() as conn:
        with pytest.raises(
            StoreFailed, match=r"revision none to \d+, and is as it was: near .nothing."
        ) as caught:
            baseline.make_in_empty(conn)

        assert [] == sa.inspect(conn).get_table_names()
        assert isinstance(caught.value.__cause__, sqlite3.OperationalError)
