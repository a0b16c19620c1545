"""One request over a connection, and its answer."""

import re
from collections.abc import Mapping
from typing import Final

import trio

from svc.actors.outbound.answer import Answer
from svc.actors.outbound.connection import Connection
from svc.actors.outbound.errors import NotSent
from svc.actors.outbound.target import Target
from svc.domain.net.limits import OUTGOING_REST_SECONDS
from svc.version import VERSION

_NAMES: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]*")
_VALUES: Final = re.compile(r"[\t\x20-\x7e]*")

STANDING_HEADERS: Final = {"User-Agent": f"svc/{VERSION}", "Accept": "*/*", "Accept-Encoding": "identity"}
"""The headers that every request has, beside those of its target, its body and its sender."""
_STANDING_LINES: Final = tuple(f"{name}: {value}" for name, value in STANDING_HEADERS.items())


def encode_post(target: Target, headers: Mapping[str, str], body: bytes) -> bytes:
    """The bytes of a POST. Raises `NotSent` if a header has a line break, or is not ASCII."""
    return encode_head(target, headers, len(body)) + body


def encode_head(
    target: Target, headers: Mapping[str, str], body_bytes: int | None, method: str = "POST"
) -> bytes:
    """The bytes of a request before its body, which is None where the *method* has none.

    Raises `NotSent` if a header has a line break, or is not ASCII.
    """
    # All names, and all values, at once: one by one, it takes as long as to send them.
    names, values = "".join(headers), "".join(headers.values())
    printable = (values.isascii() and values.isprintable()) or _VALUES.fullmatch(values)
    if "" in headers or not (printable and _NAMES.fullmatch(names)):
        raise NotSent("a header of the request is malformed")
    lines = [
        f"{method} {target.path} HTTP/1.1",
        f"Host: {target.authority}",
        *_STANDING_LINES,
        *([] if body_bytes is None else [f"Content-Length: {body_bytes}"]),
        *[f"{name}: {value}" for name, value in headers.items()],
        "",
        "",
    ]
    return "\r\n".join(lines).encode("ascii")


async def exchange(
    connection: Connection, request: bytes, answer: Answer, time_limit: trio.CancelScope
) -> bool:
    """Send *request* and read *answer* until it is over. Returns whether *connection* may be used again.

    Once the status is there, the rest of the answer has little time left: *time_limit* is shortened.
    Raises `NotSent` if no status came. If not even a byte came, *answer* may be used for another exchange.
    """
    unasked = connection.has_spoken_first()
    sent = await _send(connection, request)
    while not answer.over:
        data = await _receive(connection)
        if data:
            answer.feed(data)
        elif answer.status:
            answer.end()
        else:
            raise NotSent("the connection broke before an answer came")
        if answer.status and answer.status_at is None:
            answer.status_at = trio.current_time()
            time_limit.deadline = min(time_limit.deadline, answer.status_at + OUTGOING_REST_SECONDS)
    in_step = sent and not unasked and answer.complete and answer.keep_alive
    return in_step and not connection.has_read_ahead()


async def _send(connection: Connection, request: bytes) -> bool:
    """Whether all of *request* was sent. If not, an answer may have come before the connection was closed."""
    try:
        await connection.send(request)
    except trio.BrokenResourceError:
        return False
    return True


async def _receive(connection: Connection) -> bytes:
    try:
        return await connection.receive()
    except trio.BrokenResourceError:
        return b""
