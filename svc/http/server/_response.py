"""Encoding HTTP/1.1 answers, in as few pieces as the application allows (RFC 9112 sections 4 to 7)."""

from collections.abc import Iterable
from http import HTTPStatus
from typing import Final

_STATUS_LINES: Final = {s.value: f"HTTP/1.1 {s.value} {s.phrase}\r\n".encode() for s in HTTPStatus}
_BODILESS: Final = frozenset({204, 304})
JOINED_BYTES_MAX: Final = 65_536
"""A longer body is sent by itself."""
_LAST_CHUNK: Final = b"0\r\n\r\n"


class Response:
    """The encoder of one answer: `encode` returns the bytes of each part of its body in turn."""

    __slots__ = ("_chunked", "_headers", "_status", "_unsent", "_version", "_with_body", "closes", "started")

    def __init__(
        self, status: int, headers: Iterable[tuple[bytes, bytes]], *, method: str, version: str
    ) -> None:
        self._status = status
        self._headers = headers
        self._version = version
        self._with_body = method != "HEAD" and status not in _BODILESS
        self._chunked = False
        self._unsent: int | None = None
        self.started = False
        self.closes = False
        """Whether the end of the connection is part of this answer."""

    def encode(self, body: bytes, *, more: bool, date: bytes, close: bool) -> tuple[bytes, ...]:
        """The bytes to send for *body*, after the head if this is the first part.

        A small body comes joined with what is around it, as one send; a long one as it is, not copied.

        *date* is a whole header line. *close* asks to end the connection after this answer; it
        counts with the first part only.

        Raises `ValueError` if the application's headers or lengths would break the framing.
        """
        parts = []
        if not self.started:
            self.closes = close
            parts.append(self._head(len(body), more=more, date=date))
            self.started = True
        if not self._with_body:
            return (b"".join(parts),)
        if self._unsent is not None:
            self._unsent -= len(body)
            if self._unsent < 0 or (self._unsent and not more):
                raise ValueError("the body is not as long as its Content-Length says")
        if self._chunked and body:
            parts += (b"%x\r\n" % len(body), body, b"\r\n")
        else:
            parts.append(body)
        if self._chunked and not more:
            parts.append(_LAST_CHUNK)
        return (b"".join(parts),) if len(body) <= JOINED_BYTES_MAX else tuple(parts)

    def _head(self, body_bytes: int, *, more: bool, date: bytes) -> bytes:
        lines = [_STATUS_LINES.get(self._status) or b"HTTP/1.1 %d \r\n" % self._status]
        for name, value in self._headers:
            if name == b"content-length":
                self._unsent = int(value)
                if self._status == HTTPStatus.NO_CONTENT:
                    continue
            elif name == b"connection":
                self.closes = self.closes or value.lower() == b"close"
                continue
            elif name == b"transfer-encoding":
                continue
            lines.append(b"%b: %b\r\n" % (name, value))
        lines.append(date)
        if self._unsent is None and self._with_body:
            lines += self._frame(body_bytes, more=more)
        if self.closes:
            lines.append(b"connection: close\r\n")
        lines.append(b"\r\n")
        head = b"".join(lines)
        if not head.count(b"\r") == head.count(b"\n") == len(lines) or b"\0" in head:
            raise ValueError("a header has a line break or a NUL in it")
        return head

    def _frame(self, body_bytes: int, *, more: bool) -> list[bytes]:
        """The framing header of a body for which the application gave no length."""
        if not more:
            self._unsent = body_bytes
            return [b"content-length: %d\r\n" % body_bytes]
        if self._version == "1.0":
            self.closes = True
            return []
        self._chunked = True
        return [b"transfer-encoding: chunked\r\n"]
