"""Which addresses of a name are connected to, and in which order."""

from functools import partial

import pytest
import trio

from svc.actors.outbound import connector, names
from svc.actors.outbound.errors import NotSent
from svc.actors.outbound.target import Target
from tests.receivers import answer, client, post, receiver


def resolving(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> None:
    """Let every name have these *addresses*."""

    def resolve(_host: str, port: int, **_: object) -> list[tuple[object, ...]]:
        return [(2, 1, 6, "", (address, port)) for address in addresses]

    monkeypatch.setattr(names, "getaddrinfo", resolve)


async def test_the_next_address_is_tried(monkeypatch):
    """Where nothing listens at the first."""
    resolving(monkeypatch, "127.0.0.2", "127.0.0.1")
    async with client() as outbound_http, receiver(answer) as url:
        assert (200, 0) == await post(outbound_http, url.replace("127.0.0.1", "bridge.example"))


async def test_private_addresses_of_a_name_are_left_out(monkeypatch):
    """Those that may be reached are, wherever they stand."""
    resolving(monkeypatch, "10.0.0.1", "169.254.169.254", "127.0.0.1")
    async with client("127.0.0.1/32") as outbound_http, receiver(answer) as url:
        assert (200, 0) == await post(outbound_http, url.replace("127.0.0.1", "bridge.example"))


async def test_a_name_of_private_addresses_is_refused(monkeypatch):
    """Also one that says that it is IPv4 inside of IPv6."""
    resolving(monkeypatch, "10.0.0.1", "127.0.0.1", "::ffff:127.0.0.1", "64:ff9b::7f00:1")
    seen: list[bytes] = []
    async with client("192.0.2.0/24") as outbound_http, receiver(partial(answer, seen=seen)) as url:
        with pytest.raises(NotSent, match="private"):
            await post(outbound_http, url.replace("127.0.0.1", "bridge.example"))

    assert [] == seen


async def test_four_addresses_are_tried(monkeypatch):
    """Then it is said that there is no connection."""
    resolving(monkeypatch, *(f"127.0.0.{number}" for number in range(2, 6)), "127.0.0.1")
    async with client() as outbound_http, receiver(answer) as url:
        with pytest.raises(NotSent, match="no connection"):
            await post(outbound_http, url.replace("127.0.0.1", "bridge.example"))


async def test_an_address_that_does_not_answer_takes_little_time(monkeypatch, autojump_clock):
    """The next of several has its turn after three seconds; a single one has all of the request's."""
    tried: list[tuple[str, float]] = []

    async def connect(address: object, port: int) -> trio.SocketStream:
        tried.append((str(address), trio.current_time()))
        await trio.sleep_forever()
        raise AssertionError

    async def find(_self: object, target: Target, *_: object) -> list[str]:
        return target.host.removesuffix(".example").split("-")

    monkeypatch.setattr(connector, "_open_tcp", connect)
    monkeypatch.setattr(connector, "may_reach", lambda *_: True)
    monkeypatch.setattr(connector.Connector, "find", find)
    began = trio.current_time()
    async with client() as outbound_http:
        with pytest.raises(NotSent, match="no connection"):
            await post(outbound_http, "http://a-b.example/", seconds=10)
        with pytest.raises(NotSent, match="no answer within 10 seconds"):
            await post(outbound_http, "http://c.example/", seconds=10)

    assert [("a", 0), ("b", 3), ("c", 6)] == [(address, at - began) for address, at in tried]
    assert 16 == trio.current_time() - began


async def test_an_address_is_not_looked_up(monkeypatch):
    """Nor is a thread needed for it."""
    monkeypatch.delattr(names, "getaddrinfo")
    async with client() as outbound_http, receiver(answer) as url:
        assert (200, 0) == await post(outbound_http, url)


async def test_one_request_that_is_cancelled_while_it_connects_leaves_no_socket(monkeypatch):
    """During TLS, whose handshake a server can draw out."""
    resolving(monkeypatch, "127.0.0.1")
    ended = trio.Event()

    async def serve(stream: trio.abc.Stream) -> None:
        while await stream.receive_some(10_000):
            pass
        ended.set()

    async with client() as outbound_http, receiver(serve) as url:
        with pytest.raises(NotSent, match="no answer"):
            await post(outbound_http, url.replace("http://127.0.0.1", "https://bridge.example"), seconds=0.1)
        with trio.fail_after(5):
            await ended.wait()
