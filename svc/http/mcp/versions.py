"""The supported versions of the protocol, and everything that differs between them here.

Clients ignore members that their version does not define: titles, output schemas and structured content came
with 2025-06-18, and 2025-03-26 gets them too. Batches, which only 2025-03-26 has, are rejected everywhere.
"""

import base64
import re
from typing import Any, Final

import msgspec

from svc.http.fast_path import Request
from svc.http.mcp.rpc import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    UNSUPPORTED_VERSION,
    Meta,
    Params,
    RpcError,
)
from svc.version import VERSION

SERVER: Final = {"name": "svc", "title": "svc", "version": VERSION}
LIST_LIFE_MS: Final = 60_000
"""For how long a client may cache a list. Short, because the permissions of a key can change at any time."""

_UNREADABLE: Final = {PARSE_ERROR: 400, INVALID_REQUEST: 400, UNSUPPORTED_VERSION: 400, HEADER_MISMATCH: 400}


class Version(msgspec.Struct, frozen=True, kw_only=True):
    """The rules of one version."""

    name: str
    methods: frozenset[str]
    """The supported methods; others are answered −32601."""
    statuses: dict[int, int]
    """HTTP statuses by JSON-RPC error code; 200 for codes that are absent."""
    enveloped: bool = False
    """Whether requests carry version and capabilities in `_meta`, and headers repeat method and name."""
    every_result: dict[str, Any] = {}
    """Members of every result, such as `_meta`."""
    every_list: dict[str, Any] = {}
    """Further members of results that clients may cache."""


_HANDSHAKE: Final = frozenset({"initialize", "ping", "tools/list", "tools/call"})
_SUPPORTED: Final = (
    Version(name="2025-03-26", methods=_HANDSHAKE, statuses=_UNREADABLE),
    Version(name="2025-06-18", methods=_HANDSHAKE, statuses=_UNREADABLE),
    Version(name="2025-11-25", methods=_HANDSHAKE, statuses=_UNREADABLE),
    Version(
        name="2026-07-28",
        methods=frozenset({"server/discover", "tools/list", "tools/call"}),
        enveloped=True,
        statuses=_UNREADABLE | {INVALID_PARAMS: 400, METHOD_NOT_FOUND: 404},
        every_result={
            "resultType": "complete",
            "_meta": {"io.modelcontextprotocol/serverInfo": SERVER},
        },
        every_list={"ttlMs": LIST_LIFE_MS, "cacheScope": "private"},
    ),
)
VERSIONS: Final = {version.name: version for version in _SUPPORTED}
UNDECLARED: Final = VERSIONS["2025-03-26"]
"""The version of a request without a version header, as the protocol has it."""
CONTRACT: Final = VERSIONS["2025-06-18"]
"""The version that `initialize` answers with when it does not support the client's."""

_NAMED: Final = {"tools/call"}
"""Methods whose `name` is repeated in a header."""
_ENCODED: Final = re.compile(r"=\?base64\?(.*)\?=")


def version_of(request: Request, body_version: str | None) -> Version:
    """The version of *request*, whose body names *body_version*.

    Raises `RpcError` if header and body disagree, or the version is not supported.
    """
    requested = request.text("mcp-protocol-version")
    if body_version is not None and body_version != requested:
        raise RpcError(HEADER_MISMATCH, "the header MCP-Protocol-Version is not the version in `_meta`")
    if requested is None:
        return UNDECLARED
    version = VERSIONS.get(requested)
    if version is None:
        data = {"supported": list(VERSIONS), "requested": requested}
        raise RpcError(UNSUPPORTED_VERSION, f"the version {requested[:100]!r} is not spoken here", data)
    return version


def check_envelope(request: Request, method: str, params: Params) -> None:
    """Check the envelope of a request.

    Raises `RpcError` if `_meta` is incomplete, or the headers disagree with the body.
    """
    _check_meta(params.meta)
    if request.text("mcp-method") != method:
        raise RpcError(HEADER_MISMATCH, "the header Mcp-Method is not the method in the body")
    if method in _NAMED and params.name is not None and _decoded(request.text("mcp-name")) != params.name:
        raise RpcError(HEADER_MISMATCH, "the header Mcp-Name is not the name in the body")


def _check_meta(meta: Meta) -> None:
    if meta.version is None or meta.capabilities is None:
        missing = "protocolVersion" if meta.version is None else "clientCapabilities"
        raise RpcError(INVALID_PARAMS, f"`_meta` needs `io.modelcontextprotocol/{missing}`")


def _decoded(value: str | None) -> str | None:
    """Decode a header's value, which may be wrapped as `=?base64?…?=`. None for a malformed one."""
    encoded = _ENCODED.fullmatch(value) if value is not None else None
    if encoded is None:
        return value
    try:
        return base64.b64decode(encoded[1], validate=True).decode()
    except ValueError:
        return None
