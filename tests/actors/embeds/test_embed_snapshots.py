"""The bytes of an embed that lie ready, and the entity tags that stand for them."""

import gzip

from hypothesis import given
from hypothesis import strategies as st

from svc.actors.embeds.embed_snapshots import Format, compressed

bodies = st.binary(min_size=1, max_size=2_000)


def tags(made: Format) -> set[bytes]:
    return {made.plain.etag, made.gzip.etag}


@given(body=bodies, place=st.integers(0, 1_999), other=st.integers(1, 255))
def test_a_tag_depends_on_every_byte(body: bytes, place: int, other: int) -> None:
    """Whichever one is another, the first or the last, both tags are others."""
    place %= len(body)
    changed = body[:place] + bytes([body[place] ^ other]) + body[place + 1 :]

    assert tags(compressed(body)).isdisjoint(tags(compressed(changed)))


@given(body=bodies, more=bodies)
def test_a_tag_depends_on_the_length(body: bytes, more: bytes) -> None:
    """A body that begins or ends as another one is not that one."""
    assert tags(compressed(body)).isdisjoint(tags(compressed(body + more)) | tags(compressed(more + body)))


def test_far_bytes_count_in_a_large_body() -> None:
    """One byte in a megabyte, wherever it is."""
    body = bytes(1024 * 1024)
    made = [
        compressed(body[:place] + b"\x01" + body[place + 1 :]) for place in (0, 40, 4_096, 524_288, 1_048_575)
    ]

    assert 2 * len(made) == len(set().union(*map(tags, made)))


@given(body=bodies)
def test_equal_bytes_have_equal_tags_and_equal_packed_bytes(body: bytes) -> None:
    """A strong tag stands for the very bytes: they are packed the same way each time."""
    first, again = compressed(body), compressed(bytes(bytearray(body)))

    assert (first.plain, first.gzip) == (again.plain, again.gzip)
    assert body == gzip.decompress(first.gzip.body) == first.plain.body
    assert bytes(4) == first.gzip.body[4:8]  # RFC 1952 section 2.3.1: no time of packing


@given(body=bodies)
def test_other_bytes_of_the_same_meaning_have_another_tag(body: bytes) -> None:
    """Packed and plain are two representations (RFC 9110 section 8.8.3): two tags, both strong and quoted."""
    made = compressed(body)

    assert made.plain.etag != made.gzip.etag
    assert all(tag[:1] == tag[-1:] == b'"' and b'"' not in tag[1:-1] for tag in tags(made))
