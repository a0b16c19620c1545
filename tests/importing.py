"""Imports through the HTTP application, for tests: opened, uploaded in parts, started, and waited for."""

from typing import Any

import httpx
import trio

from svc.domain.imports.limits import IMPORT_PART_BYTES
from tests.tooling import ToolTown

CONTACTS = b"Name,E-Mail,Phone\r\nAda,ada@example.com,030 901820\r\nGrace,grace@example.com,\r\n"


async def send(here: ToolTown, import_: Any, number: int, data: bytes, **headers: str) -> httpx.Response:
    """Send a part of an upload with the Owner's key."""
    sent = {"authorization": f"Bearer {here.key}"} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    return await here.client.post(f"{import_['uploadPath']}{number}", content=data, headers=sent)


async def upload(here: ToolTown, data: bytes, object_type: str = "contact", **asked: Any) -> Any:
    """Open an import of *data* and send all of it; the import as it is then."""
    opened = await here.answer("import.start", {"objectType": object_type, "bytes": len(data)} | asked)
    for number, at in enumerate(range(0, len(data), IMPORT_PART_BYTES)):
        answer = await send(here, opened, number, data[at : at + IMPORT_PART_BYTES])
        assert answer.status_code == 200, answer.text
    return await here.answer("import.get", {"id": opened["id"]})


async def run(here: ToolTown, import_: Any, **asked: Any) -> Any:
    """Start an import, and wait until it has ended, or was checked."""
    started = await here.answer("import.start", {"id": import_["id"]} | asked)
    while started["state"] == "running":
        await trio.sleep(1)
        started = await here.answer("import.get", {"id": import_["id"]})
    return started


async def file_of(here: ToolTown, path: str) -> bytes:
    """What an import has left at *path*."""
    answer = await here.client.get(path, headers={"authorization": f"Bearer {here.key}"})
    assert answer.status_code == 200, answer.text
    return answer.content


async def records_of(here: ToolTown, object_type: str = "contact") -> list[dict[str, Any]]:
    """The values of all records of an object, the oldest first."""
    asked = {"objectType": object_type, "sort": [{"property": "createdAt"}], "limit": 200}
    listed = await here.answer("record.list", asked)
    return [record["properties"] for record in listed["records"]]
