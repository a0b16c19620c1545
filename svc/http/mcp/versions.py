"""The versions of the protocol that are spoken, and all that differs between them here.

What a version does not know, its clients pass over: titles, output schemas and structured content came with
2025-06-18, and 2025-03-26 gets them too. Batches, which 2025-03-26 alone has, are refused in every version.
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
"""How long a client need not ask for a list again. Ours: what a key may do changes at any time."""

_UNREADABLE: Final = {PARSE_ERROR: 400, INVALID_REQUEST: 400, UNSUPPORTED_VERSION: 400, HEADER_MISMATCH: 400}


class Version(msgspec.Struct, frozen=True, kw_only=True):
    """What is true of one version."""

    name: str
    methods: frozenset[str]
    """What is answered; everything else is −32601."""
    statuses: dict[int, int]
    """The HTTP status of an answer with an error, by its code; 200 for those not in here."""
    enveloped: bool = False
    """Each request says in its `_meta` who sends it, and headers say again what is asked for."""
    every_result: dict[str, Any] = {}
    """Members of every result. `_meta` is among them or is not there."""
    every_list: dict[str, Any] = {}
    """Members of every result that clients may keep, beside those."""


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
"""The version of a request whose header says none, by the protocol."""
CONTRACT: Final = VERSIONS["2025-06-18"]
"""The version that `initialize` agrees on when it cannot be the client's."""

_NAMED: Final = {"tools/call"}
"""Methods whose `name` a header says again."""
_ENCODED: Final = re.compile(r"=\?base64\?(.*)\?=")


def version_of(request: Request, body_version: str | None) -> Version:
    """The version of *request*, whose body claims that version. Raises `RpcError`."""
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
    """Raises `RpcError` for a request of an enveloped version that is not put together by its rules."""
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
    """A header's value; what is no visible ASCII is wrapped as `=?base64?…?=`. None when that is broken."""
    encoded = _ENCODED.fullmatch(value) if value is not None else None
    if encoded is None:
        return value
    try:
        return base64.b64decode(encoded[1], validate=True).decode()
    except ValueError:
        return None
