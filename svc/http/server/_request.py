"""Parsing HTTP/1.1 requests: llhttp parses, and this module rejects what llhttp wrongly accepts.

llhttp (by httptools) rejects by itself what smuggles requests past a proxy: Content-Length with
Transfer-Encoding, repeated or malformed lengths, bare LF, folded lines, control characters, and
all of these in trailers. RFC 9112 sections 3.2, 6.1 and 11.2 are the source of what is added.

It has no limits, and httptools joins the pieces of a header or trailer anew with every read. So all
bytes that are not body are counted here, slice by slice, so that it makes no difference how they come.
"""

import re
from collections import deque
from typing import Final, NoReturn

import httptools

from svc.http.asgi import Headers
from svc.http.server._head import is_host, is_websocket_handshake, split_absolute

PIPELINED_MAX: Final = 32
"""Requests that one connection may have waiting; a client that sends on is cut off after them."""
FRAMING_PER_BODY_BYTE: Final = 8
"""Bytes of chunk lines that may come with each byte of a body. A chunk of one byte has five."""
_COUNTED_PER_BODY_BYTE: Final = 1 + FRAMING_PER_BODY_BYTE
PARSED_AT_ONCE_BYTES: Final = 4_096
"""A longer read is parsed in slices: what is not body is counted after each."""
_LATER_VERSION: Final = re.compile(r"1\.[2-9]")
"""Of HTTP/1. It is answered as 1.1, the highest that we speak (RFC 9110 section 2.5)."""
_VERSIONS: Final = ("1.1", "1.0")
_NOT_IMPLEMENTED: Final = frozenset({"CONNECT", "SOURCE"})
"""Tunnels; and the one method that llhttp knows in HTTP and no RFC does."""
_LINE_OVERHEAD: Final = len(b"UNSUBSCRIBE  HTTP/1.1\r\n\r\n")
"""What a head has beside its target and headers, at most: it is not counted."""
_FIELD_OVERHEAD: Final = len(b": \r\n")
_SLASH: Final = ord("/")
_HTTP2_PREFACE: Final = b"PRI"
"""The method that begins HTTP/2, which is not spoken without TLS (RFC 9113 section 3.4)."""
_ASTERISK: Final = b"*"
_LINE_END: Final = b" HTTP/1.1\r\n"


class Refused(Exception):
    """Raised for bytes that are not a valid request. Answer *status* and close the connection."""

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
        """In origin-form, or an asterisk."""
        self.version = ""
        self.headers: Headers = []
        self.keep_alive = True
        self.expects_continue = False
        self.websocket = False
        """Whether it is a WebSocket's handshake."""
        self.chunks: list[bytes] = []
        self.complete = False

    def head(self) -> bytes:
        """The head in bytes again."""
        lines = [b"%b %b HTTP/%b" % (self.method.encode(), self.target, self.version.encode())]
        lines += [b"%b: %b" % header for header in self.headers]
        return b"\r\n".join(lines) + b"\r\n\r\n"


class RequestParser:
    """Parses the data of a connection into `requests`, in order.

    A fault ends it: `refused` says why, and counts once the requests before it are answered.
    What is not body is limited to *head_bytes_max* at any time: before a request's head and in it,
    which is refused with 431, and between and after the chunks of its body, which is with 400.
    """

    def __init__(self, head_bytes_max: int, headers_max: int) -> None:
        self.requests: deque[Request] = deque()
        self.refused: Refused | None = None
        self.upgraded = b""
        """What followed the head of a WebSocket's handshake."""
        self._head_bytes_max = head_bytes_max
        self._headers_max = headers_max
        self._reading = Request()
        self._reading.complete = True
        self._head_open = True  # before its first byte, too
        self._earlier = b""  # what other reads brought of the head that is open
        self._read = b""  # what is being parsed
        self._first = True  # whether the next head to end is its first, and began in it
        self._excess_bytes = 0  # that are not body, since the last slice in which a head or a message ended
        self._host = b""  # the last one that was found to be good
        self._without_upgrade: Request | None = None
        self._handed_over = False  # to another protocol
        self._parser = self._new_parser()

    @property
    def within_message(self) -> bool:
        """Whether a request has begun that is not complete."""
        return not self._reading.complete

    def _new_parser(self) -> httptools.HttpRequestParser:
        parser = httptools.HttpRequestParser(self)
        parser.set_dangerous_leniencies(lenient_version=True)  # `_check` tells versions apart
        return parser

    def feed(self, data: bytes) -> None:
        """Parse *data*. After a fault, everything else is ignored."""
        if len(data) <= PARSED_AT_ONCE_BYTES:
            self._feed(data)
            return
        for start in range(0, len(data), PARSED_AT_ONCE_BYTES):
            self._feed(data[start : start + PARSED_AT_ONCE_BYTES])

    def _feed(self, data: bytes) -> None:
        if self.refused is not None:
            return
        if self._handed_over:
            self._keep_upgraded(data)
            return
        self._read = data
        self._first = self._reading.complete
        self._excess_bytes += len(data)
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            self._follow_upgrade(data[upgrade.args[0] :])
        except httptools.HttpParserError:
            self._note_fault()
        else:
            if self._excess_bytes:
                self._judge_excess(data)

    def _judge_excess(self, data: bytes) -> None:
        if self._excess_bytes < 0:  # a body, which earns nothing for what follows it
            self._excess_bytes = 0
        elif self._excess_bytes > self._head_bytes_max + _LINE_OVERHEAD:
            self.refused = Refused(431 if self._head_open else 400)
        elif self._head_open:
            self._earlier += data

    def _follow_upgrade(self, rest: bytes) -> None:
        request, self._without_upgrade = self._without_upgrade, None
        if request is None:
            self._handed_over = True
            self._keep_upgraded(rest)
            return
        # llhttp takes a request for another protocol to have no body and ends there. We speak no such
        # protocol, so it is read again as if it had asked for none (RFC 9110 section 7.8).
        request.headers = [(name, value) for name, value in request.headers if name != b"upgrade"]
        self._parser = self._new_parser()
        self.feed(request.head() + rest)

    def _keep_upgraded(self, data: bytes) -> None:
        """Keep data for the other protocol, whose client has to wait for the answer anyway."""
        self.upgraded += data
        if len(self.upgraded) > self._head_bytes_max:
            self.requests.pop()
            self.refused = Refused(400)

    # The parser calls these.

    def on_message_begin(self) -> None:
        if len(self.requests) >= PIPELINED_MAX:
            self._refuse(503)
        self._reading = Request()
        self._head_open = True

    def on_url(self, part: bytes) -> None:
        self._reading.target += part

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._head_open:  # else a trailer, which is ignored
            # llhttp leaves the white space after a value, which is no part of it (RFC 9110 section 5.5).
            self._reading.headers.append((name.lower(), value.rstrip(b" \t")))

    def on_headers_complete(self) -> None:
        request, parser = self._reading, self._parser
        method = parser.get_method()
        request.method = method.decode()
        if self._first and self._read.startswith(_LINE_END, len(method) + 1 + len(request.target)):
            request.version = "1.1"
        else:
            version = parser.get_http_version()
            request.version = "1.1" if _LATER_VERSION.fullmatch(version) else version
            self._check_protocol(request)
        self._first = False
        request.keep_alive = request.version == "1.1" and parser.should_keep_alive()
        self._check(request)
        self._head_open = False
        self._earlier = b""
        # The rest of this slice may belong to what comes next, uncounted: that is never more than one slice.
        self._excess_bytes = 0
        if parser.should_upgrade() and not self._is_handshake(request):
            self._without_upgrade = request
        else:
            self.requests.append(request)

    def on_body(self, chunk: bytes) -> None:
        self._excess_bytes -= len(chunk) * _COUNTED_PER_BODY_BYTE
        self._reading.chunks.append(chunk)

    def on_message_complete(self) -> None:
        self._reading.complete = True
        self._head_open = True
        self._excess_bytes = 0

    def _check(self, request: Request) -> None:
        """Reject what llhttp wrongly accepts, and note what the head requires of the connection."""
        if request.version not in _VERSIONS:
            self._refuse(505)
        size = len(request.target)
        host: bytes | None = None
        for name, value in request.headers:
            size += len(name) + len(value) + _FIELD_OVERHEAD
            if name == b"host":
                if host is not None:
                    self._refuse(400)
                host = value
            elif name == b"transfer-encoding":
                if request.version == "1.0":
                    self._refuse(400)
                if value.lower() != b"chunked":
                    self._refuse(501)
            elif name == b"expect":
                # A client of HTTP/1.0 does not know what 100 is (RFC 9110 section 10.1.1).
                request.expects_continue = request.version == "1.1" and value.lower() == b"100-continue"
        if size > self._head_bytes_max or len(request.headers) > self._headers_max:
            self._refuse(431)
        if request.method in _NOT_IMPLEMENTED:
            self._refuse(501)
        if not host or host != self._host or request.target[0] != _SLASH:
            self._check_host(request, host)

    def _check_host(self, request: Request, host: bytes | None) -> None:
        if host is None and request.version == "1.1":
            self._refuse(400)
        if request.target == _ASTERISK and request.method != "OPTIONS":
            self._refuse(400)
        if request.target[0] != _SLASH:
            host = self._take_authority(request, host)
        if host is not None:
            if not is_host(host):
                self._refuse(400)
            self._host = host

    def _take_authority(self, request: Request, host: bytes | None) -> bytes | None:
        """The host of an absolute target, which counts before the header (RFC 9112 section 3.2.2)."""
        absolute = split_absolute(request.target)
        if absolute is None:
            return host
        authority, request.target = absolute
        others = [header for header in request.headers if header[0] != b"host"]
        request.headers = [(b"host", authority), *others]
        return authority

    def _is_handshake(self, request: Request) -> bool:
        if request.method != "GET" or request.version != "1.1" or not is_websocket_handshake(request.headers):
            return False
        # On one line, as hypercorn reads but one.
        others = [header for header in request.headers if header[0] != b"connection"]
        request.headers = [*others, (b"connection", b"upgrade")]
        request.websocket = True
        return True

    def _check_protocol(self, request: Request) -> None:
        """Reject RTSP, which llhttp accepts as it does HTTP, without telling them apart."""
        line = b"%b %b " % (request.method.encode(), request.target)
        head = self._earlier + self._read
        rtsp = head.find(line + b"RTSP/")
        if rtsp >= 0 and head.find(line + b"HTTP/", 0, rtsp) < 0:
            self._refuse(400)

    def _note_fault(self) -> None:
        if self.refused is None:  # else a check of ours stopped the parser
            self.refused = Refused(505 if self._parser.get_method() == _HTTP2_PREFACE else 400)

    def _refuse(self, status: int) -> NoReturn:
        self.refused = Refused(status)
        raise self.refused
