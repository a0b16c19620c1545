"""The files of imports: parts that are uploaded, and what an import leaves, in pieces."""

from collections.abc import AsyncGenerator
from typing import Final, NamedTuple

import msgspec

from svc.actors.system import System
from svc.domain.identity.callers import Call
from svc.domain.imports.exported import FileFormat
from svc.services.tools import calls as tool_calls
from svc.storage.imports import outputs, uploads
from svc.storage.imports.outputs import OutputKind
from svc.storage.imports.rows import Import
from svc.storage.store import Tx, Units
from svc.tools.catalogue import REGISTRY

TOOL: Final = "import.start"
"""What may start an import, may send its parts and read what it leaves."""
_PIECES: Final = 16
"""Pieces of an output that are read at once: as many batches."""


class PartReceipt(msgspec.Struct, frozen=True, rename="camel"):
    """What the sender of a part is told."""

    id: str
    state: str
    next_part: int | None
    """None once the upload is complete."""


async def put_part(
    system: System, call: Call, import_id: str, number: int, *, data: bytes, digest: bytes | None
) -> PartReceipt:
    """Store a part of an upload; it is on disk when this returns. *digest* is its SHA-256, if it was told.

    Raises as `uploads.put_part`, and `Forbidden` if the caller may not import.
    """
    organization_id = call.caller.organization_id
    tool = await tool_calls.find(system, REGISTRY, call, TOOL)

    def put(tx: Tx) -> PartReceipt:
        tool_calls.permitted_now(system, tx.conn, tx.now, tool, call)
        import_ = uploads.put_part(tx, organization_id, import_id, number, data=data, told=digest)
        is_last = import_.next_part == uploads.parts_of(import_.bytes)
        return PartReceipt(import_.id, import_.state, None if is_last else import_.next_part)

    async with system.calls.writes.of(organization_id):
        return await system.store.of(organization_id).write(put)


class Output(NamedTuple):
    """A file that an import leaves: its format, and its text in pieces."""

    format: FileFormat
    pieces: AsyncGenerator[str, None]


async def output(system: System, call: Call, import_id: str, kind: OutputKind) -> Output:
    """A file that an import leaves. Raises `NotFound`, and `Forbidden` as `put_part` does."""
    await tool_calls.find(system, REGISTRY, call, TOOL)
    units = system.store.of(call.caller.organization_id)
    import_, head = await units.read(outputs.begin, call.caller.organization_id, import_id, kind)
    return Output("csv" if kind == "report" else import_.format, _pieces(units, import_, head, kind))


async def _pieces(units: Units, import_: Import, head: str, kind: OutputKind) -> AsyncGenerator[str, None]:
    after = -1
    yield head
    while page := await units.read(outputs.page, import_, kind, after=after, limit=_PIECES):
        yield "".join(piece.text for piece in page)
        after = page[-1].at_byte
