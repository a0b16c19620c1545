"""A client that adds as little as it can to what it measures: one connection, one call at a time."""

import socket
import ssl
from types import TracebackType
from typing import Final, Self

_HEAD_END: Final = b"\r\n\r\n"
_LENGTH: Final = b"content-length:"
_CHUNK: Final = 65_536


class Client:
    """A keep-alive connection to a server on this machine."""

    def __init__(self, port: int, *headers: str, tls: ssl.SSLContext | None = None) -> None:
        """*headers* go with every call, each a line; with *tls*, by that."""
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if tls is not None:
            self._socket = tls.wrap_socket(self._socket)
        self._common = "".join(f"{line}\r\n" for line in ("host: bench", *headers))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.close()

    def post(self, path: str, body: bytes, *headers: str) -> tuple[int, bytes]:
        """The status and the body of the answer."""
        return self.ask("POST", path, body, *headers)

    def ask(self, method: str, path: str, body: bytes, *headers: str) -> tuple[int, bytes]:
        """The same, by another *method*."""
        own = "".join(f"{line}\r\n" for line in headers)
        head = f"{method} {path} HTTP/1.1\r\n{self._common}{own}content-length: {len(body)}\r\n\r\n"
        self._socket.sendall(head.encode() + body)
        return self._answer()

    def _answer(self) -> tuple[int, bytes]:
        got = b""
        while _HEAD_END not in got:
            got += self._more()
        head, _, body = got.partition(_HEAD_END)
        _, _, after = head.lower().partition(_LENGTH)
        length = int(after.partition(b"\r\n")[0] or 0)  # a 204 has none
        while len(body) < length:
            body += self._more()
        return int(head.split(b" ", 2)[1]), body

    def _more(self) -> bytes:
        more = self._socket.recv(_CHUNK)
        if not more:
            raise ConnectionError("the server closed the connection")
        return more
