"""Reading a request's body in the request's own task, within a limit."""

from typing import Final

from werkzeug.exceptions import BadRequest, RequestEntityTooLarge, RequestTimeout

from svc.http.asgi import Receive

REQUEST: Final = "http.request"


class BodyTooLarge(RequestEntityTooLarge):
    """Raised when a body is longer than its door takes. Answer 413; the rest is not read."""

    def __init__(self, limit_bytes: int) -> None:
        super().__init__(f"The body is over {limit_bytes} bytes.")
        self.limit_bytes = limit_bytes


class BodyTimeout(RequestTimeout):
    """Raised by a server's `receive` when a body takes too long to come. Answer 408; the rest is not read."""


class BodyBroken(BadRequest):
    """Raised by a server's `receive` when what comes is no body, such as a bad chunk. Answer 400."""


class ClientGone(Exception):
    """Raised when the client left before its request was complete. There is nobody to answer."""


async def read_body(receive: Receive, length: int | None, limit_bytes: int) -> bytes:
    """The whole body, judged at once by the *length* its head tells, and by counting.

    Raises:
        BodyTooLarge: it is, or says that it is, over *limit_bytes*.
        BodyTimeout: it did not come in time.
        BodyBroken: it is framed wrongly.
        ClientGone: the client left in the middle of it.
    """
    if length is not None and length > limit_bytes:
        raise BodyTooLarge(limit_bytes)
    body = b""
    more = True
    while more:
        message = await receive()
        if message["type"] != REQUEST:
            raise ClientGone
        body += message.get("body", b"")
        if len(body) > limit_bytes:
            raise BodyTooLarge(limit_bytes)
        more = message.get("more_body", False)
    return body
