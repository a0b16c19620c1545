"""Which coding a client accepts, and which tags it has."""

import pytest

from svc.http.response.conditional import accepts_gzip, is_not_modified


@pytest.mark.parametrize(
    ("accept_encoding", "accepts"),
    [
        (None, False),
        (b"", False),
        (b"gzip, deflate, br, zstd", True),
        (b"br;q=1.0, GZIP;q=0.001", True),
        (b"*", True),
        (b"*;q=0, gzip", True),
        (b"gzip;q=0, *", False),
        (b"gzip ; q=0.000", False),
        (b"x-gzip", False),
    ],
)
def test_gzip_is_sent_where_it_is_accepted(accept_encoding: bytes | None, accepts: bool) -> None:
    """A weight of its own goes before that of `*`; without the header a body is sent as it is."""
    assert accepts == accepts_gzip(accept_encoding)


@pytest.mark.parametrize(
    ("if_none_match", "matches"),
    [(None, False), (b"", False), (b'"a"', True), (b'"b", W/"a"', True), (b"*", True), (b"a", False)],
)
def test_tags_are_compared_weakly(if_none_match: bytes | None, matches: bool) -> None:
    """A weak tag, one of a list, and `*` match; what has no quotes is no entity tag."""
    assert matches == is_not_modified(if_none_match, b'"a"')
