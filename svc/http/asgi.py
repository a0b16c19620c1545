"""The types of ASGI 3 (https://asgi.readthedocs.io), the interface between server and application."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
ASGIApp = Callable[[Scope, Receive, Send], Awaitable[None]]

STOPPING: Final = "svc.stopping"
"""Our extension of a scope: the `trio.Event` that is set once the server stops."""

STEADY_BODY: Final = "svc.steady_body"
"""Our key of a scope: the application sets it for a large body, which may take `body_seconds` for each of
`STEADY_BODY_BYTES` instead of for all of it."""
STEADY_BODY_BYTES: Final = 1024 * 1024

Headers = list[tuple[bytes, bytes]]
"""Names in lower case, in the order of the request."""


def joined(headers: Headers) -> dict[bytes, bytes]:
    """Join headers of one name in their order (RFC 9110 section 5.3)."""
    fields: dict[bytes, bytes] = {}
    for name, value in headers:
        fields[name] = fields[name] + b", " + value if name in fields else value
    return fields
