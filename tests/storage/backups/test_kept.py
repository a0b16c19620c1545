"""Backups in a directory: whole or not there, the oldest removed, and no room taken that others need."""

import errno
import os
import shutil
import sqlite3
import stat
import tarfile
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from svc.domain.locale.times import DAY_MS, ms_of
from svc.storage.backups import archive, contents
from svc.storage.backups.digests import SUMS
from svc.storage.backups.failures import BackupFailed, BackupStopped
from svc.storage.backups.kept import Shelf, backups_in, make, make_directory, newest
from svc.storage.backups.originals import Originals
from svc.storage.sqlite import offline
from tests.backups import INSTALLATION, an_installation

pytestmark = pytest.mark.sqlite

NOW = ms_of("2026-11-22T03:00:00.000Z")
PARAGRAPH = b"a paragraph\n" * 10_000


@pytest.fixture
def originals(tmp_path: Path) -> Originals:
    return an_installation(tmp_path / "data", PARAGRAPH, b"a note")


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    shelf = Shelf(tmp_path / "backups", INSTALLATION)
    make_directory(shelf.directory)
    return shelf


def names(shelf: Shelf) -> list[str]:
    return sorted(path.name for path in shelf.directory.iterdir())


def old(shelf: Shelf, *days: int) -> list[str]:
    """Backups that were made so many days ago."""
    made = []
    for day in days:
        moment = f"2026-11-{22 - day:02}T030000Z".replace("-", "")
        (shelf.directory / f"svc-{INSTALLATION}-{moment}.tar").write_bytes(b"an old one")
        made.append(f"svc-{INSTALLATION}-{moment}.tar")
    return sorted(made)


def test_a_backup_is_its_owners_and_whole(originals: Originals, shelf: Shelf) -> None:
    """With the database, the key and the files; no part is left, and nobody else can read it."""
    made = make(originals, shelf, NOW, 7)

    path = shelf.directory / f"svc-{INSTALLATION}-20261122T030000Z.tar"
    with tarfile.open(path) as tar:
        found = tar.getnames()
    assert found[:2] == ["svc.db", "secret.key"]
    assert len(found) == 6
    assert found[-2:] == [contents.END, SUMS]
    assert (0o700, 0o600) == tuple(stat.S_IMODE(one.stat().st_mode) for one in (shelf.directory, path))
    assert names(shelf) == [path.name]
    assert (made.missing, made.removed, made.backup.size) == ((), 0, path.stat().st_size)
    assert backups_in(shelf) == [made.backup]


def test_the_oldest_go_once_the_new_one_is_there(originals: Originals, shelf: Shelf) -> None:
    """What this program has not made is never touched, nor is anything where the backup fails."""
    before = old(shelf, 1, 2, 3)
    foreign = [
        "svc-20261101.tar",
        "svc-20261101T030000Z.tar",
        f"svc-{INSTALLATION}-20269901T000000Z.tar",
        "before-upgrade.tar",
    ]
    for name in foreign:
        (shelf.directory / name).write_bytes(b"not ours")
    key = originals.secret_key.read_bytes()
    originals.secret_key.unlink()
    with pytest.raises(BackupFailed, match=r"secret\.key: No such file or directory"):
        make(originals, shelf, NOW, 2)
    assert names(shelf) == sorted([*before, *foreign])
    originals.secret_key.write_bytes(key)

    made = make(originals, shelf, NOW, 2)

    assert made.removed == 2
    assert names(shelf) == sorted([before[-1], made.backup.name, *foreign])


def test_a_name_from_a_clock_that_was_ahead_keeps_no_place(originals: Originals, shelf: Shelf) -> None:
    """It counts as no recent backup, and goes first; the new one stays however it sorts."""
    [before] = old(shelf, 1)
    (shelf.directory / f"svc-{INSTALLATION}-20400101T000000Z.tar").write_bytes(b"of a wrong clock")

    found = newest(backups_in(shelf), NOW)
    made = make(originals, shelf, NOW, 2)

    assert found is not None
    assert found.name == before
    assert names(shelf) == [before, made.backup.name]


def test_a_part_that_a_crash_has_left_is_cleared(originals: Originals, shelf: Shelf) -> None:
    part = shelf.part
    part.mkdir()
    (part / "svc.db").write_bytes(b"half")

    made = make(originals, shelf, NOW, 7)

    assert names(shelf) == [made.backup.name]


def _damage(path: Path) -> None:
    path.write_bytes(b"x" * path.stat().st_size)


@pytest.mark.parametrize("lose", [Path.unlink, _damage])
def test_a_backup_without_a_file_replaces_none_that_has_it(
    lose: Any, originals: Originals, shelf: Shelf, tmp_path: Path
) -> None:
    """Lost or damaged, it is named, and the rest comes back. Only incomplete backups make room for one."""
    before = old(shelf, 1, 2)
    whole = make(originals, shelf, NOW - DAY_MS // 2, 3)
    with tarfile.open(shelf.directory / whole.backup.name) as tar:
        lost, kept = [name.removeprefix("files/") for name in tar.getnames() if name.startswith("files/")]
    lose(originals.files / lost)

    first = make(originals, shelf, NOW, 1)
    second = make(originals, shelf, NOW + DAY_MS, 1)

    assert first.missing == second.missing == (f"files/{lost}",)
    assert (first.removed, second.removed) == (0, 1)
    assert names(shelf) == sorted([*before, whole.backup.name, second.backup.name])
    assert second.backup.name == f"svc-{INSTALLATION}-20261123T030000Z.incomplete.tar"
    assert newest(backups_in(shelf), NOW + DAY_MS, complete=True) == whole.backup
    with tarfile.open(shelf.directory / second.backup.name) as tar:
        assert contents.read(tar, originals.database, tmp_path / "restored") == [f"files/{lost}"]
    assert (tmp_path / "restored" / kept).read_bytes() == (originals.files / kept).read_bytes()


def test_a_disk_without_room_is_not_filled(
    originals: Originals, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The service may write to the same one: it is looked at before anything is written."""
    before = old(shelf, 1)
    monkeypatch.setattr(archive, "copy", lambda *_: pytest.fail("it is copied"))
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=64 * archive.MIB))

    with pytest.raises(BackupFailed, match=r"too full: 64 MiB are left, and a backup needs 6\d MiB"):
        make(originals, shelf, NOW, 1)

    assert names(shelf) == before


def test_a_disk_that_fills_up_meanwhile_leaves_no_part(
    originals: Originals, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = old(shelf, 1)

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(contents, "write", full)
    with pytest.raises(BackupFailed, match="No space left on device"):
        make(originals, shelf, NOW, 1)

    assert names(shelf) == before


def test_damaged_data_is_no_backup(originals: Originals, shelf: Shelf) -> None:
    """The copy is checked before it counts."""
    before = old(shelf, 1)
    with closing(sqlite3.connect(originals.database)) as database:
        database.execute("PRAGMA journal_mode = DELETE")
        database.execute("PRAGMA writable_schema = ON")
        database.execute("UPDATE sqlite_schema SET rootpage = 2 WHERE name = 'files'")
        database.commit()

    with pytest.raises(BackupFailed):
        make(originals, shelf, NOW, 1)

    assert names(shelf) == before


@pytest.mark.parametrize("looks", [0, 1, 3, 5])
def test_a_backup_is_stopped_between_two_steps(looks: int, originals: Originals, shelf: Shelf) -> None:
    """Wherever it is: of the database, or of the archive."""
    asked = iter(range(looks))

    with pytest.raises(BackupStopped):
        make(originals, shelf, NOW, 1, lambda: next(asked, None) is None)

    assert names(shelf) == []


def test_writes_beside_a_copy_do_not_begin_it_anew(originals: Originals, tmp_path: Path) -> None:
    """It is of the moment at which it began, however much is written between its steps."""
    writes = 0
    with closing(sqlite3.connect(originals.database, isolation_level=None)) as database:
        database.execute("CREATE TABLE padding (body BLOB)")
        for _ in range(3):
            database.execute("INSERT INTO padding VALUES (zeroblob(?))", (4 * archive.MIB,))

        def write() -> None:
            nonlocal writes
            writes += 1
            database.execute("INSERT INTO padding VALUES ('later')")

        offline.copy(originals.database, tmp_path / "copy", write)
    with closing(sqlite3.connect(tmp_path / "copy")) as copied:
        rows = copied.execute("SELECT count(*) FROM padding").fetchone()

    assert 3 <= writes <= 6
    assert rows == (3,)


def test_the_directory_is_created_and_what_is_above_it_is_not(tmp_path: Path) -> None:
    """A disk that is not mounted gets no directory in its place."""
    with pytest.raises(FileNotFoundError):
        make_directory(tmp_path / "not-mounted" / "backups")
    make_directory(tmp_path / "backups")
    make_directory(tmp_path / "backups")

    assert stat.S_IMODE((tmp_path / "backups").stat().st_mode) == 0o700


def test_installations_in_one_directory_leave_each_other_alone(originals: Originals, shelf: Shelf) -> None:
    """Neither removes backups of the other, nor what the other is writing, nor counts them as its own."""
    other = Shelf(shelf.directory, "zyxwvuts")
    theirs = [make(originals, other, NOW - day * DAY_MS, 7).backup.name for day in (3, 2)]
    other.part.mkdir()

    made = make(originals, shelf, NOW, 1)

    assert made.removed == 0
    assert backups_in(shelf) == [made.backup]
    assert names(shelf) == sorted([*theirs, other.part.name, made.backup.name])
