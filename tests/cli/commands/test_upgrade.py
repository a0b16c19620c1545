"""`svc upgrade`: what the next start does to data of an earlier version, and what the start then says."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from svc.cli.data_directory import DataDirectory
from svc.storage.migrations import migrate
from svc.storage.sqlite.engine import sole_use
from svc.version import VERSION
from tests.cli.conftest import Svc
from tests.cli.running import ANEW, END_SECONDS, Service
from tests.storage.keeping import KEPT

BEFORE = "0021"
NEWEST = migrate.known_revisions()[-1]
MISSING = [one for one in migrate.known_revisions() if one > BEFORE]


@pytest.fixture
def old(data: Path) -> DataDirectory:
    """A data directory of an earlier version."""
    directory = DataDirectory(data)
    directory.make()
    directory.open_key()
    with closing(sqlite3.connect(directory.database)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.executescript((KEPT / f"{BEFORE}.sql").read_text())
    return directory


def contents(directory: DataDirectory) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.path.iterdir()}


def revision_of(directory: DataDirectory) -> str:
    with closing(sqlite3.connect(directory.database)) as database:
        [(revision,)] = database.execute("SELECT version_num FROM alembic_version").fetchall()
    return str(revision)


def test_a_check_says_what_the_next_start_does_and_changes_nothing(svc: Svc, old: DataDirectory) -> None:
    """Each migration with the rows that it passes over, and that it succeeds on a copy; nothing is left."""
    before = contents(old)

    said = svc("upgrade", "--check")

    assert 0 == said.exit_code, said.output
    assert f"The data is at schema revision {BEFORE}, and svc {VERSION} has {NEWEST}." in said.stdout
    assert f"will run {len(MISSING)} migrations:" in said.stdout
    assert all(f"\n  {revision}  " in said.stdout for revision in MISSING)
    assert "passes over 2 rows of submissions\n" in said.stdout
    assert "Tried on a copy of the data: it succeeds, and takes " in said.stdout
    assert before == contents(old)


def test_a_check_works_while_the_earlier_version_runs(svc: Svc, old: DataDirectory, tmp_path: Path) -> None:
    """It holds the lock, and has written what is not in the file yet. The figures are for programs too."""
    with sole_use(old.database), closing(sqlite3.connect(old.database)) as service:
        service.execute("DELETE FROM audit")
        service.commit()
        said = svc("upgrade", "--check", "--json", "--copy-to", str(tmp_path / "elsewhere"))

    assert 0 == said.exit_code, said.output
    report = json.loads(said.stdout)
    assert (BEFORE, NEWEST) == (report["revision"], report["target"])
    assert MISSING == [one["revision"] for one in report["migrations"]]
    assert {0} == {one["rows"] for one in report["migrations"] if one["tables"] == ["audit"]}
    assert report["seconds"] > 0
    assert report["roomBytes"] > 0
    assert BEFORE == revision_of(old)
    assert [] == list((tmp_path / "elsewhere").iterdir())


def test_what_would_fail_at_the_start_fails_in_the_check(svc: Svc, old: DataDirectory) -> None:
    """For the same reason, and the data is not touched."""
    with closing(sqlite3.connect(old.database)) as database:
        database.execute("CREATE TABLE files (mine)")
    before = contents(old)

    checked, done = svc("upgrade", "--check"), svc("upgrade")

    for said in (checked, done):
        assert 1 == said.exit_code
        assert (
            f"could not be migrated from schema revision {BEFORE} to {NEWEST}, and is as it was"
            in said.stderr
        )
        assert "table files already exists" in said.stderr
    assert before["svc.db"] == contents(old)["svc.db"]
    assert not old.upgrade_check.exists()


def test_an_upgrade_does_it_without_a_start(svc: Svc, old: DataDirectory) -> None:
    """Once no service runs; after that there is nothing to do."""
    with sole_use(old.database):
        refused = svc("upgrade")
    done = [svc("upgrade") for _ in range(2)]
    checked = svc("upgrade", "--check")

    assert (1, True) == (refused.exit_code, "is in use by process" in refused.stderr)
    expected = f"The data is at schema revision {NEWEST}, that of svc {VERSION}.\n"
    assert [(0, expected)] * 2 == [(one.exit_code, one.stdout) for one in done]
    assert (0, True) == (checked.exit_code, "the next start migrates nothing" in checked.stdout)
    assert (0, None) == (
        (as_json := svc("upgrade", "--check", "--json")).exit_code,
        json.loads(as_json.stdout)["seconds"],
    )


def test_where_there_is_nothing_to_upgrade_it_says_so(svc: Svc, data: Path) -> None:
    """Nothing is made."""
    for args in ([], ["--check"]):
        said = svc("upgrade", *args)
        assert (1, True) == (said.exit_code, "there is no data in" in said.stderr)
    assert not data.exists()
    assert 2 == svc("upgrade", "--json").exit_code


def test_a_start_logs_what_it_migrates_and_an_older_program_refuses(old: DataDirectory) -> None:
    """What is to be done with an estimate, each step with what is left, and the end; then one line."""
    service = Service(old.path, program=ANEW)
    try:
        service.ready()
        assert 0 == service.end()
        records = service.records()
    finally:
        service.close()
    [begin, *steps, end] = records[: len(MISSING) + 2]
    assert (
        "the data is being migrated, and the service starts after that",
        BEFORE,
        NEWEST,
        len(MISSING),
    ) == (
        begin["event"],
        begin["before"],
        begin["after"],
        begin["migrations"],
    )
    assert begin["estimate_seconds"] >= 0
    assert [(one, len(MISSING)) for one in MISSING] == [(step["revision"], step["of"]) for step in steps]
    assert {"remaining_seconds", "seconds", "title"} <= steps[0].keys()
    assert ("the data is migrated", NEWEST) == (end["event"], end["revision"])

    with closing(sqlite3.connect(old.database)) as database, database:
        database.execute("UPDATE alembic_version SET version_num = '9999'")
    service = Service(old.path, program=ANEW)
    try:
        assert 1 == service.process.wait(END_SECONDS)
        assert (
            "Error: the data is at schema revision 9999, and this program knows revisions up to"
            f" {NEWEST}: start the program that wrote it, or restore a backup made before"
        ) == service.errors().splitlines()[-1]
    finally:
        service.close()
