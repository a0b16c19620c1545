"""Server-sent events (WHATWG HTML section 9.2), whole and as the bytes that came."""

import re
from typing import Final, NamedTuple

from svc.domain.ai.limits import AI_EVENT_BYTES_MAX

DONE: Final = b"[DONE]"
"""The data of the event that ends a stream of completions."""
DONE_EVENT: Final = b"data: [DONE]\n\n"
WAIT_COMMENT: Final = b": wait\n\n"
"""What is sent in a long silence, so that nothing between takes the connection for dead."""

# An empty line after one that ended with `\n` ends with that as well: a `\r` alone may be half of its end.
_EVENT_END: Final = re.compile(rb"\n\r?\n|\r\r")
_LINES: Final = re.compile(rb"\r\n|\n|\r")
_OVERLAP: Final = 2
"""Bytes of an event's end that may have come with the part before."""
_BOM: Final = b"\xef\xbb\xbf"


class EventTooLarge(Exception):
    """Raised for an event beyond `AI_EVENT_BYTES_MAX`: the stream cannot go on."""


class Event(NamedTuple):
    """One event."""

    raw: bytes
    """All of it, with the empty line that ends it."""
    data: bytes | None
    """Its data, lines joined; None for one that has none, such as a comment."""

    @property
    def is_done(self) -> bool:
        """Whether it says that the stream is complete."""
        return self.data is not None and self.data.strip() == DONE


class EventStream:
    """Cuts a stream of bytes into whole events."""

    __slots__ = ("_buffer", "_is_first", "_scanned")

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._scanned = 0
        self._is_first = True

    def feed(self, part: bytes) -> list[Event]:
        """The events that *part* completes. Raises `EventTooLarge`."""
        if not self._buffer and (event := self._only_event(part)) is not None:
            return [event]
        self._buffer += part
        events = []
        start = 0
        while (end := _EVENT_END.search(self._buffer, max(start, self._scanned - _OVERLAP))) is not None:
            events.append(self._event(bytes(self._buffer[start : end.end()])))
            start = self._scanned = end.end()
        del self._buffer[:start]
        self._scanned = len(self._buffer)
        if self._scanned > AI_EVENT_BYTES_MAX:
            raise EventTooLarge
        return events

    @property
    def is_whole(self) -> bool:
        """Whether there is no half event left: what would be lost if the stream ended here."""
        return not self._buffer.strip()

    def _only_event(self, part: bytes) -> Event | None:
        """*part* as one event with one line of data, which is how nearly all come; None if it is more."""
        if not part.startswith(b"data:") or part.find(b"\n") != len(part) - 2 or not part.endswith(b"\n\n"):
            return None
        if b"\r" in part or len(part) > AI_EVENT_BYTES_MAX:
            return None
        self._is_first = False
        return Event(part, part[5:-2].removeprefix(b" "))

    def _event(self, raw: bytes) -> Event:
        if len(raw) > AI_EVENT_BYTES_MAX:
            raise EventTooLarge
        text = raw.removeprefix(_BOM) if self._is_first else raw
        self._is_first = False
        lines = [line[5:].removeprefix(b" ") for line in _LINES.split(text) if line.startswith(b"data:")]
        return Event(raw, b"\n".join(lines) if lines else None)
