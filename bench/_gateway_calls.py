"""Calls of a gateway, one at a time over one connection, with the time of the first token."""

import socket
import time
from types import TracebackType
from typing import Final, NamedTuple, Self

from bench._gateway_contenders import Contender

_READ_BYTES: Final = 65_536
_HEAD_END: Final = b"\r\n\r\n"
_LAST: Final = b"0\r\n\r\n"
_FIRST: Final = b"data: "


class Took(NamedTuple):
    """How long a call took, in ms from before it was sent."""

    first: float
    """Until the first event of a stream had come, or anything of a whole answer."""
    whole: float


class Calls:
    """A connection to *contender*."""

    def __init__(self, contender: Contender) -> None:
        self._name = contender.name
        self._socket = socket.create_connection(("127.0.0.1", contender.server.port), timeout=60)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        lines = [
            f"POST {contender.path} HTTP/1.1",
            "Host: bench",
            f"Authorization: Bearer {contender.keys[0]}",
            "Content-Type: application/json",
            *contender.headers,
        ]
        self._head = "".join(f"{line}\r\n" for line in lines)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.close()

    def call(self, body: bytes) -> Took:
        """Call once, and receive all of the answer."""
        request = f"{self._head}Content-Length: {len(body)}\r\n\r\n".encode() + body
        began = time.perf_counter()
        self._socket.sendall(request)
        got = self._more()
        while _HEAD_END not in got:
            got += self._more()
        head, _, rest = got.partition(_HEAD_END)
        if not head.startswith(b"HTTP/1.1 200"):
            raise SystemExit(f"{self._name} answered {got.decode()}")
        fields = dict(line.split(b": ", 1) for line in head.lower().split(b"\r\n")[1:])
        chunked = b"content-length" not in fields
        while chunked and _FIRST not in rest and not rest.endswith(_LAST):
            rest += self._more()
        first = time.perf_counter()
        while not (rest.endswith(_LAST) if chunked else len(rest) >= int(fields[b"content-length"])):
            rest += self._more()
        ended = time.perf_counter()
        return Took((first - began) * 1e3, (ended - began) * 1e3)

    def _more(self) -> bytes:
        more = self._socket.recv(_READ_BYTES)
        if not more:
            raise SystemExit(f"{self._name} closed the connection")
        return more
