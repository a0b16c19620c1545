"""Files for tests: small contents of each type, and rows of files without an upload."""

import io
import zipfile
from typing import Any
from urllib.parse import quote

import httpx

from svc.actors.system import System
from svc.domain.files.contents import ContentReader
from svc.domain.files.files import StoredFile
from svc.storage.files import files
from svc.storage.files.files import NewFile
from svc.storage.files.memory import MemoryFiles
from svc.storage.store import Tx

PNG = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + bytes(60)
PDF = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj"


def contents_of(system: System) -> dict[tuple[str, str], bytes]:
    """The contents that a system keeps in memory, by organization and hash."""
    assert isinstance(system.files.contents, MemoryFiles)
    return system.files.contents.contents


def archive(*names: str) -> bytes:
    """A zip archive with files of these names."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive_:
        for name in names:
            archive_.writestr(name, "text")
    return made.getvalue()


def a_file(tx: Tx, /, organization_id: str, content: bytes = PNG, name: str = "lamp.png") -> StoredFile:
    """The row of a file of the person `usr_1`; its content is nowhere."""
    reader = ContentReader()
    reader.feed(content)
    new = NewFile(name=name, facts=reader.facts(), creator_kind="person", creator_id="usr_1")
    return files.add(tx, organization_id, new)


async def upload(
    client: httpx.AsyncClient, key: str, content: bytes = PNG, name: str = "lamp.png", **headers: str
) -> httpx.Response:
    """Upload with a key."""
    sent: dict[str, Any] = {
        "authorization": f"Bearer {key}",
        "content-disposition": f"attachment; filename*=UTF-8''{quote(name)}",
    }
    sent |= {header.replace("_", "-"): value for header, value in headers.items()}
    return await client.post("/api/v1/files", content=content, headers=sent)
