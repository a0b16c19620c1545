"""Backups: one file with the data and its key, which brings both back, whole or not at all."""

import io
import stat
import tarfile
from pathlib import Path

import pytest

from svc.cli.data_directory import DataDirectory
from tests.cli.conftest import Svc


@pytest.fixture
def backup(svc: Svc, shop: Path, tmp_path: Path) -> Path:
    """A backup of `data`, which has one organization."""
    file = tmp_path / "backup.tar"
    result = svc("backup", str(file))
    assert result.exit_code == 0, result.output
    return file


def archive(path: Path, **members: bytes) -> Path:
    with tarfile.open(path, "w") as tar:
        for name, content in members.items():
            info = tarfile.TarInfo(name.replace("_", "."))
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return path


def test_a_backup_is_its_owners_and_whole(backup: Path) -> None:
    """It contains the database and the key, other users cannot read it, and no draft is left beside it."""
    with tarfile.open(backup) as tar:
        names = tar.getnames()

    assert ["svc.db", "secret.key", "SHA256SUMS"] == names
    assert 0o600 == stat.S_IMODE(backup.stat().st_mode)
    assert ["backup.tar", "data"] == sorted(path.name for path in backup.parent.iterdir())


def test_a_backup_brings_data_and_key_back(svc: Svc, backup: Path, data: Path, tmp_path: Path) -> None:
    """In an empty directory everything is as it was, senders' names included."""
    restored = svc("restore", str(backup), "--data", str(tmp_path / "other"))

    other = DataDirectory(tmp_path / "other")
    assert 0 == restored.exit_code
    assert svc("org", "list").stdout == svc("org", "list", "--data", str(other.path)).stdout
    assert DataDirectory(data).open_key().derive("sender") == other.open_key().derive("sender")
    assert {"svc.db", "svc.db.lock", "secret.key"} == {path.name for path in other.path.iterdir()}


def test_a_backup_is_never_written_over_a_file(svc: Svc, backup: Path) -> None:
    """Yesterday's backup stays as it is."""
    before = backup.read_bytes()

    result = svc("backup", str(backup))

    assert (1, before) == (result.exit_code, backup.read_bytes())
    assert "is there already" in result.stderr


def test_data_is_not_restored_over(svc: Svc, backup: Path, data: Path) -> None:
    """Without --force a directory with data in it stays as it is."""
    before = (data / "svc.db").read_bytes()

    result = svc("restore", str(backup))

    assert (1, before) == (result.exit_code, (data / "svc.db").read_bytes())
    assert f"{data} is not empty: --force moves what is there aside" in result.stderr


def test_with_force_what_was_there_is_kept_aside(svc: Svc, backup: Path, data: Path) -> None:
    """Each restoration keeps what it replaces in a directory of its own, key and all."""
    svc("org", "create", "Made after the backup")
    key = (data / "secret.key").read_bytes()

    restored = [svc("restore", str(backup), "--force").exit_code for _ in range(2)]

    assert [0, 0] == restored
    assert "Made after the backup" not in svc("org", "list").stdout
    aside = data / "before-restore-1"
    assert "Made after the backup" in svc("org", "list", "--data", str(aside)).stdout
    assert key == (aside / "secret.key").read_bytes()
    assert (data / "before-restore-2" / "svc.db").exists()


@pytest.mark.parametrize(
    "members",
    [
        {},
        {"svc_db": b"x"},
        {"secret_key": b"k" * 32},
        {"svc_db": b"no database at all" * 1_000, "secret_key": b"k" * 32},
        {"svc_db": b"", "secret_key": b"k" * 32},
        {"svc_db": b"", "secret_key": b"k" * 31},
    ],
)
def test_what_is_no_backup_replaces_nothing(
    svc: Svc, backup: Path, data: Path, tmp_path: Path, members: dict[str, bytes]
) -> None:
    """It is looked at before anything is moved."""
    before = (data / "svc.db").read_bytes()

    result = svc("restore", str(archive(tmp_path / "bad.tar", **members)), "--force")

    assert 1 == result.exit_code
    assert "Traceback" not in result.output
    assert before == (data / "svc.db").read_bytes()
    assert not (data / "before-restore-1").exists()


def test_half_a_backup_replaces_nothing(svc: Svc, backup: Path, data: Path) -> None:
    """A file that was cut short is reported as such."""
    cut = backup.with_name("cut.tar")
    cut.write_bytes(backup.read_bytes()[:100_000])

    result = svc("restore", str(cut), "--force")

    assert (1, f"Error: {cut} is no backup of this program, or not all of one\n") == (
        result.exit_code,
        result.stderr,
    )
    assert not (data / "before-restore-1").exists()
