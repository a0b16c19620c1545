"""Reading a request's body in the request's own task, within a limit."""

from typing import Final

from werkzeug.exceptions import BadRequest, RequestEntityTooLarge, RequestTimeout, UnsupportedMediaType

from svc.http.asgi import Receive

REQUEST: Final = "http.request"
ACCEPT_ENCODING: Final = (b"accept-encoding", b"identity")
"""The header that tells, with a 415, that it was the coding (RFC 9110 section 12.5.3)."""
_UNCODED: Final = frozenset({b"", b"identity"})


class BodyTooLarge(RequestEntityTooLarge):
    """Raised when a body is longer than its door takes. Answer 413; the rest is not read."""

    def __init__(self, limit_bytes: int) -> None:
        super().__init__(f"The body is over {limit_bytes} bytes.")
        self.limit_bytes = limit_bytes


class BodyTimeout(RequestTimeout):
    """Raised by a server's `receive` when a body takes too long to come. Answer 408; the rest is not read."""


class BodyBroken(BadRequest):
    """Raised by a server's `receive` when what comes is no body, such as a bad chunk. Answer 400."""


class BodyCoded(UnsupportedMediaType):
    """Raised when a body is compressed, or coded otherwise. Answer 415; it is not read."""

    def __init__(self) -> None:
        super().__init__("the body has a `Content-Encoding`: send it as it is")


class ClientGone(Exception):
    """Raised when the client left before its request was complete. There is nobody to answer."""


async def read_body(
    receive: Receive, length: int | None, limit_bytes: int, coding: bytes | None = None
) -> bytes:
    """The whole body, judged at once by the *length* and the *coding* its head tells, and by counting.

    Raises:
        BodyTooLarge: it is, or says that it is, over *limit_bytes*.
        BodyCoded: its `Content-Encoding` is not nothing.
        BodyTimeout: it did not come in time.
        BodyBroken: it is framed wrongly.
        ClientGone: the client left in the middle of it.
    """
    if length is not None and length > limit_bytes:
        raise BodyTooLarge(limit_bytes)
    if coding is not None and any(name.strip().lower() not in _UNCODED for name in coding.split(b",")):
        raise BodyCoded
    message = await receive()
    if message["type"] != REQUEST:
        raise ClientGone
    first: bytes = message.get("body", b"")
    if len(first) > limit_bytes:
        raise BodyTooLarge(limit_bytes)
    if not message.get("more_body", False):
        return first
    return await _read_rest(receive, first, limit_bytes)


async def _read_rest(receive: Receive, first: bytes, limit_bytes: int) -> bytes:
    """The body that begins with *first*. However small its pieces are, each is copied once or twice."""
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
