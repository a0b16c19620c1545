"""What imports and exports ask of an installation, wherever it is."""

from collections.abc import AsyncIterator
from typing import Any, Protocol


class Caller(Protocol):
    """Calls the tools of an installation, in one organization."""

    async def call(self, name: str, body: dict[str, Any]) -> dict[str, Any]:
        """The answer of a tool. Raises `Failure`, or what the tool refuses."""
        ...


class Installation(Caller, Protocol):
    """An installation that imports."""

    async def put_part(self, import_: dict[str, Any], number: int, data: bytes) -> None:
        """Send a part of an upload; it is on disk when this returns. Raises as `call`."""
        ...

    async def go_on(self, import_: dict[str, Any]) -> dict[str, Any]:
        """An import that is running, once there is more to tell of it."""
        ...

    def output(self, import_: dict[str, Any], kind: str) -> AsyncIterator[bytes]:
        """What an import has left: its `refused` lines or its `report`, in pieces. Raises as `call`."""
        ...


async def pages(installation: Caller, name: str, body: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
    """The pages of a tool that lists."""
    cursor = None
    while True:
        page = await installation.call(name, body if cursor is None else body | {"cursor": cursor})
        yield page
        cursor = page["nextCursor"]
        if cursor is None:
            return
