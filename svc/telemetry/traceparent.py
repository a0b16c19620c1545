"""The header `traceparent`, by which a trace goes on in another program (W3C Trace Context, level 1)."""

import re
from typing import Final, NamedTuple

HEADER: Final = "traceparent"
_SAMPLED: Final = 1
_VERSION_0: Final = b"00"
_HEADER: Final = re.compile(
    rb"(?P<version>[0-9a-f]{2})-(?P<trace>[0-9a-f]{32})-(?P<parent>[0-9a-f]{16})-(?P<flags>[0-9a-f]{2})(?P<rest>-.*)?"
)


class TraceParent(NamedTuple):
    """The span of another program that a request was sent in."""

    trace_id: int
    """128 bits, not 0."""
    span_id: int
    """64 bits, not 0."""
    is_sampled: bool
    """Whether that program records the trace."""


def read(header: bytes) -> TraceParent | None:
    """What *header* says; None for what is malformed, which begins a trace of its own (section 4.3)."""
    found = _HEADER.fullmatch(header)
    if found is None or found["version"] == b"ff" or (found["version"] == _VERSION_0 and found["rest"]):
        return None
    trace_id, span_id = int(found["trace"], 16), int(found["parent"], 16)
    if not (trace_id and span_id):
        return None
    return TraceParent(trace_id, span_id, bool(int(found["flags"], 16) & _SAMPLED))


def write(trace_id: int, span_id: int, *, is_sampled: bool) -> str:
    """The header for a request that is sent in that span."""
    return f"00-{trace_id:032x}-{span_id:016x}-{is_sampled:02x}"
