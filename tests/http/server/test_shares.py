"""One address cannot take all connections: what waits for its client is shared out, and makes room.

Clients come from 127.0.0.2 and so on: all of 127.0.0.0/8 is this machine.
"""

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
import trio
import trio.testing
from trio.testing import MockClock, lockstep_stream_pair

from svc.domain.net.client_addresses import parse_networks, subscriber_of
from svc.http.asgi import Receive, Scope, Send
from svc.http.server import Certificate
from svc.http.server._waiting import Share, WaitingConnections
from tests.http.server.http2 import Http2Client
from tests.http.serving import (
    GET,
    Client,
    Listening,
    Memory,
    Reply,
    in_memory,
    listening,
    post,
    read_all,
    respond,
)

HERE = Path(__file__).parent
CERTIFICATE = Certificate(HERE / "loopback.cert.pem", HERE / "loopback.key.pem")
TRUST = ssl.create_default_context(cafile=str(CERTIFICATE.chain_path))
TRUST.set_alpn_protocols(["h2"])
GREEDY = "127.0.0.2"
HONEST = "127.0.0.3"

WAITS = {
    "silent": b"",
    "a half head": GET[:-2],
    "a body that never comes": post(b"hello")[:-5],
    "half a body": post(b"hello")[:-2],
    "idle": GET,
    "refused, and still listened to": b"POST /refuse HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n",
}


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["path"] == "/refuse":
        await respond(send, 404)
    elif await read_all(receive) is not None:
        await respond(send)


class Desk:
    """An application that answers `/held` when released, and everything else at once."""

    def __init__(self) -> None:
        self.finish = trio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await read_all(receive)
        if scope["path"] == "/held":
            await self.finish.wait()
        await respond(send)


HELD = post(b"hello", path=b"/held")


async def _dial(server: Listening, address: str, data: bytes) -> Client:
    """A client at *address* that sent *data*, once the server has done all that it can about it."""
    client = await server.dial(address)
    await client.send(data)
    await trio.testing.wait_all_tasks_blocked()
    return client


async def _asks(server: Listening, address: str) -> Reply:
    return await (await server.dial(address)).ask(GET)


@pytest.mark.parametrize("data", WAITS.values(), ids=WAITS.keys())
async def test_an_address_has_a_share(data: bytes) -> None:
    """A quarter of the connections may wait for one address; its next one is rejected, others are not."""
    async with listening(app, connections_max=8) as server:
        for _ in range(2):
            await _dial(server, GREEDY, data)
        over = await server.dial(GREEDY)
        refused = await over.ask(GET)
        closed = await over.closed()
        served = [await _asks(server, HONEST), await _asks(server, "127.0.0.4")]

    assert (503, "1", "close", True) == (
        refused.status,
        refused.headers["retry-after"],
        refused.headers["connection"],
        closed,
    )
    assert [200, 200] == [reply.status for reply in served]


@pytest.mark.parametrize("data", WAITS.values(), ids=WAITS.keys())
async def test_a_share_is_given_back(data: bytes) -> None:
    """A client that disconnects may connect again."""
    async with listening(app, connections_max=4) as server:
        for _ in range(3):
            client = await _dial(server, GREEDY, data)
            await client.stream.aclose()
            await trio.testing.wait_all_tasks_blocked()
        served = await _asks(server, GREEDY)

    assert 200 == served.status


async def test_what_is_being_answered_takes_no_share() -> None:
    """One address may have as many requests answered at once as there are connections."""
    desk = Desk()

    async with listening(desk, connections_max=8) as server:
        held = [await _dial(server, GREEDY, HELD) for _ in range(7)]
        other = await _asks(server, GREEDY)
        desk.finish.set()
        replies = [await client.reply("POST") for client in held]

    assert 200 == other.status
    assert {200} == {reply.status for reply in replies}


async def test_an_answer_over_the_share_is_the_last() -> None:
    """Connections that would wait beyond the share when they are answered get `Connection: close`."""
    desk = Desk()

    async with listening(desk, connections_max=8) as server:
        held = [await _dial(server, GREEDY, HELD) for _ in range(4)]
        desk.finish.set()
        last = [(await client.reply("POST")).headers.get("connection") for client in held]

    assert 2 == last.count("close")


async def test_the_share_can_be_configured() -> None:
    """`waiting_per_address_max` counts instead of the quarter."""
    async with listening(app, connections_max=8, waiting_per_address_max=5) as server:
        for _ in range(5):
            await _dial(server, GREEDY, b"")
        refused = await _asks(server, GREEDY)

    assert 503 == refused.status


async def test_proxies_that_are_trusted_have_no_share() -> None:
    """Behind a trusted proxy are many clients with one address."""
    trusted = parse_networks(["127.0.0.2/32"])

    async with listening(app, connections_max=8, trusted_proxies=trusted) as server:
        for _ in range(7):
            await _dial(server, GREEDY, b"")
        served = await _asks(server, GREEDY)

    assert 200 == served.status


@pytest.mark.parametrize("data", WAITS.values(), ids=WAITS.keys())
async def test_the_longest_wait_makes_room(data: bytes) -> None:
    """When all connections are taken, the one that waited longest goes, and none that is being answered."""
    desk = Desk()

    async def either(scope: Scope, receive: Receive, send: Send) -> None:
        await (desk if scope["path"] == "/held" else app)(scope, receive, send)

    async with listening(either, connections_max=4, waiting_per_address_max=4) as server:
        held = await _dial(server, GREEDY, HELD)
        first, second = [await _dial(server, GREEDY, data) for _ in range(2)]
        await _dial(server, GREEDY, data)
        served = [await _asks(server, HONEST), await _asks(server, HONEST)]
        with trio.fail_after(5):
            ends = [await _end(first), await _end(second)]
        desk.finish.set()
        answered = await held.reply("POST")

    assert [200, 200, 200] == [reply.status for reply in (*served, answered)]
    assert not any(b" 408 " in end for end in ends)


async def _end(client: Client) -> bytes:
    try:
        return await client.rest()
    except trio.BrokenResourceError:
        return b""


async def test_the_last_to_come_is_not_the_first_to_go() -> None:
    """Of those that wait, the one that began last stays."""
    async with listening(app, connections_max=3, waiting_per_address_max=3) as server:
        first = await _dial(server, GREEDY, GET[:-2])
        second = await _dial(server, GREEDY, GET[:-2])
        third = await _dial(server, GREEDY, b"")
        await _asks(server, HONEST)
        assert b"" == await _end(first)
        await second.send(GET[-2:])
        await third.send(GET)
        replies = [await second.reply(), await third.reply()]

    assert [200, 200] == [reply.status for reply in replies]


async def test_without_a_waiting_connection_the_next_is_rejected() -> None:
    """When all connections are being answered, the next one is answered 503, until there is room."""
    desk = Desk()

    async with listening(desk, connections_max=2) as server:
        held = [await _dial(server, address, HELD) for address in (GREEDY, HONEST)]
        refused = await _asks(server, "127.0.0.4")
        desk.finish.set()
        replies = [await client.reply("POST") for client in held]
        served = await _asks(server, "127.0.0.4")

    assert (503, "1") == (refused.status, refused.headers["retry-after"])
    assert [200, 200, 200] == [reply.status for reply in (*replies, served)]


async def test_connections_being_rejected_are_few_at_once() -> None:
    """Not even being rejected takes more than so many connections: the next ones are closed at once."""
    async with listening(app, connections_max=4, turned_away_max=2) as server:
        await _dial(server, GREEDY, b"")
        waiting = [await _dial(server, GREEDY, b"") for _ in range(2)]
        closed = await (await server.dial(GREEDY)).closed()
        refused = [await client.ask(GET) for client in waiting]

    assert closed
    assert [503, 503] == [reply.status for reply in refused]


async def test_a_tls_handshake_waits(autojump_clock: MockClock) -> None:
    """A client that does not do its handshake has a share, and makes room."""
    async with listening(app, certificate=CERTIFICATE, connections_max=4) as server:
        silent = await _dial(server, GREEDY, b"")
        refused = await server.dial(GREEDY)
        assert await refused.closed()
        others = [await _dial(server, f"127.0.0.{number}", b"") for number in range(4, 7)]
        statuses = [await (await _http2(server, HONEST)).status()]
        assert await silent.closed()

        assert ["200"] == statuses
        assert 3 == len(others)


async def _http2(server: Listening, address: str, *, ask: bool = True, end: bool = True) -> Http2Client:
    tcp = await server.dial(address)
    stream = trio.SSLStream(tcp.stream, TRUST, server_hostname="127.0.0.1", https_compatible=True)
    client = Http2Client(stream=stream)
    await client.begin()
    if ask:
        await client.ask(1, end=end)
    return client


@pytest.mark.parametrize("state", ["silent", "body", "idle"])
async def test_http2_without_work_waits(state: str) -> None:
    """A connection of HTTP/2 with no request that is being answered has a share, and makes room."""
    async with listening(app, certificate=CERTIFICATE, connections_max=4) as server:
        greedy = await _http2(server, GREEDY, ask=state != "silent", end=state != "body")
        if state == "idle":
            await greedy.status()
        await trio.testing.wait_all_tasks_blocked()
        refused = await server.dial(GREEDY)
        with trio.fail_after(5):
            assert await refused.closed()
            statuses = [await (await _http2(server, f"127.0.0.{number}")).status() for number in range(3, 7)]
            gone = await greedy.next(())

        assert ["200"] * 4 == statuses
        assert gone is None


async def test_http2_with_work_does_not_wait() -> None:
    """A connection of HTTP/2 with a request that is being answered stays, whatever its other streams do."""
    desk = Desk()

    async with listening(desk, certificate=CERTIFICATE, connections_max=1) as server:
        held = await _http2(server, GREEDY, ask=False)
        await held.ask(1, (":path", "/held"))
        await held.ask(3, end=False)
        await trio.testing.wait_all_tasks_blocked()
        assert await (await server.dial(HONEST)).closed()
        desk.finish.set()
        status = await held.status()
        await held.end(3)
        other = await held.status()

    assert ["200", "200"] == [status, other]


@asynccontextmanager
async def stalled(seconds: float) -> AsyncIterator[tuple[Client, Memory]]:
    """A client that took nothing of its answer for *seconds*, and the server, which has room for one."""

    async def talkative(scope: Scope, receive: Receive, send: Send) -> None:
        await respond(send, 200, b"x" * 1_000_000)

    async with in_memory(talkative, connections_max=1) as server:
        reader = server.dial(lockstep_stream_pair)
        await reader.send(GET)
        await trio.sleep(seconds)
        yield reader, server


@pytest.mark.parametrize(("seconds", "status"), [(1, 503), (3, 200)])
async def test_a_reader_that_stops_makes_room(seconds: float, status: int, autojump_clock: MockClock) -> None:
    """An answer of which nothing is taken for two seconds is a wait for the client; before, it is not."""
    async with stalled(seconds) as (_, server):
        reply = await server.dial().ask(GET)

    assert status == reply.status


async def test_a_reader_that_goes_on_waits_no_more(autojump_clock: MockClock) -> None:
    """A client that stopped and reads again is not put out."""
    async with stalled(3) as (reader, server):
        await reader.stream.receive_some(65_536)
        await trio.testing.wait_all_tasks_blocked()
        reply = await server.dial().ask(GET)

    assert 503 == reply.status


@pytest.mark.parametrize("data", [*WAITS.values(), GET * 3, post(b"x") + GET[:9], b"\0", b""])
@pytest.mark.parametrize("leaves", [False, True])
async def test_no_connection_is_counted_twice_or_for_ever(
    data: bytes, leaves: bool, autojump_clock: MockClock
) -> None:
    """However a connection ends, nothing of it is left in what is counted."""
    async with in_memory(app, connections_max=2) as server:
        clients = [server.dial() for _ in range(3)]
        for client in clients:
            with suppress(trio.BrokenResourceError):
                await client.send(data)
        await trio.testing.wait_all_tasks_blocked()
        assert len(server.context.waiting) <= 2
        if leaves:
            for client in clients:
                await client.stream.aclose()
        await trio.sleep(100)

        assert 0 == len(server.context.waiting)
        assert 0 == server.context.waiting.share_of(None).open


class _Counted:
    """What is counted of a connection."""

    def __init__(self, share: Share) -> None:
        self.share = share
        self.counted = False

    def evict(self) -> None:
        """Nothing is closed here."""


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("192.0.2.1", "::ffff:192.0.2.1", True),
        ("2001:db8::1", "2001:db8::ffff:1", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("fe80::1%eth0", "fe80::2%eth1", True),
    ],
)
def test_a_customer_of_ipv6_has_many_addresses(one: str, other: str, same: bool) -> None:
    """All addresses of one /64 share, and an IPv4 address is the same however it is written."""
    waiting = WaitingConnections(100, None, ())
    first = _Counted(waiting.share_of(one))
    waiting.open(first)

    assert same == (subscriber_of(one) == subscriber_of(other))
    assert same == (waiting.share_of(other) is first.share)
