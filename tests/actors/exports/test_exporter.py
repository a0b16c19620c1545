"""The Exporter: what a process has begun the next one makes anew, and not for ever."""

from collections.abc import Iterator
from typing import Any

import pytest
import trio
from structlog.testing import capture_logs

from svc.actors.exports import exporter
from svc.domain.exports.exports import ExportQuery
from svc.domain.exports.limits import EXPORT_ATTEMPTS_MAX, EXPORT_SECONDS_MAX
from svc.domain.identity.callers import operator_call
from svc.storage.exports import jobs, record_lines
from svc.storage.exports import rows as export_rows
from svc.storage.exports.jobs import NewExport
from svc.storage.exports.rows import Export
from svc.storage.files.contents import ContentsFailed
from svc.storage.files.memory import MemoryFiles
from svc.storage.records import records
from svc.storage.store import Tx
from tests.storage.ledger import API
from tests.town import Town, town


def started(tx: Tx, organization_id: str) -> Export:
    query = ExportQuery(fields=("name",))
    new = NewExport(source="records", object_type="contact", format="csv", query=query)
    return jobs.start(tx, operator_call(organization_id).caller, new)


def cancelled(tx: Tx, organization_id: str, export_id: str) -> None:
    jobs.cancel(tx, export_rows.find(tx.conn, organization_id, export_id))


async def an_export(here: Town) -> str:
    for name in ("Ada", "Bob"):
        await here.store.write(records.create, here.organization, "contact", {"name": name}, source=API)
    return (await here.store.write(started, here.organization.id)).id


async def found(here: Town, export_id: str) -> Export:
    return await here.store.read(export_rows.find, here.organization.id, export_id)


def pieces_of(monkeypatch: pytest.MonkeyPatch, fn: Any) -> None:
    monkeypatch.setitem(exporter.PIECES, "records", fn)


async def test_an_export_that_broke_off_is_made_anew(autojump_clock, monkeypatch):
    """The process ends in the middle of it; the file of the next has each row once."""

    def breaks_off(conn: Any, export: Export) -> Iterator[Any]:
        head, *others = record_lines.pieces(conn, export)
        yield from (head, *others, *others)
        over.set()
        raise RuntimeError("the process ends")

    async with town() as here:
        here.exports = files = MemoryFiles()
        export_id = await an_export(here)
        over = trio.Event()
        with monkeypatch.context() as patch:
            pieces_of(patch, breaks_off)
            async with here.live_system():
                await over.wait()
        begun = await found(here, export_id)
        async with here.live_system():
            await trio.sleep(1)
        ended = await found(here, export_id)

        assert ("running", 1) == (begun.state, begun.attempts)
        assert ("done", 2, 2) == (ended.state, ended.attempts, ended.rows)
        [content] = files.contents.values()
        assert [b"Bob", b"Ada"] == [line.split(b",")[1] for line in content.splitlines()[1:]]


async def test_an_export_that_never_ends_is_given_up(autojump_clock, monkeypatch):
    """After a few attempts, each later than the one before."""

    def breaks(conn: Any, export: Export) -> Iterator[Any]:
        yield from record_lines.pieces(conn, export)
        raise RuntimeError("always")

    pieces_of(monkeypatch, breaks)
    async with town() as here:
        export_id = await an_export(here)
        async with here.live_system():
            await trio.sleep(3_600)
        ended = await found(here, export_id)

        reason = f"it was begun {EXPORT_ATTEMPTS_MAX} times and did not come to its end"
        assert ("failed", reason) == (ended.state, ended.failure)


async def test_an_export_that_takes_too_long_fails(autojump_clock, monkeypatch):
    """It would hold back the database's log meanwhile."""

    async def slow(*_: Any) -> None:
        await trio.sleep(EXPORT_SECONDS_MAX / 2)

    async with town() as here:
        here.exports = files = MemoryFiles()
        export_id = await an_export(here)
        monkeypatch.setattr("svc.storage.files.memory._Incoming.write", slow)
        monkeypatch.setattr(record_lines, "EXPORT_PIECE_ROWS", 1)
        async with here.live_system():
            await trio.sleep(2 * EXPORT_SECONDS_MAX)
        ended = await found(here, export_id)

        assert ("failed", {}) == (ended.state, files.contents)
        assert "it took longer than 15 minutes: narrow it by filters" == ended.failure


async def test_a_cancelled_export_stops_on_the_way(autojump_clock, monkeypatch):
    """At the next look, and leaves no file."""

    async def slow(*_: Any) -> None:
        await trio.sleep(2)

    async with town() as here:
        here.exports = files = MemoryFiles()
        export_id = await an_export(here)
        monkeypatch.setattr("svc.storage.files.memory._Incoming.write", slow)
        monkeypatch.setattr(record_lines, "EXPORT_PIECE_ROWS", 1)
        async with here.live_system() as system:
            await trio.sleep(1)
            running = (await found(here, export_id)).state
            await here.store.write(cancelled, here.organization.id, export_id)
            await trio.sleep(3)
            assert 0 == len(system.exports.at_once)
        ended = await found(here, export_id)

        assert ("running", "cancelled", {}) == (running, ended.state, files.contents)


async def test_a_disk_that_fails_keeps_no_other_work_waiting(autojump_clock):
    """The Reconciler goes on with its round, and exports are made once the disk is well again."""

    class Failing(MemoryFiles):
        fails = True

        async def organizations(self) -> list[str]:
            if self.fails:
                raise ContentsFailed("the disk fails")
            return await super().organizations()

    async with town() as here:
        here.exports = files = Failing()
        export_id = await an_export(here)
        with capture_logs() as logs:
            async with here.live_system():
                await trio.sleep(130)
                ended = await found(here, export_id)
                files.fails = False
                await trio.sleep(70)

        said = [line["event"] for line in logs if line["log_level"] in {"warning", "error", "critical"}]
        assert {"the files of exports cannot be looked through"} == set(said)
        assert "done" == ended.state
