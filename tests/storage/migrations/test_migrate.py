"""Migrations: the schema is brought up to date at start, or everything stays as it was."""

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Column, Connection, Integer, MetaData, Table, Text, inspect

from svc.clock import WallClock
from svc.storage.metadata import metadata
from svc.storage.migrations import migrate
from svc.storage.migrations.__main__ import write_revision
from svc.storage.schema import PartialIndex, facts_of
from svc.storage.sqlite.engine import make_engine, raw
from svc.storage.sqlite.schema_changes import schema_change
from svc.storage.sqlite.store import migrate_to_head, open_store
from svc.storage.store import SchemaTooNew, StoreFailed

pytestmark = pytest.mark.sqlite

REVISION = """
import sqlalchemy as sa
from alembic import op

revision = {revision!r}
down_revision = {before!r}


def upgrade() -> None:
    {body}
"""

OWNERS_AND_PETS = """
    op.create_table("owners", sa.Column("id", sa.Integer, primary_key=True))
    op.create_table(
        "pets",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("owner", sa.Integer, sa.ForeignKey("owners.id", ondelete="CASCADE"), nullable=False),
    )
"""
REBUILD_OWNERS = """
    with op.batch_alter_table("owners", recreate="always") as owners:
        owners.add_column(sa.Column("name", sa.Text, server_default="nobody"))
"""
ADD_ALONE = """
    op.create_table("vets", sa.Column("id", sa.Integer, primary_key=True))
    op.add_column("pets", sa.Column("vet", sa.Integer))
    op.create_index("ix_pets_vet", "pets", ["vet"])
"""
FAIL_HALFWAY = """
    op.create_table("vets", sa.Column("id", sa.Integer, primary_key=True))
    op.execute("DELETE FROM pets")
    op.execute("INSERT INTO nowhere VALUES (1)")
"""
ORPHAN = """
    op.execute("DELETE FROM owners")
"""


class Chain:
    """A history of revisions that a test writes."""

    def __init__(self, versions: Path) -> None:
        self.versions = versions
        versions.mkdir()

    def add(self, body: str) -> None:
        number = len(migrate.known_revisions(self.versions)) + 1
        text = REVISION.format(
            revision=f"{number:04}", before=f"{number - 1:04}" if number > 1 else None, body=body
        )
        (self.versions / f"{number:04}_test.py").write_text(text)

    def upgrade(self, conn: Connection) -> None:
        migrate_to_head(conn, self.versions)


@pytest.fixture
def chain(tmp_path: Path) -> Chain:
    return Chain(tmp_path / "versions")


@pytest.fixture
def conn(tmp_path: Path) -> Iterator[Connection]:
    with make_engine(tmp_path / "svc.db").connect() as conn:
        yield conn


def content(path: Path) -> list[str]:
    """The whole database as SQL."""
    with sqlite3.connect(path) as connection:
        lines = list(connection.iterdump())
    connection.close()
    return lines


def test_a_fresh_file_is_brought_to_the_newest_revision(chain: Chain, conn: Connection) -> None:
    """All revisions run, in their order."""
    chain.add(OWNERS_AND_PETS)
    chain.add(REBUILD_OWNERS)

    chain.upgrade(conn)

    assert "0002" == migrate.revision_of(conn)
    assert [] == conn.exec_driver_sql("SELECT id, name FROM owners").all()


def test_rebuilding_a_table_keeps_what_refers_to_it(chain: Chain, conn: Connection) -> None:
    """Replacing a table does not delete its dependents, and foreign keys are on afterwards."""
    chain.add(OWNERS_AND_PETS)
    chain.upgrade(conn)
    conn.exec_driver_sql("INSERT INTO owners VALUES (1)")
    conn.exec_driver_sql("INSERT INTO pets VALUES (7, 1)")
    conn.commit()

    chain.add(REBUILD_OWNERS)
    chain.upgrade(conn)

    joined = "SELECT pets.id, owner, name FROM pets JOIN owners ON owner = owners.id"
    assert (7, 1, "nobody") == conn.exec_driver_sql(joined).one()
    assert 1 == conn.exec_driver_sql("PRAGMA foreign_keys").scalar()


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        pytest.param(FAIL_HALFWAY, "nowhere", id="fails halfway"),
        pytest.param(ORPHAN, "row of pets refers to a row of owners", id="leaves an orphan"),
    ],
)
def test_a_failing_migration_leaves_everything_as_it_was(
    chain: Chain, conn: Connection, tmp_path: Path, body: str, reason: str
) -> None:
    """Even with a good revision before the bad one, nothing of either remains."""
    chain.add(OWNERS_AND_PETS)
    chain.upgrade(conn)
    conn.exec_driver_sql("INSERT INTO owners VALUES (1)")
    conn.exec_driver_sql("INSERT INTO pets VALUES (7, 1)")
    conn.commit()
    before = content(tmp_path / "svc.db")

    chain.add(REBUILD_OWNERS)
    chain.add(body)
    with pytest.raises(StoreFailed, match=reason):
        chain.upgrade(conn)

    assert before == content(tmp_path / "svc.db")
    assert 1 == conn.exec_driver_sql("PRAGMA foreign_keys").scalar()


def test_references_are_checked_only_where_rows_were_written(chain: Chain, conn: Connection) -> None:
    """The check reads everything: a start does not wait for it where tables were only made or indexed."""
    chain.add(OWNERS_AND_PETS)
    chain.upgrade(conn)
    sqlite = raw(conn)
    said: list[str] = []
    sqlite.set_trace_callback(said.append)
    chain.add(ADD_ALONE)
    chain.upgrade(conn)
    checks = [sum("foreign_key_check" in line for line in said)]
    chain.add(REBUILD_OWNERS)
    chain.upgrade(conn)
    checks.append(sum("foreign_key_check" in line for line in said))
    sqlite.set_trace_callback(None)

    assert "0003" == migrate.revision_of(conn)
    assert [0, 1] == checks


def test_a_failure_names_the_revisions(chain: Chain, conn: Connection) -> None:
    """The message says from where to where, and that nothing was changed."""
    chain.add(FAIL_HALFWAY)

    with pytest.raises(StoreFailed, match=r"from schema revision none to 0001, and is as it was: .*pets"):
        chain.upgrade(conn)


def test_a_file_of_a_newer_program_is_refused(chain: Chain, conn: Connection, tmp_path: Path) -> None:
    """An unknown revision is refused with both revisions, and the file is left alone."""
    chain.add(OWNERS_AND_PETS)
    chain.upgrade(conn)
    conn.exec_driver_sql("UPDATE alembic_version SET version_num = '0009'")
    conn.commit()
    before = content(tmp_path / "svc.db")

    with pytest.raises(SchemaTooNew, match="revision 0009, and this program knows revisions up to 0001"):
        chain.upgrade(conn)

    assert before == content(tmp_path / "svc.db")


def test_the_next_revision_is_written_from_the_tables(chain: Chain, conn: Connection) -> None:
    """A written revision makes what the tables have more than the migrations before it."""
    chain.add('op.create_table("pets", sa.Column("id", sa.Integer, primary_key=True))')
    tables = MetaData()
    named = PartialIndex("ix_pets_named", "name", where="name IS NOT NULL")
    Table("pets", tables, Column("id", Integer, primary_key=True), Column("name", Text, index=True), named)

    path = write_revision("Name the pets", chain.versions, tables)
    chain.upgrade(conn)

    assert chain.versions / "0002_name_the_pets.py" == path
    assert [] == compare_metadata(MigrationContext.configure(conn), tables)
    assert "sqlite_where=sa.text('name IS NOT NULL')" in path.read_text().replace('"', "'")
    assert "postgresql_where=sa.text('name IS NOT NULL')" in path.read_text().replace('"', "'")


def test_the_migrations_make_the_tables(conn: Connection) -> None:
    """What the migrations make and what the program's tables say is the same."""
    migrate_to_head(conn)

    assert [] == compare_metadata(
        MigrationContext.configure(conn, opts={"compare_type": True, "include_name": migrate.is_ours}),
        metadata,
    )


def test_the_migrations_make_the_indexes_as_the_tables_say(conn: Connection) -> None:
    """Conditions of partial indexes and uniqueness agree too, which Alembic does not compare."""

    def indexes(conn: Connection) -> set[tuple[str, str]]:
        made = conn.exec_driver_sql(
            "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql NOT NULL"
        )
        return {(name, " ".join(sql.split())) for name, sql in made}

    with make_engine(None).connect() as created, schema_change(created):
        metadata.create_all(created)
        expected = indexes(created)
    migrate_to_head(conn)

    assert expected == indexes(conn)


def test_the_migrations_make_the_primary_keys_as_the_tables_say(conn: Connection) -> None:
    """Alembic does not compare them either."""
    migrate_to_head(conn)

    made = inspect(conn)
    for table in metadata.sorted_tables:
        assert table.primary_key.columns.keys() == made.get_pk_constraint(table.name)["constrained_columns"]


def test_the_newest_revision_is_known_without_alembic(conn: Connection) -> None:
    """The names of the files agree with Alembic: one line of revisions, to one head."""
    script = ScriptDirectory.from_config(migrate.alembic_config(conn))

    history = [revision.revision for revision in script.walk_revisions()]
    assert migrate.known_revisions() == history[::-1]
    assert migrate.known_revisions()[-1] == script.get_current_head()


async def test_a_store_opens_at_the_newest_revision(tmp_path: Path) -> None:
    """Opening migrates, and opening again finds nothing to do."""
    for _ in range(2):
        async with open_store(tmp_path / "svc.db", WallClock()) as store:
            assert migrate.known_revisions()[-1] == await store.read(migrate.revision_of)


async def test_a_store_refuses_a_newer_file(tmp_path: Path) -> None:
    """The error passes through opening as it is."""
    async with open_store(tmp_path / "svc.db", WallClock()) as store:
        await store.write(
            lambda tx: tx.conn.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'").close()
        )

    with pytest.raises(SchemaTooNew, match="9999"):
        async with open_store(tmp_path / "svc.db", WallClock()):
            pass


def test_opening_what_is_new_or_current_does_not_import_alembic(tmp_path: Path) -> None:
    """A start that has nothing to migrate saves the time and the memory, and so does a first one."""
    program = """
import sys, trio
from pathlib import Path
from svc.clock import WallClock
from svc.storage.sqlite.store import open_store

async def main():
    async with open_store(Path(sys.argv[1]), WallClock()):
        print("alembic" in sys.modules)

trio.run(main)
"""
    command = [sys.executable, "-c", program, str(tmp_path / "svc.db")]

    assert [b"False\n", b"False\n"] == [subprocess.check_output(command) for _ in range(2)]


def test_all_that_belongs_to_a_record_moves_with_it() -> None:
    """A merge moves the rows of these columns; the others that refer to a record have a rule of their own."""
    referring = {
        (f"{table.name}.{column.name}", facts_of(column).moves)
        for table in metadata.sorted_tables
        for column in table.columns
        if any(key.target_fullname == "records.id" for key in column.foreign_keys)
    }

    assert {
        "conversations.contact_id",
        "notes.record_id",
        "record_changes.record_id",
        "submissions.contact_id",
        "submissions.deal_id",
        "suggestions.record_id",
        "visits.record_id",
        "workflow_runs.record_id",
    } == {name for name, moves in referring if moves}
    assert {
        "distinct_records.other_id",
        "distinct_records.record_id",
        "duplicate_keys.record_id",
        "identities.record_id",
        "import_records.record_id",
        "record_keys.record_id",
        "search_texts.record_id",
        "unique_values.record_id",
        "records.merged_into",
        "relations.record_id",
        "relations.target_id",
    } == {name for name, moves in referring if not moves}
