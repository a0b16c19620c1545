"""Backups of which a byte was changed: none is restored, and what is said is one line."""

import os
import subprocess
import tarfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest

from svc.storage.backups import digests
from svc.storage.backups.failures import BackupFailed
from tests.backups import an_installation
from tests.cli.conftest import Svc

STEP_BYTES: Final = 10_000
FLIPPED: Final = 0x41


@pytest.fixture
def backup(svc: Svc, data: Path, tmp_path: Path) -> Path:
    """A backup of data with files."""
    an_installation(data, b"a note", os.urandom(30_000))
    (data / "secret.key").chmod(0o600)
    file = tmp_path / "backup.tar"
    made = svc("backup", str(file))
    assert made.exit_code == 0, made.output
    return file


@pytest.fixture
def older(backup: Path) -> Path:
    """The same as an earlier version made it: without digests."""
    older = backup.with_name("older.tar")
    with tarfile.open(backup) as found, tarfile.open(older, "w") as tar:
        for member in found:
            if member.name != digests.SUMS:
                tar.addfile(member, found.extractfile(member))
    return older


def flipped(file: Path, place: int) -> Path:
    """A copy of *file* with another byte at *place*."""
    content = bytearray(file.read_bytes())
    content[place] ^= FLIPPED
    damaged = file.with_name("damaged.tar")
    damaged.write_bytes(content)
    return damaged


def headers_and_ends(file: Path) -> Iterator[int]:
    """Bytes of all headers, of what fills blocks up, of the digests, and of the end."""
    end = 0
    with tarfile.open(file) as tar:
        for member in tar:
            yield from range(end, member.offset_data, 19)
            end = member.offset_data + member.size
            if member.name == digests.SUMS:
                yield from range(member.offset_data, end, 5)
    yield from range(end, file.stat().st_size, 199)


def test_a_changed_byte_anywhere_is_noticed(backup: Path) -> None:
    """In the database, the key, the files, the headers, the digests, and what nobody reads."""
    size = backup.stat().st_size
    places = {*range(0, size, STEP_BYTES), *headers_and_ends(backup)}

    assert digests.check(backup)
    unnoticed = []
    damaged = backup.with_name("damaged.tar")
    damaged.write_bytes(backup.read_bytes())
    with damaged.open("r+b", buffering=0) as file:
        for place in sorted(places):
            file.seek(place)
            [before] = file.read(1)
            file.seek(place)
            file.write(bytes([before ^ FLIPPED]))
            with suppress(BackupFailed):
                digests.check(damaged)
                unnoticed.append(place)
            file.seek(place)
            file.write(bytes([before]))
    assert [] == unnoticed


@pytest.mark.parametrize("first", [0, 600, 5_000, 9_000])
@pytest.mark.parametrize("kind", ["backup", "older"])
def test_a_damaged_backup_is_refused_in_one_line(
    svc: Svc, kind: str, first: int, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """With a byte changed every 10,000, with digests and without; nothing of it is left behind."""
    file: Path = request.getfixturevalue(kind)
    content = bytearray(file.read_bytes())
    content[first::STEP_BYTES] = bytes(one ^ FLIPPED for one in content[first::STEP_BYTES])
    file.write_bytes(content)

    restored = svc("restore", str(file), "--data", str(tmp_path / "other"))

    assert (1, 1) == (restored.exit_code, restored.stderr.count("\n")), restored.stderr
    assert restored.stderr.startswith(f"Error: {file} ")
    assert {"svc.db.lock"} >= {path.name for path in (tmp_path / "other").glob("*")}


def test_a_backup_is_checked_by_itself(svc: Svc, backup: Path, older: Path) -> None:
    """`svc check --backup` says that it is whole, what is damaged in it, or that it cannot tell."""
    whole = svc("check", "--backup", str(backup))
    untold = svc("check", "--backup", str(older))
    damaged = svc("check", "--backup", str(flipped(backup, 100_000)))
    missing = svc("check", "--backup", str(backup.with_name("none.tar")))

    assert (0, f"{backup} is as it was written\n") == (whole.exit_code, whole.stderr)
    assert (1, True) == (
        untold.exit_code,
        "has no digests, since an earlier version made it" in untold.stderr,
    )
    assert 1 == damaged.exit_code
    assert damaged.stderr.endswith("damaged.tar is damaged: svc.db is not as it was written\n")
    assert (1, True) == (missing.exit_code, missing.stderr.endswith("none.tar: No such file or directory\n"))


def test_a_backup_of_an_earlier_version_is_restored_and_told(svc: Svc, older: Path, tmp_path: Path) -> None:
    """It has no digests, so what is checked is its database and its files."""
    restored = svc("restore", str(older), "--data", str(tmp_path / "other"))

    assert 0 == restored.exit_code
    assert "has no digests, since an earlier version made it" in restored.stderr


def test_the_digests_are_those_of_sha256sum(backup: Path, tmp_path: Path) -> None:
    """Other programs can check an unpacked backup by them."""
    with tarfile.open(backup) as tar:
        tar.extractall(tmp_path / "unpacked", filter="data")

    command = ["sha256sum", "--check", "--strict", "--quiet", digests.SUMS]
    assert 0 == subprocess.run(command, cwd=tmp_path / "unpacked", check=False).returncode


def test_a_backup_that_the_disk_damages_is_no_backup(
    svc: Svc, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is read again once it is written, before it gets its name."""
    synced: Callable[[int], None] = os.fsync

    def damage(handle: int) -> None:
        synced(handle)
        opened = Path(f"/proc/self/fd/{handle}")
        if opened.readlink().name == "archive":
            with opened.open("r+b") as file:
                file.seek(2_000)
                file.write(b"damaged")

    monkeypatch.setattr(os, "fsync", damage)

    result = svc("backup", str(tmp_path / "backup.tar"))

    assert 1 == result.exit_code
    assert "is damaged: svc.db is not as it was written" in result.stderr
    assert not (tmp_path / "backup.tar").exists()
