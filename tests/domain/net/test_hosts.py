"""Host names come out in one spelling."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc.domain.errors import InvalidValue
from svc.domain.net.hosts import ascii_host


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("Example.COM", "example.com"),
        ("example.com.", "example.com"),
        ("münchen.de", "xn--mnchen-3ya.de"),
        ("MÜNCHEN.de", "xn--mnchen-3ya.de"),
        ("xn--mnchen-3ya.de", "xn--mnchen-3ya.de"),
        ("日本。jp", "xn--wgv71a.jp"),
        ("ｅｘａｍｐｌｅ．ｃｏｍ", "example.com"),
        ("localhost", "localhost"),
        ("a" * 63 + ".de", "a" * 63 + ".de"),
    ],
)
def test_a_host_is_lower_case_ascii(text: str, host: str) -> None:
    """Case, a trailing dot and the script that a name is written in make no difference."""
    assert host == ascii_host(text)


@pytest.mark.parametrize(
    "text",
    [
        *("", ".", "..", "a..b", ".a", "a.b..", "-a.de", "a-.de", "a_b.de", "a b.de", "a.de ", "a/b", "a@b"),
        *(
            "192.0.2.1",
            "127.1",
            "1",
            "a.1",
            "a" * 64 + ".de",
            "a." * 127 + "com",
            "☃.net",
            "ü" * 300,
            "a\x00.de",
        ),
        *("\ud800.de", "ü..de", "xn--.de\n"),
    ],
)
def test_what_is_no_host_name_is_refused(text: str) -> None:
    """Empty or overlong labels, foreign characters and IP addresses are no host names."""
    with pytest.raises(InvalidValue):
        ascii_host(text)


@given(st.text(max_size=40))
def test_a_host_stays_as_it_is(text: str) -> None:
    """What came out once comes out the same again, and no text makes anything but a refusal."""
    try:
        host = ascii_host(text)
    except InvalidValue:
        return

    assert host == ascii_host(host)
