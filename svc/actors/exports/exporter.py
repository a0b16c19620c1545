"""The Exporter: makes the files of one organization's exports, one after the other.

An export is read over one snapshot, by a connection of its own, and written beside the database. What was
under way when a process ended is begun again; its rows say which.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import partial
from typing import Final

import trio
from sqlalchemy import Connection

from svc.actors.batch_worker import BatchDone, BatchWorker, BatchWorkerState
from svc.actors.request_pace import SHARED_REST
from svc.domain.errors import InvalidInput, NotFound
from svc.domain.exports.exports import ExportSource
from svc.domain.exports.limits import EXPORT_BYTES_MAX, EXPORT_ROWS_MAX, EXPORT_SECONDS_MAX
from svc.domain.exports.lines import Piece
from svc.domain.locale.times import SECOND_MS
from svc.storage import key_names
from svc.storage.exports import audit_lines, jobs, record_lines, request_lines
from svc.storage.exports.jobs import ExportEnded
from svc.storage.exports.rows import Export
from svc.storage.files.contents import Incoming
from svc.storage.forms import submission_lines

PIECES: Final[Mapping[ExportSource, Callable[[Connection, Export], Iterator[Piece]]]] = {
    "records": record_lines.pieces,
    "submissions": submission_lines.pieces,
    "audit": audit_lines.pieces,
    "requests": partial(request_lines.pieces, names_of=key_names.names_of),
}
NOTED_SECONDS: Final = 1.0
"""How often an export that is being made notes how far it is, and looks whether it may go on."""
PLACE_WAIT_MS: Final = 2 * SECOND_MS
"""When to look again for a place among those that are made at once."""
_PLACE: Final = "all"


class Exporter(BatchWorker[BatchWorkerState]):
    """Makes the exports of one organization."""

    async def load(self) -> BatchWorkerState:
        """Go on with what an earlier activation began."""
        self.check.after(0)
        return BatchWorkerState()

    def next_batch(self) -> Callable[[], Awaitable[BatchDone]]:
        return self._next

    async def _next(self) -> BatchDone:
        """Make the next export, or delete files that are over."""
        at_once = self.system.exports.at_once
        if not at_once.try_acquire(_PLACE):
            return BatchDone(more=True, rest_ms=PLACE_WAIT_MS)
        try:
            export = await self.units.write_behind(jobs.begin, self.key)
            if export is not None:
                await self._make(export)
        finally:
            at_once.release(_PLACE)
        if export is None:
            await self._sweep()
        return BatchDone(more=export is not None)

    async def _make(self, export: Export) -> None:
        try:
            async with self.system.exports.contents.receive() as incoming:
                making = _Making(self, export, incoming)
                if await making.write():
                    await making.finish()
        except (ExportEnded, InvalidInput, NotFound) as error:
            await self.units.write_behind(jobs.fail, self.key, export.id, str(error))

    async def _sweep(self) -> None:
        """Delete the files that no export has any more."""
        contents = self.system.exports.contents
        known = await contents.digests(self.key)
        if not known:
            return
        for digest in await self.units.write_behind(jobs.left_over, self.key, known):
            async with contents.of(self.key, digest):
                if await self.units.write_behind(jobs.left_over, self.key, [digest]):
                    await contents.delete(self.key, digest)


class _Making:
    """One export that is being made."""

    def __init__(self, exporter: Exporter, export: Export, incoming: Incoming) -> None:
        self._system = exporter.system
        self._units = exporter.units
        self._export = export
        self._incoming = incoming
        self._rows = self._size = 0

    async def write(self) -> bool:
        """Write all pieces; false if the export was cancelled, or the system is to end.

        Raises:
            ExportEnded: it may not go on, or is too large.
            InvalidInput, NotFound: what is exported has changed since the start.
        """
        began = noted = trio.current_time()
        pieces_of = PIECES[self._export.source]
        async with self._system.store.snapshot(lambda conn: pieces_of(conn, self._export)) as pieces:
            at = began
            async for piece in pieces:
                await self._incoming.write(piece.data)
                self._add(piece)
                now = trio.current_time()
                if now - began > EXPORT_SECONDS_MAX:
                    raise ExportEnded(
                        f"it took longer than {EXPORT_SECONDS_MAX // 60} minutes: narrow it by filters"
                    )
                if self._system.quiesced:
                    return False
                if now - noted > NOTED_SECONDS:
                    if not await self._note():
                        return False
                    noted = now
                if self._system.request_pace.is_shared():
                    await trio.sleep(SHARED_REST * (now - at))
                at = trio.current_time()
        return True

    def _add(self, piece: Piece) -> None:
        self._rows += piece.rows
        self._size += len(piece.data)
        if self._rows > EXPORT_ROWS_MAX:
            raise ExportEnded(f"it has more than {EXPORT_ROWS_MAX:,} rows: narrow it by filters")
        if self._size > EXPORT_BYTES_MAX:
            raise ExportEnded(f"it has more than {EXPORT_BYTES_MAX:,} bytes: narrow it by filters")

    async def _note(self) -> bool:
        return await self._units.write_behind(jobs.proceed, self._export, rows=self._rows, size=self._size)

    async def finish(self) -> None:
        """Give the file its name, and end the export.

        The name is held until the row has it: else the file could be taken for one that is over.
        """
        facts = await self._incoming.finish()
        organization_id = self._export.organization_id
        with trio.CancelScope(shield=True):
            async with self._system.exports.contents.of(organization_id, facts.digest):
                await self._incoming.keep(organization_id)
                await self._units.write_behind(
                    jobs.finish, self._export, rows=self._rows, size=facts.size, digest=facts.digest
                )
