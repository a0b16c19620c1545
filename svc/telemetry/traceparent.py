"""The header `traceparent`, by which a trace goes on in another program (W3C Trace Context, level 1)."""

import re
from binascii import unhexlify
from typing import Final, NamedTuple

HEADER: Final = "traceparent"
_SAMPLED: Final = 1
_VERSION_0: Final = b"00"
_HEADER: Final = re.compile(
    rb"(?P<version>[0-9a-f]{2})-(?P<trace>[0-9a-f]{32})-(?P<parent>[0-9a-f]{16})-(?P<flags>[0-9a-f]{2})(?P<rest>-.*)?"
)


class TraceParent(NamedTuple):
    """The span of another program that a request was sent in."""

    trace_id: bytes
    """16 bytes, not all 0."""
    span_id: bytes
    """8 bytes, not all 0."""
    is_sampled: bool
    """Whether that program records the trace."""


def read(header: bytes) -> TraceParent | None:
    """What *header* says; None for what is malformed, which begins a trace of its own (section 4.3)."""
    found = _HEADER.fullmatch(header)
    if found is None or found["version"] == b"ff" or (found["version"] == _VERSION_0 and found["rest"]):
        return None
    trace_id, span_id = unhexlify(found["trace"]), unhexlify(found["parent"])
    if not (any(trace_id) and any(span_id)):
        return None
    return TraceParent(trace_id, span_id, bool(int(found["flags"], 16) & _SAMPLED))


def write(trace_id: bytes, span_id: bytes, *, is_sampled: bool) -> str:
    """The header for a request that is sent in that span."""
    return f"00-{trace_id.hex()}-{span_id.hex()}-{is_sampled:02x}"
