"""The product's answers to requests as bytes, over a real socket: what the standard says of odd ones."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from svc.http.app import public_app
from tests.http.serving import GET, Listening, listening
from tests.town import town


@asynccontextmanager
async def product() -> AsyncIterator[Listening]:
    async with town() as here, here.live_system() as system, listening(public_app(system)) as server:
        yield server


@pytest.mark.parametrize(
    ("line", "host", "status"),
    [
        pytest.param(b"GET /robots.txt HTTP/1.1", b"Host: a", 200, id="an ordinary one"),
        pytest.param(b"GET /robots.txt HTTP/1.2", b"Host: a", 200, id="a later version of HTTP/1"),
        pytest.param(b"GET http://a/robots.txt HTTP/1.1", b"Host: b", 200, id="an absolute target"),
        pytest.param(b"GET / HTTP/1.1", b"Host:", 400, id="an empty host"),
        pytest.param(b"GET / HTTP/1.1", b"Host: ", 400, id="a host of white space"),
        pytest.param(b"GET / HTTP/1.1", b"Host: :80", 400, id="a port without a host"),
        pytest.param(b"GET http:/// HTTP/1.1", b"Host: a", 400, id="an absolute target with an empty host"),
        pytest.param(b"GET / HTTP/1.1", b"X: y", 400, id="no host"),
        pytest.param(b"GET * HTTP/1.1", b"Host: a", 400, id="an asterisk without OPTIONS"),
        pytest.param(b"POST * HTTP/1.1", b"Host: a", 400, id="an asterisk with POST"),
        pytest.param(b"OPTIONS * HTTP/1.1", b"Host:", 400, id="an asterisk with an empty host"),
        pytest.param(b"GET / HTTP/1.10", b"Host: a", 400, id="a version of two digits"),
        pytest.param(b"GET / HTTP/2.0", b"Host: a", 505, id="HTTP/2 on this wire"),
        pytest.param(b"PRI * HTTP/2.0", b"Host: a", 505, id="the preface of HTTP/2"),
        pytest.param(b"GET / HTTP/3.0", b"Host: a", 505, id="HTTP/3"),
    ],
)
async def test_odd_requests_are_answered_as_the_standard_says(line: bytes, host: bytes, status: int) -> None:
    """What cannot be served is told with its status, and the connection closed; the rest is served."""
    async with product() as server:
        client = await server.dial()
        reply = await client.ask(line + b"\r\n" + host + b"\r\n\r\n")

    assert status == reply.status
    assert (status != 200) == (reply.headers.get("connection") == "close")


async def test_options_of_the_whole_server_names_the_methods() -> None:
    """It is answered 204 with `Allow`, and the next request on the same connection, too."""
    async with product() as server:
        client = await server.dial()
        reply = await client.ask(b"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n")
        after = await client.ask(GET.replace(b"GET /", b"GET /robots.txt"))

    assert (204, "GET, HEAD, POST, OPTIONS") == (reply.status, reply.headers["allow"])
    assert reply.headers["x-request-id"]
    assert 200 == after.status
