"""A client of the MCP door that sends exactly what a test gives it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import httpx
import msgspec

from svc.http.app import public_app
from svc.http.mcp.door import FULL_PATH, PATH
from tests.http.serving import Listening, listening
from tests.tooling import ToolTown, tool_town

NEWEST: Final = "2026-07-28"
ENVELOPE: Final = {
    "io.modelcontextprotocol/protocolVersion": NEWEST,
    "io.modelcontextprotocol/clientCapabilities": {},
}


class McpTown(ToolTown):
    """A town that is asked by MCP."""

    async def post(
        self,
        body: bytes,
        *,
        full: bool = False,
        key: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> httpx.Response:
        """Send *body* as it is."""
        given = {"authorization": f"Bearer {key or self.key}", "content-type": "application/json"}
        path = FULL_PATH if full else PATH
        return await self.client.post(path, content=body, headers=given | (headers or {}))

    async def ask(
        self,
        method: str,
        params: Any = None,
        *,
        full: bool = False,
        key: str | None = None,
        version: str | None = None,
    ) -> httpx.Response:
        """Ask for a method, in *version* of the protocol."""
        headers = {} if version is None else {"mcp-protocol-version": version}
        if version == NEWEST:
            params = (params or {}) | {"_meta": ENVELOPE | (params or {}).get("_meta", {})}
            headers |= {"mcp-method": method, "mcp-name": params.get("name", "")}
        message = {"jsonrpc": "2.0", "id": 1, "method": method} | (
            {} if params is None else {"params": params}
        )
        return await self.post(msgspec.json.encode(message), full=full, key=key, headers=headers)

    async def result(self, method: str, params: Any = None, **how: Any) -> Any:
        """The result of a method."""
        answer = await self.ask(method, params, **how)
        assert answer.status_code == 200, answer.text
        return answer.json()["result"]

    async def use(self, name: str, arguments: Any = None, **how: Any) -> Any:
        """The result of calling a tool."""
        return await self.result("tools/call", {"name": name, "arguments": arguments or {}}, **how)


@asynccontextmanager
async def mcp_town() -> AsyncIterator[McpTown]:
    async with tool_town() as there:
        here = McpTown(there.store, there.clock, there.organization)
        here.system, here.client, here.owner, here.key = there.system, there.client, there.owner, there.key
        yield here


class Served(McpTown):
    """A town whose door is on a port."""

    url: str
    full_url: str


@asynccontextmanager
async def served() -> AsyncIterator[Served]:
    """The real server, for clients of others' making."""
    async with mcp_town() as there, listening(public_app(there.system)) as server:
        here = Served(there.store, there.clock, there.organization)
        here.system, here.client, here.owner, here.key = there.system, there.client, there.owner, there.key
        here.url = f"{base_of(server)}{PATH}"
        here.full_url = f"{base_of(server)}{FULL_PATH}"
        yield here


def base_of(server: Listening) -> str:
    return f"http://{server.bind.host}:{server.bind.port}"
