"""HTTP/1.1 requests out of bytes: llhttp parses, and what it lets pass is refused here.

llhttp (by httptools) refuses by itself what smuggles requests past a proxy: Content-Length with
Transfer-Encoding, repeated or malformed lengths, bare LF, folded lines, control characters, and
all of these in trailers. RFC 9112 sections 3.2, 6.1 and 11.2 are the source of what is added.
"""

from collections import deque
from typing import Final, NoReturn

import httptools

from svc.http.asgi import Headers

PIPELINED_MAX: Final = 32
"""Requests that one connection may have waiting; a client that sends on is cut off after them."""
_VERSIONS: Final = ("1.1", "1.0")
_FIELD_OVERHEAD: Final = len(b": \r\n")


class Refused(Exception):
    """Raised for bytes that are no request we take. Answer *status* and close the connection."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class Request:
    """One request. Its head is complete; its body grows in `chunks` until `complete`."""

    __slots__ = (
        "chunks",
        "complete",
        "expects_continue",
        "headers",
        "keep_alive",
        "method",
        "target",
        "version",
        "websocket",
    )

    def __init__(self) -> None:
        self.method = ""
        self.target = b""
        self.version = ""
        self.headers: Headers = []
        self.keep_alive = True
        self.expects_continue = False
        self.websocket = False
        self.chunks: list[bytes] = []
        self.complete = False

    def head(self) -> bytes:
        """The head in bytes again, as HTTP/1.1."""
        lines = [b"%b %b HTTP/1.1" % (self.method.encode(), self.target)]
        lines += [b"%b: %b" % header for header in self.headers]
        return b"\r\n".join(lines) + b"\r\n\r\n"


class RequestParser:
    """Takes what a connection brings and makes requests of it, in order, in `requests`.

    A fault ends it: `refused` says why, and counts once the requests before it are answered.
    """

    def __init__(self, head_bytes_max: int) -> None:
        self.requests: deque[Request] = deque()
        self.refused: Refused | None = None
        self.upgraded = b""
        """What followed the head of a WebSocket's handshake."""
        self._head_bytes_max = head_bytes_max
        self._pending_bytes = 0
        self._reading = Request()
        self._head_open = False
        self._without_upgrade: Request | None = None
        self._parser = httptools.HttpRequestParser(self)

    @property
    def within_message(self) -> bool:
        """Whether a request has begun that is not complete."""
        return not self._reading.complete

    def feed(self, data: bytes) -> None:
        """Parse *data*. After a fault nothing more is looked at."""
        if self.refused is not None:
            return
        head_was_open = self._head_open
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            self._follow_upgrade(data[upgrade.args[0] :])
        except httptools.HttpParserError:
            self._note_fault()
        else:
            # All of it is that head's, unlike what came together with the end of another request.
            still_open = head_was_open and self._head_open
            self._pending_bytes = self._pending_bytes + len(data) if still_open else 0
            if self._pending_bytes > self._head_bytes_max:
                self.refused = Refused(431)

    def _follow_upgrade(self, rest: bytes) -> None:
        request, self._without_upgrade = self._without_upgrade, None
        if request is None:
            self.upgraded = rest
            return
        # llhttp takes a request for another protocol to have no body and ends there. We speak no such
        # protocol, so it is read again as if it had asked for none (RFC 9110 section 7.8).
        request.headers = [(name, value) for name, value in request.headers if name != b"upgrade"]
        self._parser = httptools.HttpRequestParser(self)
        self.feed(request.head() + rest)

    # The parser calls these.

    def on_message_begin(self) -> None:
        if len(self.requests) >= PIPELINED_MAX:
            self._refuse(503)
        self._reading = Request()
        self._head_open = True

    def on_url(self, part: bytes) -> None:
        self._reading.target += part

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._head_open:  # else a trailer, which nobody here asked for
            # llhttp leaves the white space after a value, which is no part of it (RFC 9110 section 5.5).
            self._reading.headers.append((name.lower(), value.rstrip(b" \t")))

    def on_headers_complete(self) -> None:
        request, parser = self._reading, self._parser
        request.method = parser.get_method().decode()
        request.version = parser.get_http_version()
        request.keep_alive = request.version == "1.1" and parser.should_keep_alive()
        self._check(request)
        self._head_open = False
        if parser.should_upgrade() and not request.websocket:
            self._without_upgrade = request
        else:
            self.requests.append(request)

    def on_body(self, chunk: bytes) -> None:
        self._reading.chunks.append(chunk)

    def on_message_complete(self) -> None:
        self._reading.complete = True

    def _check(self, request: Request) -> None:
        """Refuse what llhttp lets pass, and note what the head asks of the connection."""
        if request.version not in _VERSIONS:
            self._refuse(505)
        size = len(request.target)
        hosts = 0
        for name, value in request.headers:
            size += len(name) + len(value) + _FIELD_OVERHEAD
            if name == b"host":
                hosts += 1
            elif name == b"transfer-encoding":
                if request.version == "1.0":
                    self._refuse(400)
                if value.lower() != b"chunked":
                    self._refuse(501)
            elif name == b"expect":
                request.expects_continue = value.lower() == b"100-continue"
            elif name == b"upgrade":
                request.websocket = value.lower() == b"websocket" and request.method == "GET"
        if size > self._head_bytes_max:
            self._refuse(431)
        if hosts != 1 and (hosts > 1 or request.version == "1.1"):
            self._refuse(400)
        if request.method == "CONNECT":
            self._refuse(501)

    def _note_fault(self) -> None:
        if self.refused is None:  # else a check of ours stopped the parser
            self.refused = Refused(400)

    def _refuse(self, status: int) -> NoReturn:
        self.refused = Refused(status)
        raise self.refused
