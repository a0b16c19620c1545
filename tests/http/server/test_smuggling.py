"""What two servers could read as two different things is rejected, and nothing after it is looked at.

The cases follow RFC 9112 sections 2.2, 3, 5.2, 6 and 11.2, and the usual collections of smuggling attacks.
"""

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from svc.http.asgi import Receive, Scope, Send
from tests.http.serving import GET, in_memory, read_all, respond

_CHUNKED = b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"


def _with(*lines: bytes, method: bytes = b"POST", version: bytes = b"HTTP/1.1") -> bytes:
    return b"\r\n".join([method + b" / " + version, b"Host: a", *lines]) + b"\r\n\r\n"


BAD_LENGTHS = {
    "length and encoding": _with(b"Content-Length: 5", b"Transfer-Encoding: chunked") + b"0\r\n\r\n",
    "encoding and length": _with(b"Transfer-Encoding: chunked", b"Content-Length: 5") + b"0\r\n\r\n",
    "two lengths": _with(b"Content-Length: 1", b"Content-Length: 2") + b"aa",
    "one length twice": _with(b"Content-Length: 1", b"Content-Length: 1") + b"a",
    "a list of lengths": _with(b"Content-Length: 1, 1") + b"a",
    "a negative length": _with(b"Content-Length: -1"),
    "a positive length": _with(b"Content-Length: +1") + b"a",
    "a hexadecimal length": _with(b"Content-Length: 0x1") + b"a",
    "a length with an underscore": _with(b"Content-Length: 1_0") + b"a" * 10,
    "an empty length": _with(b"Content-Length:"),
    "an endless length": _with(b"Content-Length: " + b"9" * 30),
    "encoding in HTTP/1.0": _with(b"Transfer-Encoding: chunked", version=b"HTTP/1.0") + b"0\r\n\r\n",
}
BAD_ENCODINGS = {
    "chunked twice": _with(b"Transfer-Encoding: chunked", b"Transfer-Encoding: chunked"),
    "chunked, then another": _with(b"Transfer-Encoding: chunked, identity"),
    "chunked after a vertical tab": _with(b"Transfer-Encoding: \x0bchunked"),
    "chunked on a folded line": _with(b"Transfer-Encoding:\r\n chunked") + b"0\r\n\r\n",
    "chunked before a colon and a space": _with(b"Transfer-Encoding : chunked") + b"0\r\n\r\n",
}
BAD_HEADS = {
    "bare LF everywhere": b"GET / HTTP/1.1\nHost: a\n\n",
    "bare LF in a header": b"GET / HTTP/1.1\r\nHost: a\nX: y\r\n\r\n",
    "bare LF at the end": b"GET / HTTP/1.1\r\nHost: a\r\n\n",
    "bare CR in a header": b"GET / HTTP/1.1\r\nHost: a\rX: y\r\n\r\n",
    "a folded line": _with(b"X: a\r\n b"),
    "a folded first line": b"GET / HTTP/1.1\r\n X: a\r\nHost: a\r\n\r\n",
    "a NUL": _with(b"X: a\x00b"),
    "a control character": _with(b"X: a\x01b"),
    "a space in a name": _with(b"X Y: a"),
    "no colon": _with(b"X"),
    "no name": _with(b": x"),
    "no host": b"GET / HTTP/1.1\r\n\r\n",
    "two hosts": b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    "two hosts in HTTP/1.0": b"GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n",
    "a relative target": b"GET abc HTTP/1.1\r\nHost: a\r\n\r\n",
    "a byte outside ASCII": b"GET /\xff HTTP/1.1\r\nHost: a\r\n\r\n",
    "a tab": b"GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n",
    "a lower-case protocol": b"GET / http/1.1\r\nHost: a\r\n\r\n",
    "no such method": b"FETCH / HTTP/1.1\r\nHost: a\r\n\r\n",
    "a lower-case method": b"get / HTTP/1.1\r\nHost: a\r\n\r\n",
    "a version of two digits": b"GET / HTTP/1.10\r\nHost: a\r\n\r\n",
    "an asterisk without OPTIONS": b"GET * HTTP/1.1\r\nHost: a\r\n\r\n",
    "an asterisk with a body": b"POST * HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\na",
    "an empty host in HTTP/1.0": b"GET / HTTP/1.0\r\nHost:\r\n\r\n",
    "an absolute target with an empty host": b"GET http:/// HTTP/1.1\r\nHost: a\r\n\r\n",
    "RTSP": b"DESCRIBE / RTSP/1.0\r\n\r\n",
    "RTSP with a method of HTTP": b"GET / RTSP/1.0\r\nHost: a\r\n\r\n",
    "RTSP with a version of HTTP": b"POST / RTSP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n / HTTP/1.1",
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
}
BAD_CHUNKS = {
    "a negative size": b"-1\r\na\r\n0\r\n\r\n",
    "a size with a prefix": b"0x1\r\na\r\n0\r\n\r\n",
    "a size after a space": b" 1\r\na\r\n0\r\n\r\n",
    "a size before a space": b"1 \r\na\r\n0\r\n\r\n",
    "no size": b"\r\na\r\n0\r\n\r\n",
    "a size beyond 64 bits": b"fffffffffffffffff\r\na\r\n0\r\n\r\n",
    "a size that is too small": b"1\r\naXX0\r\n\r\n",
    "a size with a bare LF": b"1\na\r\n0\r\n\r\n",
    "data with a bare LF": b"1\r\na\n0\r\n\r\n",
    "an end with a bare LF": b"1\r\na\r\n0\r\n\n",
    "an extension with a bare LF": b"1;x\nGET\r\na\r\n0\r\n\r\n",
    "an extension with a bare CR": b"1;x\ry\r\na\r\n0\r\n\r\n",
    "a length as a trailer": b"0\r\nContent-Length: 3\r\n\r\n",
    "a trailer with a bare LF": b"0\r\nX: y\n\r\n",
    "a trailer without a colon": b"0\r\nXy\r\n\r\n",
}


BAD_HOSTS = (
    *(
        b"a b",
        b"a/b",
        b"a@b",
        b"http://a",
        b"a?b",
        b"a#b",
        b"a\\b",
        b"caf\xc3\xa9",
        b'"a"',
        b"<a>",
        b"%zz",
        b"a%2",
        b"",
        b":",
        b":80",
    ),
    *(
        b"a:b",
        b"a:-1",
        b"a:80:80",
        b"a:99999",
        b"::1",
        b"[::1",
        b"::1]",
        b"[a]",
        b"[1.2.3.4]",
        b"[::1]x",
        b"[::1]:x",
    ),
)
GOOD_HOSTS = (
    *(
        b"a",
        b"a:",
        b"a:8000",
        b"A-b.c_d~e",
        b"127.0.0.1:80",
        b"[::1]",
        b"[::1]:8000",
        b"[::ffff:1.2.3.4]",
    ),
    *(b"%C3%A9", b"a%C3%A9b", b"a!$&'()*+,;=", b"xn--caf-dma.example:443"),
)


def _hosted(host: bytes) -> bytes:
    return b"GET / HTTP/1.1\r\nHost: %b\r\n\r\n" % host


@pytest.mark.parametrize(
    ("data", "status"),
    [
        *[pytest.param(_hosted(host), 400, id=f"host {host!r}") for host in BAD_HOSTS],
        *[pytest.param(_with(version=b"HTTP/1.0").replace(b"a", host), 400) for host in (b"a b", b"a/b")],
        pytest.param(b"GET http://a@b/ HTTP/1.1\r\nHost: a\r\n\r\n", 400, id="a target with a user"),
        pytest.param(b"GET http://[a/ HTTP/1.1\r\nHost: a\r\n\r\n", 400, id="a target without a host"),
        pytest.param(b"SOURCE / ICE/1.0\r\n\r\n", 501, id="ICE"),
        pytest.param(b"SOURCE / HTTP/1.1\r\nHost: a\r\n\r\n", 501, id="a method of ICE"),
        *[pytest.param(data, 400, id=name) for name, data in BAD_LENGTHS.items()],
        *[pytest.param(data, 400, id=name) for name, data in BAD_ENCODINGS.items()],
        *[pytest.param(data, 400, id=name) for name, data in BAD_HEADS.items()],
        *[pytest.param(_CHUNKED + data, 400, id=name) for name, data in BAD_CHUNKS.items()],
        pytest.param(_with(b"Transfer-Encoding: gzip, chunked"), 501, id="an encoding that we lack"),
        pytest.param(_with(b"Transfer-Encoding: xchunked"), 501, id="something like chunked"),
        pytest.param(b"CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n", 501, id="a tunnel"),
        *[
            pytest.param(b"GET / HTTP/%b\r\nHost: a\r\n\r\n" % version, 505, id=f"version {version!r}")
            for version in (b"0.9", b"0.8", b"2.0", b"2.1", b"3.0", b"9.9")
        ],
        pytest.param(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, id="HTTP/2 without an agreement"),
        pytest.param(b"GET /\r\n\r\n", 505, id="no version"),
    ],
)
async def test_what_is_ambiguous_is_rejected(data: bytes, status: int) -> None:
    """A request that could be read in two ways is rejected, and so is everything after it."""
    answered = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        body = await read_all(receive)
        if body is not None:
            answered.append(body)
            await respond(send)

    async with in_memory(app) as server:
        client = server.dial()
        await client.send(data + GET)
        reply = await client.reply()
        closed = await client.closed()

    assert (status, "close", True) == (reply.status, reply.headers["connection"], closed)
    assert [] == answered


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", id="empty lines before it"),
        pytest.param(b"GET / HTTP/1.1\r\nhOsT:a\t \r\n\r\n", id="odd spaces and letters"),
        pytest.param(_CHUNKED + b"0a;x=y\r\n0123456789\r\n000\r\nX: y\r\n\r\n", id="odd chunks"),
        pytest.param(_with(b"Transfer-Encoding: CHUNKED") + b"0\r\n\r\n", id="shouting"),
        pytest.param(_with(b"Content-Length: 15") + b"POST / RTSP/1.0", id="a body about RTSP"),
        pytest.param(_with(b"X: POST / RTSP/1.0", b"Content-Length: 0"), id="a header about RTSP"),
        *[pytest.param(_hosted(host), id=f"host {host!r}") for host in GOOD_HOSTS],
    ],
)
async def test_what_is_merely_odd_is_answered(data: bytes) -> None:
    """What the standard allows is answered, and the request after it too."""
    async with in_memory() as server:
        client = server.dial()
        await client.send(data + GET)
        replies = [await client.reply(), await client.reply()]

    assert [200, 200] == [reply.status for reply in replies]


_PIECES = st.one_of(
    st.sampled_from([GET, _CHUNKED, *BAD_LENGTHS.values(), *BAD_ENCODINGS.values(), *BAD_HEADS.values()]),
    st.sampled_from(
        [b"\r\n", b"\n", b"0\r\n\r\n", b"5\r\n", b"GET / HTTP/1.1\r\n", b"Host: a\r\n", b" ", b":"]
    ),
    st.binary(max_size=20),
)


@given(st.lists(_PIECES, max_size=8).map(b"".join))
def test_no_bytes_bring_the_server_to_fail(data: bytes) -> None:
    """Whatever is sent, the answers are ours on purpose, and the connection ends when the client does."""

    async def talk() -> bytes:
        async with in_memory() as server:
            client = server.dial()
            await client.send(data)
            await client.stream.send_eof()
            with trio.fail_after(5):
                return await client.rest()

    answers = trio.run(talk)

    assert b"HTTP/1.1 500" not in answers
    assert answers == b"" or answers.startswith(b"HTTP/1.1 ")
