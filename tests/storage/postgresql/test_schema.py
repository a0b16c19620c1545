"""The schema of PostgreSQL: what is made at first, and what migrations make of it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from svc.clock import VirtualClock
from svc.storage.metadata import metadata
from svc.storage.migrations import migrate
from svc.storage.postgresql.engine import Address, make_engine
from svc.storage.postgresql.functions import create_functions
from svc.storage.postgresql.schema import BASELINE_REVISION, migrate_to_head
from svc.storage.postgresql.store import open_store
from svc.storage.store import SchemaTooNew, StoreFailed
from tests.postgresql_server import Server
from tests.storage.postgresql.units import START

pytestmark = pytest.mark.postgres

_FACTS = {
    "columns": """
        SELECT table_name, column_name, data_type, character_maximum_length, is_nullable, column_default,
            is_identity, collation_name
        FROM information_schema.columns WHERE table_schema = 'public'""",
    "indexes": "SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'",
    "constraints": """
        SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
        WHERE connamespace = 'public'::regnamespace""",
    "triggers": """
        SELECT tgrelid::regclass::text, tgname, pg_get_triggerdef(oid) FROM pg_trigger
        WHERE NOT tgisinternal""",
}


def facts(conn: Connection) -> dict[str, list[tuple[object, ...]]]:
    """What the schema has, by kind."""
    return {
        kind: sorted(tuple(row) for row in conn.execute(text(query)) if row[0] != "alembic_version")
        for kind, query in _FACTS.items()
    }


@contextmanager
def connected(url: str) -> Iterator[Connection]:
    """A transaction in the database at *url*, which is committed."""
    with make_engine(Address(url)).connect() as conn:
        conn.exec_driver_sql("BEGIN")
        yield conn
        conn.exec_driver_sql("COMMIT")


def test_the_migrated_schema_is_that_of_the_tables(server: Server, url: str) -> None:
    """The baseline and the migrations after it lead to what the tables are declared as."""
    with connected(url) as conn:
        migrate_to_head(conn)
        migrated = facts(conn)
    with connected(server.create_database("declared", "TEMPLATE template0")) as conn:
        create_functions(conn)
        metadata.create_all(conn)
        declared = facts(conn)

    assert declared == migrated
    assert {table.name for table in metadata.sorted_tables} == {row[0] for row in declared["columns"]}


def test_the_baseline_is_of_a_revision_that_is_known() -> None:
    """Migrations after it run on PostgreSQL, too."""
    assert BASELINE_REVISION in migrate.known_revisions()


def versions(directory: Path, *later: str) -> Path:
    """A directory of revisions: the baseline's, and those whose `upgrade` does what *later* says."""
    bodies = ["pass", *later]
    for number, body in enumerate(bodies, int(BASELINE_REVISION)):
        before = f"'{number - 1:04}'" if number > int(BASELINE_REVISION) else "None"
        (directory / f"{number:04}_made_up.py").write_text(
            f'"""Made up."""\nfrom alembic import op\nimport sqlalchemy as sa\n'
            f"revision = '{number:04}'\ndown_revision = {before}\n\ndef upgrade():\n    {body}\n"
        )
    return directory


def test_a_later_revision_is_run_once(url: str, tmp_path: Path) -> None:
    """A revision after the baseline is run by Alembic, and noted."""
    with connected(url) as conn:
        migrate_to_head(conn, versions(tmp_path))
    later = versions(tmp_path, "op.add_column('events', sa.Column('made_up', sa.Text))")
    for _ in range(2):
        with connected(url) as conn:
            migrate_to_head(conn, later)
            assert migrate.known_revisions(later)[1] == migrate.revision_of(conn)
            assert [] == list(conn.execute(text("SELECT made_up FROM events")))


def test_a_revision_that_fails_changes_nothing(url: str, tmp_path: Path) -> None:
    """The schema is migrated in one transaction."""
    with connected(url) as conn:
        migrate_to_head(conn, versions(tmp_path))
        before = facts(conn)
    later = versions(tmp_path, "op.drop_table('exports')", "op.execute('SELECT nothing')")
    with make_engine(Address(url)).connect() as conn:
        conn.exec_driver_sql("BEGIN")
        with pytest.raises(StoreFailed, match=f"from schema revision {BASELINE_REVISION}"):
            migrate_to_head(conn, later)
        conn.rollback()
    with connected(url) as conn:
        assert before == facts(conn)
        assert BASELINE_REVISION == migrate.revision_of(conn)


async def test_data_of_a_newer_version_is_refused(url: str) -> None:
    """A program does not touch what it does not know."""
    with connected(url) as conn:
        migrate_to_head(conn)
        conn.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(SchemaTooNew):
        async with open_store(url, VirtualClock(START)):
            pass


async def test_a_database_of_another_program_is_refused(server: Server, database: str, url: str) -> None:
    """Its tables are left alone."""
    server.execute("CREATE TABLE theirs (id int)", database)
    with pytest.raises(StoreFailed, match="tables of others, such as theirs: name one that is empty"):
        async with open_store(url, VirtualClock(START)):
            pass
    with connected(url) as conn:
        assert {"theirs", "store_epochs"} == {row[0] for row in facts(conn)["columns"]}
