"""Files that commands write: readable by their owner alone from the beginning, whatever the umask."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from svc.domain.records.properties import Property
from svc.storage import provisioning
from svc.storage.identity.organizations import NewOrganization
from svc.storage.private_files import open_private, replacing_private
from svc.storage.records import properties
from svc.storage.sqlite import offline
from svc.storage.store import Tx
from tests.cli.conftest import Svc, filled


@pytest.fixture(autouse=True)
def _no_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def mode_of(path: Path) -> int:
    return path.stat().st_mode & 0o777


def _shop(tx: Tx) -> None:
    organization = provisioning.create(tx, NewOrganization(name="Shop"))
    properties.create(tx, organization.id, "contact", Property(slug="size", label="Size", type="number"))


def test_what_commands_write_is_for_its_owner_alone(data: Path, tmp_path: Path, svc: Svc) -> None:
    """Exports, what an import left, a whole organization and a backup; a file that was there is replaced."""
    filled(data, _shop)
    source, export, refused = (tmp_path / name for name in ("in.csv", "out.csv", "refused.csv"))
    whole, backup = tmp_path / "whole", tmp_path / "backup.tar"
    source.write_text("name,size\nAda,large\nBob,2\n")
    export.write_text("before")
    for arguments in (
        ("import", "contact", str(source), "--refused", str(refused)),
        ("export", "contact", str(export)),
        ("export", "--all", str(whole)),
        ("backup", str(backup)),
    ):
        svc(*arguments)

    files = [export, refused, backup, *(path for path in whole.rglob("*") if path.is_file())]
    assert {0o600} == {mode_of(path) for path in files}
    assert {0o700} == {mode_of(path) for path in (whole, whole / "records")}
    assert "Bob" in export.read_text()
    assert [] == [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_a_copy_of_the_database_is_private_while_it_is_made(data: Path, tmp_path: Path) -> None:
    """Of a backup, whose directory is private too."""
    filled(data, _shop)
    copied = tmp_path / "copy.db"
    seen: list[int] = []
    offline.copy(data / "svc.db", copied, lambda: seen.append(mode_of(copied)))

    assert {0o600} == {*seen, mode_of(copied)}


def test_a_file_that_is_there_is_not_written_through(tmp_path: Path) -> None:
    """Neither a link that waits under the draft's name, nor what it leads to, gets what is written."""
    target, elsewhere = tmp_path / "out.csv", tmp_path / "elsewhere"
    elsewhere.write_text("theirs")
    (tmp_path / ".out.csv.new").symlink_to(elsewhere)
    with replacing_private(target) as file:
        file.write(b"ours")

    assert ("ours", "theirs") == (target.read_text(), elsewhere.read_text())
    assert 0o600 == mode_of(target)
    with pytest.raises(FileExistsError):
        open_private(target)


def test_what_fails_leaves_what_was_there(tmp_path: Path) -> None:
    """And no draft."""
    target = tmp_path / "out.csv"
    target.write_text("before")

    def fail() -> None:
        with replacing_private(target) as file:
            file.write(b"after")
            raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        fail()

    assert "before" == target.read_text()
    assert [target] == [*tmp_path.iterdir()]
