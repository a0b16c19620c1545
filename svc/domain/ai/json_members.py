"""The members of a JSON object as the bytes that came, to change some and leave all else untouched."""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

import msgspec

_BEFORE_VALUE: Final = re.compile(rb'\s*[{,]\s*"[^"\\]*(?:\\.[^"\\]*)*"\s*:\s*', re.DOTALL)
_END: Final = re.compile(rb"\s*\{?\s*\}\s*")
_decode: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


class Span(NamedTuple):
    """Where a member's value stands."""

    start: int
    end: int


class JsonObject:
    """A JSON object, whose names are all different, with the place of each member's value in its bytes."""

    __slots__ = ("body", "spans")

    def __init__(self, body: bytes) -> None:
        """Raises `msgspec.DecodeError` for what is no JSON object."""
        self.body: Final = body
        self.spans: Final[dict[str, Span]] = {}
        end = 0
        for name, raw in _decode(body).items():
            before = _BEFORE_VALUE.match(body, end)
            start = end if before is None else before.end()
            end = start + len(memoryview(raw))
            self.spans[name] = Span(start, end)
        if not _END.fullmatch(body, end):
            raise msgspec.DecodeError("a name stands twice in one object")

    def raw(self, name: str) -> bytes | None:
        """The bytes of the member's value; None where there is no such member."""
        span = self.spans.get(name)
        return None if span is None else self.body[span.start : span.end]

    def replaced(self, values: Mapping[str, bytes]) -> bytes:
        """The object with other *values*, as JSON; those that it lacks come first. All else stays."""
        there = sorted((self.spans[name], value) for name, value in values.items() if name in self.spans)
        new = [
            msgspec.json.encode(name) + b":" + value
            for name, value in values.items()
            if name not in self.spans
        ]
        parts = []
        end = 0
        if new:
            end = self.body.index(b"{") + 1
            parts += [self.body[:end], b",".join(new), b"" if not self.spans else b","]
        for span, value in there:
            parts += [self.body[end : span.start], value]
            end = span.end
        return b"".join([*parts, self.body[end:]])
