"""Contents in a directory: named by their hash, on the disk before they are used, deleted when not needed."""

import hashlib
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from svc.storage.files.contents import ContentMissing, ContentsFailed
from svc.storage.files.directory import DirectoryFiles, all_kept, put
from tests.files import PNG

ONE, OTHER = "org_" + "0" * 26, "org_" + "1" * 26


async def at_once(fn: Callable[[], Any], *, limiter: trio.CapacityLimiter) -> Any:
    """As a thread would, without one."""
    async with limiter:
        return fn()


@pytest.fixture
def contents(tmp_path: Path) -> DirectoryFiles:
    return DirectoryFiles(tmp_path / "files", at_once)


async def keep(contents: DirectoryFiles, content: bytes, organization_id: str = ONE) -> str:
    async with contents.receive() as incoming:
        await incoming.write(content)
        facts = await incoming.finish()
        async with contents.of(organization_id, facts.digest):
            await incoming.keep(organization_id)
    return facts.digest


def files_in(root: Path) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())


async def test_a_content_is_kept_under_its_hash(contents: DirectoryFiles, tmp_path: Path) -> None:
    """Only its owner can read it, and `sha256sum` prints its name."""
    digest = await keep(contents, PNG)

    path = tmp_path / "files" / ONE / digest[:2] / digest[2:]
    assert hashlib.sha256(PNG).hexdigest() == digest
    assert (PNG, 0o600) == (path.read_bytes(), stat.S_IMODE(path.stat().st_mode))
    assert 0o700 == stat.S_IMODE(path.parent.stat().st_mode)
    async with contents.open(ONE, digest) as opened:
        assert [PNG[2:5], b""] == [await opened.read(2, 3), await opened.read(len(PNG), 5)]


async def test_the_same_bytes_are_one_file_in_an_organization_alone(
    contents: DirectoryFiles, tmp_path: Path
) -> None:
    """Another organization has a file of its own, so neither can tell what the other has."""
    first, again, elsewhere = (
        await keep(contents, PNG),
        await keep(contents, PNG),
        await keep(contents, PNG, OTHER),
    )

    assert first == again == elsewhere
    assert 2 == len(files_in(tmp_path / "files"))
    async with contents.of(OTHER, first):
        assert await contents.delete(OTHER, first)
    assert ([ONE, OTHER], [first], []) == (
        await contents.organizations(),
        await contents.digests(ONE),
        await contents.digests(OTHER),
    )


async def test_what_is_not_kept_is_gone(contents: DirectoryFiles, tmp_path: Path) -> None:
    """A sender that leaves, or a unit that refuses, leaves nothing."""
    async with contents.receive() as incoming:
        await incoming.write(PNG * 10_000)
        await incoming.finish()
        arrived = files_in(tmp_path / "files")

    assert 1 == len(arrived)

    assert [] == files_in(tmp_path / "files")


async def test_only_what_an_earlier_process_left_is_deleted(contents: DirectoryFiles, tmp_path: Path) -> None:
    """An upload that is under way goes on."""
    left = tmp_path / "files" / "incoming" / "1-1"
    left.parent.mkdir(parents=True)
    left.write_bytes(b"half of it")
    async with contents.receive() as incoming:
        await incoming.write(PNG * 10_000)

        assert 1 == await contents.delete_broken_off()

        assert len(PNG) * 10_000 == (await incoming.finish()).size
    assert not left.exists()


async def test_nothing_is_deleted_during_a_backup(contents: DirectoryFiles, tmp_path: Path) -> None:
    """What the copy of the database needs is still there when its turn comes."""
    digest = await keep(contents, PNG)
    with all_kept(tmp_path / "files"):
        assert not await contents.delete(ONE, digest)
        assert [digest] == await contents.digests(ONE)

    assert await contents.delete(ONE, digest)
    with pytest.raises(ContentMissing):
        async with contents.open(ONE, digest):
            pass


async def test_a_full_disk_refuses_and_leaves_nothing(
    contents: DirectoryFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The operating system's error is for the log; a caller hears that it may try again."""

    def full(_handle: int, _data: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(ContentsFailed) as failed:
        await keep(contents, PNG * 10_000)

    assert "No space" not in failed.value.detail
    assert [] == files_in(tmp_path / "files")


async def test_a_name_is_held_by_one_at_a_time(contents: DirectoryFiles, autojump_clock: object) -> None:
    """So a content is not deleted while a row of it is being committed."""
    order = []

    async def hold(name: str) -> None:
        async with contents.of(ONE, "digest"):
            order.append(f"{name} begins")
            await trio.sleep(1)
            order.append(f"{name} ends")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(hold, "a")
        await trio.testing.wait_all_tasks_blocked()
        nursery.start_soon(hold, "b")

    assert ["a begins", "a ends", "b begins", "b ends"] == order


def test_a_command_keeps_a_content_at_once(tmp_path: Path) -> None:
    """As the service would have it."""
    facts = put(tmp_path, ONE, PNG)

    assert PNG == (tmp_path / ONE / facts.digest[:2] / facts.digest[2:]).read_bytes()
