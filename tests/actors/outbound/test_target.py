"""Where URLs lead: hosts, ports and paths as the wire has them, and what is no address to send to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc.actors.outbound.errors import NotSent
from svc.actors.outbound.exchange import encode_post
from svc.actors.outbound.target import Target, parse_target
from svc.version import VERSION


@pytest.mark.parametrize(
    ("url", "origin", "authority", "path"),
    [
        ("http://a.example", "http://a.example:80", "a.example", "/"),
        ("http://a.example:80/x", "http://a.example:80", "a.example", "/x"),
        ("http://a.example:443/x", "http://a.example:443", "a.example:443", "/x"),
        ("https://a.example:443/x", "https://a.example:443", "a.example", "/x"),
        ("https://a.example:8443", "https://a.example:8443", "a.example:8443", "/"),
        ("HTTPS://A.Example./x", "https://a.example:443", "a.example", "/x"),
        ("http://a.example?b=c&d[]=%20", "http://a.example:80", "a.example", "/?b=c&d[]=%20"),
        ("http://a.example/x?y?z#there", "http://a.example:80", "a.example", "/x?y?z"),
        ("http://a.example//x/../y;z=1,2", "http://a.example:80", "a.example", "//x/../y;z=1,2"),
        ("http://a.example/é x", "http://a.example:80", "a.example", "/%C3%A9%20x"),
        ("http://bücher.example/", "http://xn--bcher-kva.example:80", "xn--bcher-kva.example", "/"),
        ("http://bridge:9000/", "http://bridge:9000", "bridge:9000", "/"),
        ("http://127.1:81/", "http://127.0.0.1:81", "127.0.0.1:81", "/"),
        ("http://2130706433/", "http://127.0.0.1:80", "127.0.0.1", "/"),
        ("http://[2001:DB8::0:1]/", "http://[2001:db8::1]:80", "[2001:db8::1]", "/"),
        ("http://[::1]:81/", "http://[::1]:81", "[::1]:81", "/"),
    ],
)
def test_where_an_address_leads(url, origin, authority, path):
    """`Host` has the port only where it is not the scheme's; what is no ASCII is encoded."""
    target = parse_target(url)

    assert (origin, authority, path) == (target.origin, target.authority, target.path)
    assert url.lower().startswith("https:") is target.tls


@pytest.mark.parametrize(
    "url",
    [
        "",
        "x",
        "/hook",
        "//a.example/hook",
        "ftp://a.example/",
        "http:///hook",
        "http://:80/",
        "http://a.example:0/",
        "http://a.example:65536/",
        "http://a.example:x/",
        "http://[::1/",
        "http://[fe80::1%25eth0]/",
        "http://a_b.example/",
        "http://-a.example/",
        "http://a..example/",
        "http://a%2eexample/",
        "http://a.example\\@b.example/",
        "http://a example/",
        "http://127.0.0.1 example/",
        "http://a.example/\r\nX: y",
        "http://a.example/\t",
        "http://a.example/\x00",
        "http://user@a.example/",
        "http://user:password@a.example/",
        "http://@a.example/",
    ],
)
def test_what_is_no_address(url):
    """It is said so, before anything is connected."""
    with pytest.raises(NotSent, match="address"):
        parse_target(url)


@given(st.text(max_size=30), st.text(max_size=30))
def test_no_address_breaks_out_of_the_first_line(host, path):
    """Whatever a URL is made of, the request has the lines that it should have."""
    try:
        target = parse_target(f"http://{host}/{path}")
    except NotSent:
        return
    head = encode_post(target, {}, b"").decode("ascii")

    assert 8 == len(head.split("\r\n"))
    assert 2 == head.split("\r\n")[0].count(" ")
    assert 1 == head.split("\r\n")[1].count(" ")


A_TARGET: Target = parse_target("http://a.example:81/x?y")


def test_a_request_as_it_is_sent():
    """Head and body in one piece."""
    raw = encode_post(A_TARGET, {"Content-Type": "application/json", "X-Empty": ""}, b"{}")

    assert (
        b"POST /x?y HTTP/1.1\r\n"
        b"Host: a.example:81\r\n"
        b"User-Agent: svc/%b\r\n"
        b"Accept: */*\r\n"
        b"Accept-Encoding: identity\r\n"
        b"Content-Length: 2\r\n"
        b"Content-Type: application/json\r\n"
        b"X-Empty: \r\n"
        b"\r\n{}"
    ) % VERSION.encode() == raw


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("X", "a\r\nY: b"),
        ("X", "a\n"),
        ("X", "a\x00"),
        ("X", "é"),
        ("X:", "a"),
        ("X Y", "a"),
        ("X\r\nY", "a"),
        ("", "a"),
        ("Ü", "a"),
    ],
)
def test_headers_cannot_add_lines(name, value):
    """A malformed one fails the request, and not the program."""
    with pytest.raises(NotSent, match="header"):
        encode_post(A_TARGET, {name: value}, b"")
