"""The header `traceparent`, by the rules of W3C Trace Context."""

import pytest

from svc.telemetry.traceparent import TraceParent, read, write

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
SPAN = "00f067aa0ba902b7"


@pytest.mark.parametrize(("flags", "is_sampled"), [("00", False), ("01", True), ("03", True), ("fe", False)])
def test_of_the_flags_the_lowest_bit_counts(flags, is_sampled):
    assert TraceParent(bytes.fromhex(TRACE), bytes.fromhex(SPAN), is_sampled) == read(
        f"00-{TRACE}-{SPAN}-{flags}".encode()
    )


def test_what_is_written_is_read():
    """With all leading zeros."""
    trace_id, span_id = (1).to_bytes(16), (2).to_bytes(8)
    parent = TraceParent(trace_id, span_id, is_sampled=False)
    header = write(trace_id, span_id, is_sampled=False)

    assert f"00-{'0' * 31}1-{'0' * 15}2-00" == header
    assert parent == read(header.encode())


def test_a_later_version_may_have_more():
    """Its first four parts are read as those of ours (section 4.3 of level 1)."""
    assert read(f"cc-{TRACE}-{SPAN}-01-more-of-it".encode()) is not None


@pytest.mark.parametrize(
    "header",
    [
        "",
        f"00-{TRACE}-{SPAN}",
        f"00-{TRACE}-{SPAN}-01-more",
        f"cc-{TRACE}-{SPAN}-01more",
        f"ff-{TRACE}-{SPAN}-01",
        f"00-{'0' * 32}-{SPAN}-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"00-{TRACE.upper()}-{SPAN}-01",
        f"00-{TRACE}-{SPAN}-01\n",
        f" 00-{TRACE}-{SPAN}-01",
    ],
)
def test_what_is_malformed_is_no_parent(header):
    assert read(header.encode()) is None
