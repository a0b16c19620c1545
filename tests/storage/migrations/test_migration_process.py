"""Migrating in a process of its own: the same outcomes as in this one, whatever ends either."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Final

import pytest

from svc.storage.migrations import migrate
from svc.storage.sqlite import migration_process
from svc.storage.sqlite.engine import make_engine
from svc.storage.sqlite.migration_process import migrate_apart
from svc.storage.sqlite.store import migrate_to_head
from svc.storage.store import SchemaTooNew, StoreFailed
from tests.storage.keeping import KEPT

pytestmark = pytest.mark.sqlite

END_SECONDS: Final = 30
BEFORE: Final = "0005"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "svc.db"


@pytest.fixture
def older(path: Path) -> Path:
    """A database of an early version at `path`: a new file would need no migration."""
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.executescript((KEPT / f"{BEFORE}.sql").read_text())
    return path


@pytest.fixture
def spawned(monkeypatch: pytest.MonkeyPatch) -> "SimpleQueue[subprocess.Popen[str]]":
    """The processes that are started, each as soon as it is."""
    spawned = SimpleQueue[subprocess.Popen[str]]()

    class Popen(subprocess.Popen[str]):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            spawned.put(self)

    monkeypatch.setattr(subprocess, "Popen", Popen)
    return spawned


@contextmanager
def written_to(path: Path) -> Iterator[None]:
    """Meanwhile a migration of *path* waits, since another connection is in a transaction."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = WAL")
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


def run_apart(path: Path) -> None:
    with make_engine(path).connect() as conn:
        migrate_apart(conn)


def revision_of(path: Path) -> str | None:
    with make_engine(path).connect() as conn:
        return migrate.revision_of(conn)


def names(path: Path) -> list[str]:
    """The tables and indexes of the file; constraints of a rebuilt table have no order."""
    with closing(sqlite3.connect(path)) as database:
        return [name for (name,) in database.execute("SELECT name FROM sqlite_schema ORDER BY name")]


def test_it_makes_what_migrating_in_this_process_makes(older: Path, tmp_path: Path) -> None:
    """The same tables and indexes, at the same revision."""
    shutil.copy(older, tmp_path / "here.db")
    run_apart(older)
    with make_engine(tmp_path / "here.db").connect() as conn:
        migrate_to_head(conn)

    assert names(tmp_path / "here.db") == names(older)
    assert migrate.known_revisions()[-1] == revision_of(older)


def test_what_is_current_needs_no_process(path: Path, spawned: "SimpleQueue[subprocess.Popen[str]]") -> None:
    """As does what is of a newer program, which is rejected."""
    with make_engine(path).connect() as conn:
        migrate_to_head(conn)
    run_apart(path)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE alembic_version SET version_num = '9999'")

    with pytest.raises(SchemaTooNew, match="9999"):
        run_apart(path)

    assert spawned.empty()


def test_a_failure_reads_as_in_this_process(path: Path) -> None:
    """One sentence, and what was in the file is as it was."""
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE organizations (mine)")
    before = names(path)
    with make_engine(path).connect() as conn, pytest.raises(StoreFailed) as here:
        migrate_to_head(conn)

    with pytest.raises(StoreFailed) as apart:
        run_apart(path)

    assert "table organizations already exists" in str(here.value)
    assert str(here.value) == str(apart.value)
    assert before == names(path)


def test_signals_to_stop_are_the_services_alone(
    older: Path, spawned: "SimpleQueue[subprocess.Popen[str]]"
) -> None:
    """A terminal and systemd send them to every process; the migration still ends as a whole."""
    with ThreadPoolExecutor(1) as thread:
        with written_to(older):
            ends = thread.submit(run_apart, older)
            child = spawned.get(timeout=END_SECONDS)
            for number in (signal.SIGINT, signal.SIGTERM):
                child.send_signal(number)
        ends.result(END_SECONDS)

    assert 0 == child.returncode
    assert migrate.known_revisions()[-1] == revision_of(older)


def test_a_migration_that_is_killed_is_a_failure(
    older: Path, spawned: "SimpleQueue[subprocess.Popen[str]]"
) -> None:
    """The file is as it was."""
    with ThreadPoolExecutor(1) as thread, written_to(older):
        ends = thread.submit(run_apart, older)
        spawned.get(timeout=END_SECONDS).kill()
        with pytest.raises(StoreFailed, match="the process that migrates the data ended with -9"):
            ends.result(END_SECONDS)

    assert BEFORE == revision_of(older)


def test_a_migration_ends_with_its_service(older: Path) -> None:
    """After a kill of the service, so that the next start finds the file free, and as it was."""
    ours, its = os.pipe()
    with written_to(older):
        child = subprocess.Popen([sys.executable, "-m", migration_process.__name__, older], stdin=ours)
        os.close(ours)
        os.close(its)  # as the kernel does for a process that is killed
        assert 1 == child.wait(END_SECONDS)

    assert BEFORE == revision_of(older)
