"""Parsing a response: llhttp parses, and this module bounds what is read and decides what counts.

Of an `Answer` the status counts, and the beginning of the body is noted. A `StreamedAnswer` has all of it.

llhttp has no limits, and httptools joins the pieces of a header anew with every read, so all bytes are
counted here with every read. What llhttp rejects stays rejected: a length beside `Transfer-Encoding`, a
length twice, bare LF, folded lines (RFC 9112 sections 2.2, 5.2 and 6.3).
"""

import codecs
from typing import Final

import httptools

from svc.actors.outbound.errors import NotSent
from svc.domain.net.limits import (
    OUTGOING_ANSWER_BYTES_MAX,
    OUTGOING_ANSWER_NOTED_BYTES,
    OUTGOING_HEAD_BYTES_MAX,
)
from svc.domain.text import inert_text

_FINAL_STATUS_MIN: Final = 200
_FRAMING_PER_BODY_BYTE: Final = 8
"""Bytes of chunk lines that may come with each byte of a body. A chunk of one byte has five."""
_FRAMED: Final = frozenset({b"content-length", b"transfer-encoding"})
_UNCODED: Final = frozenset({b"", b"identity"})


class _Response:
    """The response to one request, as far as it has arrived. Responses 1xx before it are skipped."""

    __slots__ = ("_bytes", "_parser", "begun", "complete", "keep_alive", "retry_after", "status")

    def __init__(self) -> None:
        self.begun = False
        """Whether any byte has arrived."""
        self.status = 0
        """The status once the head is complete, else 0."""
        self.retry_after: str | None = None
        self.complete = False
        self.keep_alive = True
        """Whether the connection may be used again once this is complete."""
        self._bytes = 0  # of the heads, then of what each class counts of the body
        self._parser = httptools.HttpResponseParser(self)

    def feed(self, data: bytes) -> None:
        """Parse *data*; `_end_malformed` is for a malformed body. Raises `NotSent` for a malformed head."""
        self.begun = True
        self._bytes += len(data)
        in_body = bool(self.status)
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            if not self.status:
                raise NotSent("what came was not HTTP") from error
            self._end_malformed()
        if not self.status:
            if self._bytes > OUTGOING_HEAD_BYTES_MAX:
                raise NotSent("the head of the answer is too long")
        elif in_body:
            self._judge_body()
        else:
            self._bytes = 0  # the rest of this read goes uncounted, which is never more than one read

    def _end_malformed(self) -> None:
        """End the body, of which a malformed part has arrived."""
        raise NotImplementedError

    def _judge_body(self) -> None:
        """Judge `_bytes`, to which a read within the body was added."""
        raise NotImplementedError

    # The parser calls these.

    def on_message_begin(self) -> None:
        if self.complete:
            self.keep_alive = False  # data that no request asked for
        elif not self.status:
            self.retry_after = None  # it was that of a response 1xx

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self.status and name.lower() == b"retry-after":
            self.retry_after = value.rstrip(b" \t").decode("latin-1")

    def on_headers_complete(self) -> None:
        status, parser = self._parser.get_status_code(), self._parser
        if not self.status and status >= _FINAL_STATUS_MIN:
            self.status = status
            self.keep_alive &= parser.should_keep_alive() and parser.get_http_version() == "1.1"

    def on_message_complete(self) -> None:
        self.complete = bool(self.status)


class Answer(_Response):
    """A response of which the status counts."""

    __slots__ = ("_beginning", "_ended", "status_at")

    def __init__(self) -> None:
        super().__init__()
        self.status_at: float | None = None
        """When the head was complete, in Trio's time."""
        self._ended = False
        self._beginning = b""

    @property
    def over(self) -> bool:
        """Whether nothing more should be read.

        If the connection cannot be used again, no more is read than the beginning of the body.
        """
        enough = bool(self.status) and not self.keep_alive and self._is_beginning_full()
        return self.complete or self._ended or enough

    def text(self) -> str:
        """The beginning of the body, decoded as UTF-8 whatever it is, without control characters."""
        final = not self._is_beginning_full()  # else a character may have been cut
        return inert_text(codecs.utf_8_decode(self._beginning, "replace", final)[0])

    def end(self) -> None:
        """Read no more: the connection has ended, or is to be closed."""
        self._ended = True
        self.keep_alive = False

    def _end_malformed(self) -> None:
        self.end()

    def _judge_body(self) -> None:
        if self._bytes > OUTGOING_ANSWER_BYTES_MAX:
            self.end()

    def _is_beginning_full(self) -> bool:
        return len(self._beginning) == OUTGOING_ANSWER_NOTED_BYTES

    def on_body(self, chunk: bytes) -> None:
        if not self.complete:
            self._beginning += chunk[: OUTGOING_ANSWER_NOTED_BYTES - len(self._beginning)]


class StreamedAnswer(_Response):
    """A response whose body is taken as it arrives."""

    __slots__ = ("_chunks", "body_bytes", "coded", "content_type", "framed", "malformed")

    def __init__(self) -> None:
        super().__init__()
        self.content_type = ""
        self.coded = False
        """Whether the body has a `Content-Encoding`."""
        self.framed = False
        """Whether the head tells where the body ends; else the end of the connection does."""
        self.malformed = False
        """Whether something that is not HTTP, or no body but its framing alone, has arrived in the body."""
        self.body_bytes = 0
        """The length of the body so far."""
        self._chunks: list[bytes] = []

    def take(self) -> bytes:
        """The part of the body that has arrived since the last call."""
        body = b"".join(self._chunks)
        self._chunks.clear()
        return body

    def _end_malformed(self) -> None:
        self.keep_alive = False
        self.malformed = not self.complete

    def _judge_body(self) -> None:
        if self._bytes < 0:  # a body, which earns nothing for what follows it
            self._bytes = 0
        elif self._bytes > OUTGOING_HEAD_BYTES_MAX:
            self.malformed = True

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if not self.status:
            self.content_type, self.coded, self.framed = "", False, False

    def on_header(self, name: bytes, value: bytes) -> None:
        super().on_header(name, value)
        if self.status:
            return  # a trailer
        name = name.lower()
        if name == b"content-type":
            self.content_type = value.rstrip(b" \t").decode("latin-1")
        elif name == b"content-encoding":
            self.coded = value.strip().lower() not in _UNCODED
        elif name in _FRAMED:
            self.framed = True

    def on_body(self, chunk: bytes) -> None:
        if not self.complete:
            self.body_bytes += len(chunk)
            self._bytes -= len(chunk) * (1 + _FRAMING_PER_BODY_BYTE)
            self._chunks.append(chunk)
