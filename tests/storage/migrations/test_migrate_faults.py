"""A migration that fails in the middle: the file is as it was, byte for byte, and the next one succeeds."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from svc.storage.migrations import migrate
from svc.storage.sqlite.engine import make_engine
from svc.storage.sqlite.migration_process import migrate_apart
from svc.storage.sqlite.schema_changes import schema_change
from svc.storage.store import StoreFailed
from tests.storage.keeping import KEPT

pytestmark = pytest.mark.sqlite

BEFORE: Final = "0005"
WAITING: Final = """
import sys
from pathlib import Path
from svc.storage.sqlite.engine import make_engine
from svc.storage.sqlite.store import migrate_to_head

def wait(event, **about):
    if about.get("done") == 3:
        print(about["revision"], flush=True)
        sys.stdin.read()

with make_engine(Path(sys.argv[1])).connect() as conn:
    migrate_to_head(conn, report=wait)
"""
"""Migrates a file, and waits for ever once three steps are done."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database of an early version, which its service has closed."""
    path = tmp_path / "svc.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.executescript((KEPT / f"{BEFORE}.sql").read_text())
    return path


def run(path: Path) -> None:
    with make_engine(path).connect() as conn:
        migrate_apart(conn)


def revision_of(path: Path) -> str | None:
    with make_engine(path).connect() as conn:
        return migrate.revision_of(conn)


@pytest.mark.parametrize("last", [one for one in migrate.known_revisions() if one > BEFORE][::12])
def test_a_fault_after_any_step_leaves_the_file_as_it_was(path: Path, last: str) -> None:
    """Whatever was done by then."""
    before = path.read_bytes()

    def fail(revision: str) -> None:
        if revision == last:
            raise RuntimeError("the fault")

    with (
        make_engine(path).connect() as conn,
        pytest.raises(StoreFailed, match=f"from schema revision {BEFORE} .* is as it was: the fault"),
        schema_change(conn),
    ):
        migrate.upgrade(conn, on_applied=fail)

    assert before == path.read_bytes()
    run(path)
    assert migrate.known_revisions()[-1] == revision_of(path)


def test_a_kill_in_the_middle_leaves_the_file_as_it_was(path: Path) -> None:
    """As by the kernel that is out of memory: nothing of the steps that were done remains."""
    before = path.read_bytes()
    with subprocess.Popen(
        [sys.executable, "-c", WAITING, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert "0008\n" == child.stdout.readline()
        child.kill()

    assert before == path.read_bytes()
    run(path)
    assert migrate.known_revisions()[-1] == revision_of(path)
