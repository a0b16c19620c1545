"""Peer: FastMCP's stateless server, with JSON answers, under uvicorn with uvloop and httptools.

`python -m bench.peers.fastmcp_stateless DATABASE PORT`

The same eighty tools with the same schemas. The one that is called does the same job over the same database:
the key is looked up by its SHA-256, and the record by its object and id. Both are read where the event loop
runs, which is quicker than a thread. Schemas are listed as they are, as ours are: by default FastMCP resolves
their references anew in every list, which takes it 100 ms.
"""

import hashlib
import json
import sqlite3
import sys
from datetime import UTC, datetime
from typing import Any

import uvicorn
from fastmcp import FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.server.auth import AccessToken, TokenVerifier
from fastmcp.tools import Tool
from pydantic import BaseModel

from bench._tools import eighty

PATH = "/api/v1/mcp/full"
CALLED = "record_get"

_KEY = "SELECT organization_id FROM api_keys WHERE digest = ? AND revoked_at IS NULL AND expires_at > ?"
_RECORD = """
    SELECT r.id, o.slug, r.properties, r.created_at, r.updated_at
    FROM records r JOIN objects o ON o.id = r.object_id
    WHERE r.organization_id = ? AND r.id = ? AND o.slug = ? AND r.deleted_at IS NULL
"""


class Record(BaseModel):
    """A record."""

    id: str
    objectType: str  # noqa: N815  # as it is on the wire
    properties: dict[str, Any]
    createdAt: str  # noqa: N815
    updatedAt: str  # noqa: N815


class Keys(TokenVerifier):
    """Lets in who has a live key."""

    def __init__(self, db: sqlite3.Connection) -> None:
        super().__init__()
        self._db = db

    async def verify_token(self, token: str) -> AccessToken | None:
        """Whose key it is."""
        digest = hashlib.sha256(token.encode()).hexdigest()
        row = self._db.execute(_KEY, (digest, int(datetime.now(UTC).timestamp() * 1_000))).fetchone()
        return None if row is None else AccessToken(token=token, client_id=row[0], scopes=[])


class Listed(Tool):
    """A tool that is there to be listed."""

    async def run(self, arguments: dict[str, Any]) -> Any:
        """It is never called."""
        raise NotImplementedError


def make_server(path: str) -> FastMCP[None]:
    """The server over the database at *path*."""
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True, check_same_thread=False)
    server: FastMCP[None] = FastMCP("peer", auth=Keys(db), dereference_schemas=False)
    registry = eighty()
    for name, tool in registry.items():
        if tool.wire_name == CALLED:
            continue
        schemas = registry.schemas[name]
        server.add_tool(
            Listed(
                name=tool.wire_name,
                title=tool.summary.removesuffix("."),
                description=tool.description,
                parameters=schemas.input,
                output_schema=schemas.output,
            )
        )

    @server.tool(name=CALLED, description=registry["record.get"].description)
    async def record_get(objectType: str, id: str) -> Record:  # noqa: A002, N803  # as they are on the wire
        from fastmcp.server.dependencies import get_access_token  # noqa: PLC0415  # FastMCP's own way

        token = get_access_token()
        organization = token.client_id if token else ""
        row = db.execute(_RECORD, (organization, id, objectType)).fetchone()
        if row is None:
            raise ToolError("no such record")
        return Record(
            id=row[0],
            objectType=row[1],
            properties=json.loads(row[2]),
            createdAt=_rfc3339(row[3]),
            updatedAt=_rfc3339(row[4]),
        )

    return server


def _rfc3339(at: int) -> str:
    return datetime.fromtimestamp(at / 1_000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


if __name__ == "__main__":
    app = make_server(sys.argv[1]).http_app(path=PATH, stateless_http=True, json_response=True)
    uvicorn.run(app, port=int(sys.argv[2]), log_level="warning", access_log=False)
