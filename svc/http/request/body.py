"""Reading a request's body in the request's own task, within a limit."""

from typing import Final

from werkzeug.exceptions import BadRequest, RequestEntityTooLarge, RequestTimeout, UnsupportedMediaType

from svc.http.asgi import Receive

REQUEST: Final = "http.request"
ACCEPT_ENCODING: Final = (b"accept-encoding", b"identity")
"""Header of a 415 that is about the coding and not the media type (RFC 9110 section 12.5.3)."""
_UNCODED: Final = frozenset({b"", b"identity"})


class BodyTooLarge(RequestEntityTooLarge):
    """Raised when a body is over its door's limit. Answer 413; the rest is not read."""

    def __init__(self, limit_bytes: int) -> None:
        super().__init__(f"The body is over {limit_bytes} bytes.")
        self.limit_bytes = limit_bytes


class BodyTimeout(RequestTimeout):
    """Raised by a server's `receive` for a body that is late. Answer 408; the rest is not read."""


class BodyBroken(BadRequest):
    """Raised by a server's `receive` for a body with malformed framing, such as a bad chunk. Answer 400."""


class BodyCoded(UnsupportedMediaType):
    """Raised when a body has a `Content-Encoding`. Answer 415; it is not read."""

    def __init__(self) -> None:
        super().__init__("the body has a `Content-Encoding`: send it as it is")


class ClientGone(Exception):
    """Raised when the client disconnected before its request was complete. No answer is sent."""


async def read_body(
    receive: Receive, length: int | None, limit_bytes: int, coding: bytes | None = None
) -> bytes:
    """Read the whole body; *length* and *coding* are those of its headers, which are checked first.

    Raises:
        BodyTooLarge: the body or its *length* is over *limit_bytes*.
        BodyCoded: *coding* is not `identity`.
        BodyTimeout: it did not arrive in time.
        BodyBroken: its framing is malformed.
        ClientGone: the client disconnected before its end.
    """
    _check_head(length, limit_bytes, coding)
    message = await receive()
    if message["type"] != REQUEST:
        raise ClientGone
    first: bytes = message.get("body", b"")
    if len(first) > limit_bytes:
        raise BodyTooLarge(limit_bytes)
    if not message.get("more_body", False):
        return first
    return await _read_rest(receive, first, limit_bytes)


def _check_head(length: int | None, limit_bytes: int, coding: bytes | None) -> None:
    if length is not None and length > limit_bytes:
        raise BodyTooLarge(limit_bytes)
    if coding is not None and any(name.strip().lower() not in _UNCODED for name in coding.split(b",")):
        raise BodyCoded


class BodyPieces:
    """A body piece by piece, for doors that keep none of it. Its arguments are those of `read_body`."""

    def __init__(
        self, receive: Receive, length: int | None, limit_bytes: int, coding: bytes | None = None
    ) -> None:
        """Raises `BodyTooLarge` and `BodyCoded` for what its headers say."""
        _check_head(length, limit_bytes, coding)
        self._receive = receive
        self._length = length
        self._limit_bytes = limit_bytes
        self._read_bytes = 0
        self._more = True

    async def __call__(self) -> bytes | None:
        """The next piece; None at the end. Raises as `read_body`, and `BodyBroken` for another length."""
        if not self._more:
            if self._length not in {None, self._read_bytes}:
                raise BodyBroken
            return None
        message = await self._receive()
        if message["type"] != REQUEST:
            raise ClientGone
        piece: bytes = message.get("body", b"")
        self._more = message.get("more_body", False)
        self._read_bytes += len(piece)
        if self._read_bytes > self._limit_bytes:
            raise BodyTooLarge(self._limit_bytes)
        return piece


async def _read_rest(receive: Receive, first: bytes, limit_bytes: int) -> bytes:
    """Read the rest of the body that begins with *first*, in linear time however small its pieces are."""
    body = bytearray(first)
    more = True
    while more:
        message = await receive()
        if message["type"] != REQUEST:
            raise ClientGone
        body += message.get("body", b"")
        if len(body) > limit_bytes:
            raise BodyTooLarge(limit_bytes)
        more = message.get("more_body", False)
    return bytes(body)
