"""Server-sent events: whole, as the bytes that came, however they came."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc.domain.ai.event_stream import Event, EventStream, EventTooLarge
from svc.domain.ai.limits import AI_EVENT_BYTES_MAX

FIELDS = (b"data: a", b"data:b", b"data", b"event: x", b": comment", b"id: 1", b"data:  two", b"\xff\xfe")


def feed(*parts: bytes) -> list[Event]:
    stream = EventStream()
    return [event for part in parts for event in stream.feed(part)]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_an_event_ends_with_an_empty_line(end: bytes):
    """With any of the three line ends; its lines of data are joined."""
    raw = end.join([b"event: x", b"data: a", b"data:b", b"", b""])

    [event] = feed(raw)

    assert (raw, b"a\nb") == event
    assert [] == feed(raw[: -len(end)])


@given(
    st.lists(st.lists(st.sampled_from(FIELDS), min_size=1, max_size=4), max_size=5),
    st.sampled_from([b"\n", b"\r\n"]),
    st.data(),
)
def test_it_does_not_matter_how_the_bytes_come(events: list[list[bytes]], end: bytes, data: st.DataObject):
    """The same events, and together the very bytes, whether whole or one by one."""
    text = b"".join(end.join(fields) + 2 * end for fields in events)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    parts = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]

    whole = feed(text)

    assert whole == feed(*parts) == feed(*(bytes([byte]) for byte in text))
    assert text == b"".join(event.raw for event in whole)
    assert len(events) == len(whole)


def test_a_comment_has_no_data():
    """So it is told from an event."""
    assert [None, b""] == [event.data for event in feed(b": wait\n\ndata:\n\n")]


def test_the_end_of_a_stream_is_known():
    """`[DONE]`, with or without the space."""
    events = feed(b"data: [DONE]\n\ndata:[DONE]\r\n\r\ndata: {}\n\n")

    assert [True, True, False] == [event.is_done for event in events]


def test_a_mark_at_the_beginning_is_no_part_of_the_first_line():
    """The byte order mark; it is relayed all the same."""
    [first, second] = feed(b"\xef\xbb\xbfdata: a\n\n\xef\xbb\xbfdata: b\n\n")

    assert (b"a", None) == (first.data, second.data)
    assert first.raw.startswith(b"\xef\xbb\xbf")


def test_half_an_event_is_noticed():
    """What is left when a stream ends."""
    stream = EventStream()
    stream.feed(b"data: a\n\n")
    before = stream.is_whole
    stream.feed(b"data: b\n")

    assert (True, False) == (before, stream.is_whole)


@pytest.mark.parametrize("ended", [b"", b"\n\n"])
def test_an_event_may_have_a_mebibyte(ended: bytes):
    """One more byte ends the stream, whether or not the event has ended."""
    largest = b"data: " + b"a" * (AI_EVENT_BYTES_MAX - 6 - len(ended)) + ended

    assert bool(ended) == bool(feed(largest))
    with pytest.raises(EventTooLarge):
        feed(b"x" + largest)


def test_many_small_parts_of_a_large_event_take_no_time():
    """Each byte is looked at about once: a search from the beginning each time would take minutes."""
    stream = EventStream()
    for _ in range(100_000):
        assert [] == stream.feed(b"data: abcd")

    assert 1 == len(stream.feed(b"\n\n"))
