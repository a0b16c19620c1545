"""Backups by schedule under kill -9: what was there is whole, and the next start makes up for the one."""

import signal
from pathlib import Path

import pytest

from svc.cli.data_directory import DataDirectory
from svc.storage.backups.kept import Shelf
from svc.storage.files.directory import put
from svc.storage.identity import organizations
from svc.storage.private_files import create_private
from svc.storage.store import Tx
from tests.backups import INSTALLATION
from tests.cli.conftest import Svc, filled
from tests.cli.running import Service
from tests.files import a_file

FILES = 8
FILE_BYTES = 4_000_000
OLD = f"svc-{INSTALLATION}-20260101T030000Z.tar"


def add_files(tx: Tx, root: Path) -> None:
    """Files whose backup takes a while."""
    [organization] = organizations.list_all(tx.conn)
    for number in range(FILES):
        content = bytes([number]) * FILE_BYTES
        put(root, organization.id, content)
        a_file(tx, organization.id, content, f"{number}.bin")


def wait_until(there: Path, service: Service) -> None:
    """Return as soon as *there* exists."""
    while not there.exists():
        assert service.process.poll() is None, service.errors()


def test_a_kill_in_the_middle_leaves_whole_backups(
    shop: Path, svc: Svc, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The part is cleared, one backup is made, and it brings everything back, files included."""
    directory = tmp_path / "backups"
    directory.mkdir(mode=0o700)
    shelf = Shelf(directory, INSTALLATION)
    create_private(shop / "installation", INSTALLATION.encode())
    (directory / OLD).write_bytes(b"yesterday's")
    monkeypatch.setenv("SVC_BACKUP__DIRECTORY", str(directory))
    monkeypatch.setenv("SVC_BACKUP__KEEP", "2")
    filled(shop, add_files, DataDirectory(shop).files)
    killed = Service(shop)
    try:
        killed.ready()
        wait_until(shelf.part / "archive", killed)
        assert killed.end(signal.SIGKILL) == -signal.SIGKILL
    finally:
        killed.close()
    assert sorted(path.name for path in directory.iterdir()) == [shelf.part.name, OLD]

    service = Service(shop)
    try:
        service.ready()
        while "a backup was made" not in service.errors():
            assert service.process.poll() is None, service.errors()
        assert service.end() == 0
        [made] = [one["file"] for one in service.records() if one["event"] == "a backup was made"]
    finally:
        service.close()

    assert sorted(path.name for path in directory.iterdir()) == [OLD, made]
    assert (directory / OLD).read_bytes() == b"yesterday's"
    restored = svc("restore", str(directory / made), "--data", str(tmp_path / "other"))
    assert restored.exit_code == 0, restored.output
    assert svc("check", "--data", str(tmp_path / "other")).exit_code == 0
