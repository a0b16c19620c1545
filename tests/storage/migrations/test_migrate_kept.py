"""Landed migrations: none is changed, and data of every version are brought forward with every row."""

import sqlite3
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection

from svc.storage.integrity import check
from svc.storage.metadata import metadata
from svc.storage.migrations import migrate
from svc.storage.sql import full_text
from svc.storage.sqlite.engine import make_engine, raw
from svc.storage.sqlite.schema_changes import schema_change
from svc.storage.sqlite.store import migrate_to_head
from tests.storage.keeping import KEPT

pytestmark = pytest.mark.sqlite

LANDED = {
    "0001_the_first_tables.py": "8f42e3b101790307068492dbc755047fb584c39192ccdcd4a85162a4c9fbf214",
    "0002_records.py": "2237c4fdc09e80ad6b8c8e8902d65c90b959bf981159b88eeee3a76ad9425720",
    "0003_people.py": "246e8d0bec61958590518f7f2c8903d8c88c2df408bee928bcee87e0787852ef",
    "0004_idempotency.py": "4853e0eb6138a53c35dbc67407d7fdbc180d84ad68b9a5c0db3320b684f58f72",
    "0005_submissions_held_by_form.py": "af3e3947685a2e29b9f14837507df698ae651c45ed445094bec532aecf3e4852",
    "0006_indexes.py": "92b40643cbed80c0fd1595210b4ffddfa3f8691b5738521e380017cb9ac07f16",
    "0007_embeds.py": "8c14a071bfa867bbf76898a94d2bea0908699cd4b1de0506cef3ddd452d82081",
    "0008_channels.py": "6c0be9b7e4cc54df06c5b525dabcd053ccdb9b55020f695fb16273401401471b",
    "0009_idempotency_in_organizations.py": "3267554d465225736cf8e130ad30f5f59cf2632232090fa4c9d4d90039c73cc1",  # noqa: E501
    "0010_clock_marks.py": "9c2020de9e487445b8fe151cce3b0dec2169dcfaae191adea63c33cedf106ba3",
    "0011_pushes_end_with_2xx.py": "7f4a31f2a7bcc4872691f37521998992741242870828bca7d7e5039ff2bd34a9",
    "0012_accounts_at_home.py": "3eca8a13c7cbb0f49ac67840e5f874dd72677dbf2e23aed90752b835f5c0a739",
    "0013_events.py": "48fb52429df40a8582a2fd0320ca73d50c02b5bd8541a42b30c8c18d45e696c2",
    "0014_versions.py": "b753c5eb1704dd77d227cd2ed7afa90ca4167829600cab3e318c5a1807397fe1",
    "0015_webhooks.py": "e32d0d20e05eef844d718ff7b5d6725f3c09d724317db590aa500be50b38fb71",
    "0016_workflows.py": "3ba37dc2362b4a0d9200e958127242a48b410cea1de3f62519688145f3ba6ba0",
    "0017_pruned_events.py": "c3d87c397525b7e1cdee24d52b2aa3748df80434335eee714b21e0ffb8239015",
    "0018_ai.py": "c2df48dce68ce409ea5a7ce269c049949b259de7eeedc3d21316ce5a820678ca",
    "0019_approvals.py": "b78943809a13a440e5bd321005e585c66bb63eb63beafa494d059840c71f3d99",
    "0020_agent.py": "39fb57570a457b642d41027bfc6fef076bb6e863909a86544b7090336976e335",
    "0021_views.py": "532345267136b54e4a86300b375723c0d3ca36b98d4ef917b0c9d12b3446cd34",
    "0022_files.py": "60c99af34dfa61ad81944e578574844a4c863a1a2fb198c8a18764d87decbcf0",
    "0023_imports.py": "eb77f17470b7af3d4ab11f9c64fe3e09af37e98eae803d09b864c095da91f162",
    "0024_mail.py": "be66523e108549be6bbf4eaf5c0d4f53cf98987df5f12568e6ce184ca3f62140",
    "0025_submission_blocks.py": "6a8b330214bbe840236ac46789015bc4f5a75d4162f2ad71d83834c82bf06793",
    "0026_discarded_submissions.py": "48201bf1e13f5c31c2364110ba2f47ad6c4f9b67b1a5ce7177726dd1b21c3a86",
    "0027_import_faults_and_undo.py": "f3723abab9ac8d61ca23311e528cd3a9a21b4b98c64e412a536678b3c30e8fb0",
    "0028_duplicates.py": "a97f3f63d475d987b0cd0563da87b48106b89e1b1ea700d030b9955e51ac5660",
    "0029_exports.py": "f20095d41a4d27e33e22ca42a1ceace97341a5ffe6f971955470fd2cf9195f35",
    "0030_own_accounts.py": "56e7d65c1e2cfe1ac226d05744918ae934a179c4f7460a327db9e476b5fa9a0e",
    "0031_inbox.py": "7379838938e5585d574940ca727334bf7bba08fc59d2ac5ed631ce255a112b25",
    "0035_bridges_seen.py": "43b80564fb7c8f13964c900a5399fce971f0de91287e6a9c96dd8736d474c675",
    "0032_requests.py": "7a4cddd7b629034cd05d0c0e2b05c81826af8e63713f634fe7deedc5a170f1da",
    "0034_workflow_authors.py": "ec1493ad65885c379f190e34be3241c5d4db5b048be459cd2675cbcb3adbdd87",
    "0036_note_sources.py": "da36f15e9615fa4e685db8d22790ce99c5d19bcef6e792d68a0c65592e185c6b",
    "0037_view_boards.py": "f70ed3c1a8bc4084e2bffc7c45c22a9f7dbd794a1509462efc966b84a6a5a262",
    "0038_months_of_keys_alone.py": "798b8ea56d26d2ff2e73f5b1f71190eb197314774019f63cc8ad7030361729ae",
    "0039_long_unique_values.py": "014e7145970351bbdd71a319fc8e8c0ff90909ce4e88713782ea486ff80672cf",
    "0040_connected_apps.py": "6d864ab345065d93ca51042e6cd8ceb3c43e96035f9ff7319cbfdec896153b8e",
}
"""The SHA-256 of each migration as it landed."""

CHANGED_BY_MIGRATIONS = {
    # 0011: what a push had reached is its bridge's for good.
    ("replies", "state"),
}
"""Columns whose values a migration changes, which has a test of its own."""


@pytest.mark.parametrize("path", sorted(migrate.VERSIONS.glob("[0-9]*.py")), ids=lambda path: path.stem)
def test_a_landed_migration_is_never_changed(path: Path) -> None:
    """Data that were made by it would be other than what the program expects."""
    found = _digest(path)

    assert path.name in LANDED, (
        f"{path.name} is new: add its digest {found} to LANDED here, and keep a database of it with"
        " `python -m tests.storage.keeping`"
    )
    assert found == LANDED[path.name], (
        f"{path.name} was changed after it had landed. Put it back as it was, and write what should be"
        " different as a new migration: `python -m svc.storage.migrations <what it does>`"
    )


def _digest(path: Path) -> str:
    """Of all that a migration says but where its imports come from: the program's modules may move."""
    lines = path.read_bytes().splitlines(keepends=True)
    return sha256(b"".join(line for line in lines if not line.startswith(b"from svc."))).hexdigest()


def test_a_landed_migration_stays() -> None:
    """Data stand at its revision."""
    assert set(LANDED) == {path.name for path in migrate.VERSIONS.glob("[0-9]*.py")}


def test_every_version_is_kept() -> None:
    """There is a database of each revision to bring forward."""
    assert set(migrate.known_revisions()) == {path.name[:4] for path in KEPT.glob("*.sql")}


@pytest.fixture
def conn() -> Iterator[Connection]:
    with make_engine(None).connect() as conn:
        yield conn


@pytest.fixture(params=sorted(KEPT.glob("*.sql")), ids=lambda path: path.stem)
def path(request: pytest.FixtureRequest) -> Path:
    """Of a kept database, as it was."""
    found: Path = request.param
    return found


@pytest.fixture
def forward(path: Path, conn: Connection) -> Connection:
    """The kept database, brought forward."""
    raw(conn).deserialize(_brought_forward(path))
    return conn


@cache
def _brought_forward(path: Path) -> bytes:
    """Once for all tests: that is most of what they do."""
    with make_engine(None).connect() as conn:
        migrate_to_head(load(conn, path))
        return raw(conn).serialize()


@cache
def _of_the_tables() -> Any:
    """The schema of the program's own tables."""
    with make_engine(None).connect() as fresh, schema_change(fresh):
        metadata.create_all(fresh)
        return schema(fresh)


def load(conn: Connection, path: Path) -> Connection:
    """Put what was kept at *path* into an empty database."""
    raw(conn).executescript(f"PRAGMA foreign_keys = OFF; {path.read_text()}; PRAGMA foreign_keys = ON")
    assert migrate.revision_of(conn) == path.name[:4]
    conn.commit()
    return conn


def test_every_row_is_brought_forward(path: Path, forward: Connection) -> None:
    """What stood in it still does; what was added refers to nothing that is not there."""
    with make_engine(None).connect() as kept:
        before = rows(load(kept, path))

    after = rows(forward)
    assert min(map(len, before.values())) > 0, "a table of a kept database has no rows"
    for table, stood in before.items():
        stands = list(after[table])
        for row in stood:
            still = {name: value for name, value in row.items() if (table, name) not in CHANGED_BY_MIGRATIONS}
            [found] = [one for one in stands if still.items() <= one.items()]
            stands.remove(found)
    assert [] == [one for one in check(forward) if one.broken]


def test_every_version_comes_to_the_same_schema(forward: Connection) -> None:
    """That of the program's own tables: columns, keys, foreign keys and indexes, whatever it began as."""
    assert _of_the_tables() == schema(forward)
    opts = {"compare_type": True, "include_name": migrate.is_ours}
    assert [] == compare_metadata(MigrationContext.configure(forward, opts=opts), metadata)


@pytest.mark.parametrize(("name", "until"), [("0001_first_form", "0004"), ("0003_without_0002", "0005")])
def test_what_was_brought_forward_without_a_repair_is_repaired_too(
    conn: Connection, name: str, until: str
) -> None:
    """A program of those days took such data further, to where it went no further."""
    load(conn, KEPT / f"{name}.sql")
    with schema_change(conn):
        command.upgrade(migrate.alembic_config(conn), until)

    migrate_to_head(conn)

    assert [] == [one for one in check(conn) if one.broken]
    assert _of_the_tables() == schema(conn)


@pytest.mark.parametrize("revision", ["0008", "0009"])
def test_what_a_push_had_reached_is_not_pushed_again(conn: Connection, revision: str) -> None:
    """0011: a reply that was offered again after a 2xx is taken for good; a lease of a pull goes on."""
    load(conn, KEPT / f"{revision}.sql")
    migrate_to_head(conn)

    found = conn.exec_driver_sql("SELECT state, lease_expires_at IS NULL FROM replies ORDER BY id").all()
    assert [("taken", 0), ("taken", 1)] == [tuple(row) for row in found]


def tables(conn: Connection) -> list[str]:
    """The tables, but for those that SQLite and Alembic keep."""
    names = conn.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    theirs = (full_text.TABLE, "sqlite_", "alembic_version")
    return [name for name in names.scalars() if not name.startswith(theirs)]


def rows(conn: Connection) -> dict[str, list[dict[str, Any]]]:
    """Every row of every table."""
    found = {
        name: conn.exec_driver_sql(f"SELECT * FROM {name}").mappings().all()  # noqa: S608
        for name in tables(conn)
    }
    conn.commit()
    return {name: [dict(row) for row in stood] for name, stood in found.items()}


def schema(conn: Connection) -> dict[str, Any]:
    """Of each table, as SQLite reports it: its columns, foreign keys, unique constraints and indexes."""
    plain: sqlite3.Connection = raw(conn)

    def told(pragma: str, name: str, columns: slice) -> set[Any]:
        return {row[columns] for row in plain.execute(f"PRAGMA {pragma}({name})")}

    def indexes(name: str) -> set[Any]:
        sql = "SELECT sql FROM sqlite_master WHERE type = 'index' AND tbl_name = ? AND sql NOT NULL"
        return {" ".join(row[0].split()) for row in plain.execute(sql, (name,))}

    def unique(name: str) -> set[Any]:
        made = [row[1] for row in plain.execute(f"PRAGMA index_list({name})") if row[3] != "c"]
        return {tuple(row[2] for row in plain.execute(f"PRAGMA index_info({one})")) for one in made}

    return {
        name: {
            "columns": told("table_info", name, slice(1, 6)),
            "foreign keys": told("foreign_key_list", name, slice(2, 8)),
            "unique": unique(name),
            "indexes": indexes(name),
        }
        for name in tables(conn)
    }
