"""The BackupKeeper: when it makes backups, what it says of failures, and what a stop leaves."""

import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio
from structlog.testing import capture_logs

from svc.actors.backups.backup_keeper import BACKUP_KEEPER, BackupKeeper
from svc.actors.backups.backups import Backups
from svc.actors.system import System
from svc.domain.locale.times import DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS
from svc.storage.backups import archive, kept
from svc.storage.backups.failures import BackupStopped
from svc.storage.mail import tables
from tests.backups import INSTALLATION, Place
from tests.mailing import PostTown, post_town
from tests.town import SECRETS, START, Town, town

HOURS = HOUR_MS / SECOND_MS
DAYS = DAY_MS / SECOND_MS


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    made, make = Place(tmp_path), kept.make

    def noted(originals: Any, shelf: kept.Shelf, now: int, *args: Any) -> kept.BackupResult:
        made.begun.append(now - START)
        return make(originals, shelf, now, *args)

    monkeypatch.setattr(kept, "make", noted)
    return made


@asynccontextmanager
async def keeping(here: Town, backups: Backups) -> AsyncIterator[System]:
    """A system with the keeper at work. It ends as in a crash."""
    system = System(
        (BackupKeeper,), here.store, here.clock, SECRETS, backups=backups, mail_server=here.mail_server
    )
    async with system.live():
        await BackupKeeper(system, BACKUP_KEEPER).start()
        yield system


async def test_backups_are_made_by_schedule_and_the_oldest_removed(place, autojump_clock):
    """The first at once, and each day at the time that is set, in UTC."""
    async with town() as here, keeping(here, place.backups(keep=3)):
        await trio.sleep(4 * DAYS)

    assert place.begun == [0, *(3 * HOUR_MS + day * DAY_MS for day in range(4))]
    assert place.names() == [f"svc-{INSTALLATION}-202609{day}T030000Z.tar" for day in (19, 20, 21)]


async def test_what_was_missed_is_made_up_by_one_backup(place, autojump_clock):
    """After a stop, and after a suspension, in which no timer becomes due. In one period there is one."""
    async with town() as here:
        for _ in range(3):
            async with keeping(here, place.backups()):
                await trio.sleep(60)
        assert place.begun == [0]

        here.clock.jump(5 * DAY_MS)
        async with keeping(here, place.backups()):
            await trio.sleep(60)
            assert [0, 5 * DAY_MS] == [at // DAY_MS * DAY_MS for at in place.begun]
            here.clock.jump(9 * DAY_MS)
            await trio.sleep(600)

    assert len(place.begun) == len(place.names()) == 3


async def test_a_crash_in_the_middle_leaves_what_was_there_and_a_part_that_is_cleared(
    place, autojump_clock, monkeypatch
):
    """The next start makes up for it, once."""
    async with town() as here:
        async with keeping(here, place.backups()):
            await trio.sleep(1)
        whole = place.names()

        def crash(originals: Any, shelf: kept.Shelf, *_: Any) -> None:
            shelf.part.mkdir()
            (shelf.part / "archive").write_bytes(b"half")
            raise KeyboardInterrupt

        here.clock.jump(DAY_MS)
        with monkeypatch.context() as patched:
            patched.setattr(kept, "make", crash)
            with pytest.raises(BaseException):  # noqa: B017  # as the process would end
                async with keeping(here, place.backups()):
                    await trio.sleep(1)
        assert place.names() == [f".svc-backup-scheduled-{INSTALLATION}", *whole]
        async with keeping(here, place.backups()):
            await trio.sleep(1)

    assert len(place.names()) == 2
    assert place.names()[0] == whole[0]


async def test_a_directory_that_is_gone_is_said_once_and_tried_with_growing_waits(place, autojump_clock):
    """It is not created in place of a disk that is not mounted; once it is back, so are backups."""
    async with post_town() as here:
        with capture_logs() as logs:
            backups = place.backups(every_hours=6)
            async with keeping(here, backups) as system:
                await trio.sleep(1)
                place.directory.rename(place.folder / "away")
                await trio.sleep(2.5 * HOURS)
                before = place.begun.copy()
                await trio.sleep(5 * HOURS)
                assert not place.directory.exists()
                [seen] = system.actors("BackupKeeper")
                state = await BackupKeeper(system, BACKUP_KEEPER).snapshot()
                (place.folder / "away").rename(place.directory)
                await trio.sleep(1.4 * HOURS)
                after = backups.status
        mailed = await told(here)

    assert before == [0]
    assert seen.crashes == 0
    assert state["status"]["failures"] == 10
    assert "cannot be used: No such file or directory" in state["status"]["last_failure"]
    assert (after.failures, after.last_failure, after.kept) == (0, None, len(place.names()))
    assert [line["event"] for line in logs] == [
        "a backup was made",
        "no good backup was made",
        "a backup was made",
    ]
    assert [line["log_level"] for line in logs] == ["info", "error", "info"]
    assert mailed == ["backup.failed"]


async def told(here: PostTown) -> list[str]:
    """The kinds of mails that were queued."""
    return [mail.kind for mail in await here.rows(tables.mails)]


async def test_a_failure_that_lasts_is_told_each_day(place, autojump_clock, monkeypatch):
    """Figures, as of the room that is left, make no other cause. Another cause is said at once."""
    room = iter(range(63 * archive.MIB, 0, -100_000))

    def little(_path: Any) -> Any:
        return type("Usage", (), {"free": next(room)})

    async with post_town() as here:
        with capture_logs() as logs, monkeypatch.context() as patched:
            patched.setattr(shutil, "disk_usage", little)
            async with keeping(here, place.backups()):
                await trio.sleep(2.5 * DAYS)
                place.directory.rename(place.folder / "away")
                await trio.sleep(2 * HOURS)
        mailed = await told(here)

    waits = [(later - at) // MINUTE_MS for at, later in zip(place.begun, place.begun[1:], strict=False)]
    assert waits[:8] == [1, 2, 4, 8, 16, 32, 60, 60]
    said = [line["why"] for line in logs if line["event"] == "no good backup was made"]
    assert ["too full" in why for why in said] == [True, True, True, False]
    assert len(mailed) == 3


async def test_that_nothing_could_be_mailed_is_no_failure_of_backups(place, autojump_clock):
    """The store may have no room either: it is told once there is some."""
    async with post_town() as here:
        place.directory.write_bytes(b"in place of a directory")
        with capture_logs() as logs:
            async with keeping(here, place.backups()) as system:
                async with here.full_disk(tables.mails):
                    await trio.sleep(30)
                    assert await told(here) == []
                await trio.sleep(60)
                assert system.statistics().kinds[0].crashes == 0
        assert await told(here) == ["backup.failed"]

    assert "that no backup was made cannot be mailed yet" in [line["event"] for line in logs]


async def test_a_backup_without_a_file_is_told_and_made_once_a_period(place, autojump_clock):
    """It counts as no good one, and the good one stays."""
    async with post_town() as here:
        backups = place.backups(keep=1)
        async with keeping(here, backups):
            await trio.sleep(1)
            good = backups.status.last_good
            for path in (place.originals.files).rglob("*"):
                if path.is_file() and path.name != "lock":
                    path.unlink()
            await trio.sleep(2 * DAYS)
        mailed = await told(here)

    assert place.begun == [0, 3 * HOUR_MS, 27 * HOUR_MS]
    assert place.names() == [
        f"svc-{INSTALLATION}-20260918T000000Z.tar",
        f"svc-{INSTALLATION}-20260919T030000Z.incomplete.tar",
    ]
    assert backups.status.last_good == good
    assert backups.status.failures == 2
    assert "is written, but 1 files are missing or damaged" in (backups.status.last_failure or "")
    assert len(mailed) == 2


async def test_a_disk_that_does_not_answer_is_said(place, autojump_clock):
    """Once, when a backup has taken a period; no second one is begun beside it, and the service goes on."""

    async def hang(*_: Any, **__: Any) -> None:
        await trio.sleep_forever()

    async with post_town() as here:
        backups = Backups(place.backups().plan, hang)
        with capture_logs() as logs:
            async with keeping(here, backups) as system:
                await trio.sleep(3 * DAYS)
                assert [1] == [seen.tasks for seen in system.actors("BackupKeeper")]
        mailed = await told(here)

    assert mailed == ["backup.failed"]
    assert [line["why"] for line in logs] == [backups.status.last_failure]
    assert "does the disk of it answer?" in (backups.status.last_failure or "")


async def test_a_stop_breaks_a_backup_off(place, autojump_clock, monkeypatch):
    """Nothing waits for it, and it is no failure."""

    def slow(originals: Any, shelf: kept.Shelf, now: int, keep: int, stopped: Callable[[], bool]) -> None:
        assert not stopped()
        system.quiesce()
        assert stopped()
        raise BackupStopped

    async with town() as here:
        monkeypatch.setattr(kept, "make", slow)
        with capture_logs() as logs:
            backups = place.backups()
            async with keeping(here, backups) as system:
                await trio.sleep(1)
                late = await system.drain(1)

    assert late == []
    assert backups.status.failures == 0
    assert [line["event"] for line in logs] == [
        "a backup was broken off, since the service ends; the next start makes it"
    ]
