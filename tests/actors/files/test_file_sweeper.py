"""The FileSweeper: what nothing uses is removed after a week, and what a crash left is found."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, delete
from trio.testing import MockClock

from svc.actors.reconciler import ROUND_SECONDS
from svc.domain.files.files import StoredFile
from svc.domain.files.limits import FILE_UNUSED_LIFE_MS
from svc.domain.locale.times import SECOND_MS
from svc.storage.files import files, uses
from svc.storage.files import integrity as files_integrity
from svc.storage.files import tables as files_tables
from svc.storage.files.directory import DirectoryFiles, all_kept
from svc.storage.files.memory import MemoryFiles
from svc.storage.files.uses import FileUse
from tests.files import PNG, a_file
from tests.storage.files.test_directory import at_once, keep
from tests.town import Town, town

WEEK_SECONDS = FILE_UNUSED_LIFE_MS / SECOND_MS


@asynccontextmanager
async def file_town() -> AsyncIterator[tuple[Town, MemoryFiles]]:
    """A town whose systems share their contents. A week passes at once while none is running."""
    async with town() as here:
        here.files = contents = MemoryFiles()
        yield here, contents


async def sweep(here: Town) -> None:
    """Start a system, which sweeps at its start, and end it as a crash would."""
    async with here.live_system():
        await trio.sleep(1)


async def stored(here: Town, contents: MemoryFiles, content: bytes = PNG) -> StoredFile:
    """A file with its content, as an upload leaves it."""
    made = await here.store.write(a_file, here.organization.id, content)
    contents.contents[made.organization_id, made.digest] = content
    return made


def use_of(file: StoredFile, subject: str = "rec_1") -> FileUse:
    return FileUse(file.id, subject, "prp_1", file.organization_id, "record")


async def begin_use(here: Town, file: StoredFile, subject: str = "rec_1") -> None:
    await here.store.write(lambda tx: uses.add(tx.conn, [use_of(file, subject)]))


async def end_use(here: Town, subject: str = "rec_1") -> None:
    await here.store.write(lambda tx: uses.end(tx.conn, [subject]))


async def is_there(here: Town, file: StoredFile) -> bool:
    return await here.store.read(files.find, here.organization.id, file.id) is not None


async def test_an_unused_file_is_removed_after_a_week(autojump_clock):
    """Its row, its content, and what it counted."""
    async with file_town() as (here, contents):
        file = await stored(here, contents)
        await trio.sleep(WEEK_SECONDS - 10)
        await sweep(here)
        assert await is_there(here, file)

        await trio.sleep(10)
        await sweep(here)

        assert not await is_there(here, file)
        assert {} == contents.contents
        assert 0 == await here.count(files_tables.files)
        assert (0, 0) == await here.store.read(files.totals, here.organization.id)


async def test_a_used_file_stays(autojump_clock):
    """Until a week after its last use ended: an edit can be taken back meanwhile."""
    async with file_town() as (here, contents):
        file = await stored(here, contents)
        await begin_use(here, file)
        await begin_use(here, file, "rec_2")
        await trio.sleep(3 * WEEK_SECONDS)
        await end_use(here)
        await sweep(here)
        await trio.sleep(3 * WEEK_SECONDS)
        await sweep(here)
        assert await is_there(here, file)

        await end_use(here, "rec_2")
        await sweep(here)
        await trio.sleep(WEEK_SECONDS - 10)
        await sweep(here)
        assert await is_there(here, file)
        await trio.sleep(10)
        await sweep(here)

        assert not await is_there(here, file)
        assert {} == contents.contents


async def test_a_removed_file_is_gone_at_once(autojump_clock):
    """What uses it keeps the row, which leads nowhere; the row goes with the last use."""
    async with file_town() as (here, contents), here.live_system():
        file = await stored(here, contents)
        await begin_use(here, file)
        await here.store.write(files.remove, here.organization.id, file.id)
        await trio.sleep(1)

        assert not await is_there(here, file)
        assert {} == contents.contents
        assert 1 == await here.count(files_tables.files)

        await end_use(here)
        await trio.sleep(2 * ROUND_SECONDS)
        assert 0 == await here.count(files_tables.files)


async def test_a_content_stays_for_another_file_that_has_it(autojump_clock):
    """The same bytes were uploaded twice, and one of both is removed."""
    async with file_town() as (here, contents), here.live_system():
        first, second = await stored(here, contents), await stored(here, contents)
        assert 1 == len(contents.contents)

        await here.store.write(files.remove, here.organization.id, first.id)
        await trio.sleep(1)

        assert await is_there(here, second)
        assert [PNG] == list(contents.contents.values())
        assert 1 == await here.count(files_tables.files)


async def test_contents_without_a_row_are_swept_at_a_start(autojump_clock):
    """A process was killed between the content and its row; what has a row stays."""
    async with file_town() as (here, contents):
        kept = await stored(here, contents)
        contents.contents[here.organization.id, "a" * 64] = b"left over"

        await sweep(here)

        assert [(here.organization.id, kept.digest)] == list(contents.contents)


async def test_a_content_that_is_being_stored_is_not_swept(autojump_clock):
    """The sweep waits for its name until the row is committed, and looks for the row again then."""
    async with file_town() as (here, contents):
        [digest] = [(await here.store.write(a_file, here.organization.id)).digest]
        await here.store.write(lambda tx: tx.conn.execute(delete(files_tables.files)))
        contents.contents[here.organization.id, digest] = PNG
        async with AsyncExitStack() as running:
            async with contents.of(here.organization.id, digest):
                await running.enter_async_context(here.live_system())
                await trio.sleep(1)
                await here.store.write(a_file, here.organization.id)
            await trio.sleep(1)

        assert PNG == contents.contents[here.organization.id, digest]


async def test_a_backup_delays_the_deletion(autojump_clock, tmp_path: Path):
    """The row is removed at once, and the content once the backup has ended."""
    async with town() as here:
        here.files = contents = DirectoryFiles(tmp_path / "files", at_once)
        made = await here.store.write(a_file, here.organization.id)
        await keep(contents, PNG, here.organization.id)
        async with here.live_system():
            with all_kept(tmp_path / "files"):
                await here.store.write(files.remove, here.organization.id, made.id)
                await trio.sleep(1)
                assert [made.digest] == await contents.digests(here.organization.id)

            await trio.sleep(2 * ROUND_SECONDS)

        assert [] == await contents.digests(here.organization.id)
        assert 0 == await here.count(files_tables.files)


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("upload"), st.integers(0, 2)),
        st.tuples(st.sampled_from(["use", "use elsewhere", "end", "remove"]), st.integers(0, 3)),
        st.tuples(st.sampled_from(["half a week", "left over", "sweep"]), st.just(0)),
    ),
    max_size=14,
)


@pytest.mark.fuzz
@given(STEPS)
@settings(max_examples=25, deadline=None)
def test_whatever_happens_rows_and_contents_agree(steps: list[tuple[str, int]]) -> None:
    """Every file that is there has its content, what is used stays, and in the end nothing is left over."""
    trio.run(_live, steps, clock=MockClock(autojump_threshold=0))


def _broken(conn: Connection) -> list[str]:
    return [name for name, broken in files_integrity.INVARIANTS.items() if list(broken(conn))]


async def _live(steps: list[tuple[str, int]]) -> None:
    made: list[StoredFile] = []
    used: dict[str, str] = {}
    removed: set[str] = set()
    weeks = [("sweep", 0), ("half a week", 0), ("half a week", 0)] * 2
    async with file_town() as (here, contents):
        for step, choice in [*steps, *weeks, ("sweep", 0)]:
            file = made[choice % len(made)] if made else None
            subject = "rec_2" if step == "use elsewhere" else "rec_1"
            if step == "upload":
                made.append(await stored(here, contents, PNG + bytes(choice)))
            elif step == "half a week":
                await trio.sleep(WEEK_SECONDS / 2)
            elif step == "left over":
                contents.contents[here.organization.id, "c" * 64] = b"left over"
            elif step == "sweep":
                await sweep(here)
            elif step == "end":
                await end_use(here)
                used.pop("rec_1", None)
            elif file is None or not await is_there(here, file):
                pass
            elif step == "remove":
                await here.store.write(files.remove, here.organization.id, file.id)
                removed.add(file.id)
            else:
                await end_use(here, subject)
                await begin_use(here, file, subject)
                used[subject] = file.id
            assert [] == await here.store.read(_broken)
            there = [one for one in made if await is_there(here, one)]
            assert {one.digest for one in there} <= {digest for _, digest in contents.contents}
        assert set(used.values()) - removed == {one.id for one in there}
        assert {one.digest for one in there} == {digest for _, digest in contents.contents}
