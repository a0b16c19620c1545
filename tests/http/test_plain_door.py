"""The listener on port 80: challenges, and the way to https of the served names alone."""

import pytest

from svc.actors.certificates.issuer import Challenges
from svc.domain.randomness import SYSTEM
from svc.http.plain_door import plain_app
from tests.http.serving import listening

NAMES = ("crm.example.com", "www.example.com")


async def _ask(request: bytes, port: int = 443, method: str = "GET"):
    challenges = Challenges()
    challenges.set({"token-1": "token-1.thumbprint"})
    async with listening(plain_app(challenges, NAMES, port, SYSTEM)) as server:
        client = await server.dial()
        await client.send(request)
        return await client.reply(method)


async def test_a_challenge_is_answered_whatever_the_host():
    """The directory asks by the name, another check by the address."""
    answer = await _ask(b"GET /.well-known/acme-challenge/token-1 HTTP/1.1\r\nHost: other\r\n\r\n")

    assert (answer.status, answer.body) == (200, b"token-1.thumbprint")
    assert answer.headers["content-type"] == "application/octet-stream"


@pytest.mark.parametrize("token", ["token-2", "", "../token-1", "token-1/"])
async def test_another_challenge_is_not_found(token):
    """Nor redirected: a directory that follows would find another page there."""
    request = f"GET /.well-known/acme-challenge/{token} HTTP/1.1\r\nHost: {NAMES[0]}\r\n\r\n"

    assert (await _ask(request.encode())).status == 404


@pytest.mark.parametrize(
    ("host", "path", "port", "target"),
    [
        ("crm.example.com", "/a?b=c", 443, "https://crm.example.com/a?b=c"),
        ("WWW.example.com.:80", "/", 443, "https://www.example.com/"),
        ("crm.example.com", "/", 8443, "https://crm.example.com:8443/"),
        ("crm.example.com", "//evil.example/%0d%0a", 443, "https://crm.example.com//evil.example/%0d%0a"),
    ],
)
async def test_everything_else_is_redirected_to_the_same_name(host, path, port, target):
    """With its path as it came, at the port of https."""
    answer = await _ask(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode(), port)

    assert (answer.status, answer.headers["location"]) == (308, target)


@pytest.mark.parametrize("host", ["evil.example", "crm.example.com.evil.example", "127.0.0.1", "[::1]"])
async def test_no_other_name_is_redirected_to(host):
    """A `Host` is anybody's word."""
    answer = await _ask(f"GET / HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())

    assert answer.status == 421
    assert "location" not in answer.headers


async def test_a_head_request_has_no_body():
    """Its length is told all the same."""
    request = b"HEAD /.well-known/acme-challenge/token-1 HTTP/1.1\r\nHost: a\r\n\r\n"

    answer = await _ask(request, method="HEAD")

    assert (answer.headers["content-length"], answer.body) == ("18", b"")
