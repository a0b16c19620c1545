"""The files of exports, for those that may fetch them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import msgspec
from sqlalchemy import Connection

from svc.actors.system import System
from svc.domain.errors import Conflict, NotFound
from svc.domain.exports.exports import may_fetch
from svc.domain.identity.callers import Call
from svc.domain.imports.exported import FileFormat
from svc.services.tools import calls as tool_calls
from svc.storage.exports import rows as export_rows
from svc.storage.files.contents import OpenContent
from svc.tools.catalogue import REGISTRY

TOOL: Final = "export.get"
"""What may look at an export, may fetch its file."""


class ExportedFile(msgspec.Struct, frozen=True, kw_only=True):
    """The file of an export."""

    organization_id: str
    name: str
    format: FileFormat
    size: int
    digest: str


async def find(system: System, call: Call, export_id: str) -> ExportedFile:
    """The file of an export.

    Raises:
        NotFound: there is no such export, or the caller may not see it.
        Forbidden: the key is not for it.
        Conflict: there is no file, or not yet.
    """
    await tool_calls.find(system, REGISTRY, call, TOOL)

    def read(conn: Connection) -> ExportedFile:
        export = export_rows.find(conn, call.caller.organization_id, export_id)
        if not may_fetch(call.caller, export.starter):
            raise NotFound("there is no such export")
        if export.digest is None:
            raise Conflict(f"it has no file: it is {export.state}")
        return ExportedFile(
            organization_id=export.organization_id,
            name=f"{export.object_type or export.source}-{export.id}.{export.format}",
            format=export.format,
            size=export.bytes,
            digest=export.digest,
        )

    async with system.calls.reads.of(call.caller.organization_id):
        return await system.store.of(call.caller.organization_id).read(read)


@asynccontextmanager
async def opened(system: System, file: ExportedFile) -> AsyncIterator[OpenContent]:
    """The content of a file. Raises `NotFound`, and `Unavailable` where too many are fetched at once."""
    with system.stream_places.files.hold(file.organization_id):
        async with system.exports.contents.open(file.organization_id, file.digest) as content:
            yield content
