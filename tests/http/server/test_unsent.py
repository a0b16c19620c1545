"""Clients that ask for much and take nothing of it keep little in memory, and hold up nobody else."""

import ssl
import tracemalloc
from pathlib import Path

import h2.errors
import h2.events
import h2.settings
import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from svc.domain.limits import UNSENT_ADDRESS_BYTES_MAX, UNSENT_CONNECTION_BYTES_MAX, UNSENT_STREAM_BYTES
from svc.http.asgi import ASGIApp, Receive, Scope, Send
from svc.http.server import Certificate
from svc.http.server._unsent import Ledger, UnsentPart
from svc.http.server._waiting import Share
from tests.http.server.http2 import Http2Client
from tests.http.serving import GET, Client, Memory, in_memory, listening, respond

MIB = 1024 * 1024
STALLED_SECONDS = 3
HERE = Path(__file__).parent
CERTIFICATE = Certificate(HERE / "loopback.cert.pem", HERE / "loopback.key.pem")
TRUST = ssl.create_default_context(cafile=str(CERTIFICATE.chain_path))
TRUST.set_alpn_protocols(["h2"])
CANCEL, REFUSED = h2.errors.ErrorCodes.CANCEL, h2.errors.ErrorCodes.REFUSED_STREAM


def answering(size: int, *, shared: bool = False) -> ASGIApp:
    """Answers with *size* bytes, which are made for each answer unless they are *shared*."""
    body = bytes(size)

    async def app(_scope: Scope, _receive: Receive, send: Send) -> None:
        await respond(send, 200, body if shared else bytes(bytearray(size)))

    return app


async def _shut(server: Memory) -> Http2Client:
    """A client of HTTP/2 whose windows are shut."""
    client = Http2Client(server)
    client.protocol.initiate_connection()
    client.protocol.update_settings({h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: 0})
    await client.flush()
    return client


async def _open(client: Http2Client) -> None:
    """Open the windows of all its streams, and of the connection."""
    client.protocol.update_settings({h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: 2**30})
    client.protocol.increment_flow_control_window(2**30)
    await client.flush()


async def _ends(client: Http2Client, count: int) -> dict[int, h2.errors.ErrorCodes | int]:
    """How the next *count* streams to end do: the length of their answer, or the code of their reset."""
    lengths: dict[int, int] = {}
    ends: dict[int, h2.errors.ErrorCodes | int] = {}
    kinds = (h2.events.DataReceived, h2.events.StreamEnded, h2.events.StreamReset)
    while len(ends) < count:
        event = await client.next(kinds)
        if isinstance(event, h2.events.DataReceived):
            lengths[event.stream_id] = lengths.get(event.stream_id, 0) + len(event.data)
        elif isinstance(event, h2.events.StreamReset):
            ends[event.stream_id] = event.error_code
        else:
            ends[event.stream_id] = lengths.get(event.stream_id, 0)
    return ends


async def test_an_answer_behind_a_shut_window_is_not_copied() -> None:
    """A hundred answers of the same mebibyte cost next to nothing while nothing of them is taken."""
    async with in_memory(answering(MIB, shared=True)) as server:
        client = await _shut(server)
        await client.ask(1)
        await wait_all_tasks_blocked()
        tracemalloc.start()
        try:
            for number in range(1, 100):
                await client.ask(2 * number + 1)
            await wait_all_tasks_blocked()
            kept, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        await _open(client)
        ends = await _ends(client, 100)

    assert kept < 100 * UNSENT_STREAM_BYTES
    assert {MIB} == set(ends.values())


async def test_an_answer_that_is_not_read_is_not_copied() -> None:
    """Over HTTP/1.1 as well: head and body are sent one after the other, in views."""
    async with in_memory(answering(8 * MIB, shared=True)) as server:
        client = server.dial(trio.testing.lockstep_stream_pair)
        tracemalloc.start()
        try:
            await client.send(GET)
            await wait_all_tasks_blocked()
            _, most = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        reply = await client.reply()

    assert most < MIB
    assert 8 * MIB == len(reply.body)


async def test_what_is_too_much_for_a_connection_is_given_up_oldest_first(autojump_clock: MockClock) -> None:
    """Answers that were made for a client that does not read are reset; the others arrive whole."""
    size = UNSENT_CONNECTION_BYTES_MAX // 4
    async with in_memory(answering(size)) as server:
        client = await _shut(server)
        for stream_id in (1, 3, 5, 7, 9, 11):
            await client.ask(stream_id)
        await trio.sleep(STALLED_SECONDS)
        await _open(client)
        ends = await _ends(client, 6)

    assert {1: CANCEL, 3: CANCEL, 5: CANCEL, 7: size, 9: size, 11: size} == ends


async def test_a_client_that_left_much_is_given_no_more_to_leave(autojump_clock: MockClock) -> None:
    """Its next request is refused, which says that it may be sent again; once it reads, it is answered."""
    size = UNSENT_CONNECTION_BYTES_MAX // 4
    async with in_memory(answering(size)) as server:
        client = await _shut(server)
        for stream_id in (1, 3, 5):
            await client.ask(stream_id)
        await trio.sleep(STALLED_SECONDS)
        await client.ask(7)
        refused = await client.next(h2.events.StreamReset)
        await _open(client)
        ends = await _ends(client, 3)
        await client.ask(9)
        again = await _ends(client, 1)

    assert (7, REFUSED) == (refused.stream_id, refused.error_code)
    assert {1: size, 3: size, 5: size} == ends
    assert {9: size} == again


async def test_an_answer_alone_may_be_as_long_as_it_is(autojump_clock: MockClock) -> None:
    """A client that pauses in it is waited for, however much that is."""
    size = UNSENT_CONNECTION_BYTES_MAX + MIB
    async with in_memory(answering(size)) as server:
        client = await _shut(server)
        await client.ask(1)
        await trio.sleep(5 * STALLED_SECONDS)
        await _open(client)
        ends = await _ends(client, 1)

    assert {1: size} == ends


async def test_a_slow_reader_over_http2_is_waited_for_while_it_reads(autojump_clock: MockClock) -> None:
    """It has `write_seconds` for each 64 KiB, as over HTTP/1.1, and not for the whole answer."""
    async with in_memory(answering(MIB), write_seconds=30) as server:
        client = await _shut(server)
        await client.ask(1)
        for _ in range(MIB // 65_536):
            await trio.sleep(20)
            client.protocol.increment_flow_control_window(65_536, 1)
            client.protocol.increment_flow_control_window(65_536)
            await client.flush()
        ends = await _ends(client, 1)

    assert {1: MIB} == ends


async def test_an_address_cannot_keep_more_than_its_share(autojump_clock: MockClock) -> None:
    """Over all its connections: those that have not read for longest are closed, and the others served."""
    size = UNSENT_ADDRESS_BYTES_MAX // 2
    async with listening(answering(size), write_seconds=30) as server:
        deaf = []
        for _ in range(4):
            client = await server.dial("127.0.0.2")
            await client.send(GET[:-2] + b"Connection: close\r\n\r\n")
            deaf.append(client)
        await trio.sleep(STALLED_SECONDS)
        taken = [len(await _rest(client)) > size for client in deaf]

    assert [False, False, True, True] == sorted(taken)


async def _rest(client: Client) -> bytes:
    try:
        return await client.rest()
    except trio.BrokenResourceError:
        return b""


async def test_a_client_that_reads_nothing_at_all_loses_its_connection(autojump_clock: MockClock) -> None:
    """Not even a reset would reach it, so its answers would stay where they are."""
    async with listening(answering(UNSENT_CONNECTION_BYTES_MAX // 2), certificate=CERTIFICATE) as server:
        stream = await trio.open_tcp_stream(server.bind.host, server.bind.port)
        client = Http2Client(stream=trio.SSLStream(stream, TRUST, server_hostname="127.0.0.1"))
        client.protocol.initiate_connection()
        client.protocol.update_settings({h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: 2**30})
        client.protocol.increment_flow_control_window(2**30)
        await client.flush()
        for stream_id in (1, 3, 5, 7):
            await client.ask(stream_id)
        await trio.sleep(STALLED_SECONDS)
        try:
            while await client.stream.receive_some():
                pass
            closed = True
        except trio.BrokenResourceError:
            closed = True
        await stream.aclose()

    assert closed
    assert trio.current_time() < 2 * STALLED_SECONDS


@pytest.mark.parametrize("end", ["evicted", "left", "reset", "stopped"])
async def test_nothing_is_counted_for_ever(end: str, autojump_clock: MockClock) -> None:
    """However a connection ends that left answers unread, nothing of them is left in what is counted."""
    async with in_memory(answering(MIB), graceful_seconds=5) as server:
        client = await _shut(server)
        for stream_id in (1, 3, 5):
            await client.ask(stream_id)
        await trio.sleep(STALLED_SECONDS)
        counted = server.context.unsent.bytes
        if end == "evicted":
            next(iter(server.server._connections)).evict()
        elif end == "left":
            await client.stream.aclose()
        elif end == "reset":
            for stream_id in (1, 3, 5):
                client.protocol.reset_stream(stream_id)
            await client.flush()
        else:
            server.server.stop()
        await trio.sleep(60)
        left = server.context.unsent

    assert 3 * (MIB + UNSENT_STREAM_BYTES) == counted
    assert (0, 0) == (left.bytes, left.parts)


async def test_others_have_their_turn_between_two_requests() -> None:
    """However many requests an address sends at once, over however many connections, one begins at a time."""
    begun: list[str] = []

    async def app(scope: Scope, _receive: Receive, send: Send) -> None:
        begun.append(scope["path"])
        await respond(send)

    async with in_memory(app) as server:
        server.context.waiting._unlimited = Share("", 100, 2**30)  # as if all came from one address
        crowd = [Http2Client(server) for _ in range(20)]
        await wait_all_tasks_blocked()
        fields = [(":method", "GET"), (":path", "/crowd"), (":scheme", "https"), (":authority", "a")]
        for client in crowd:
            client.protocol.initiate_connection()
            for number in range(9):
                client.protocol.send_headers(2 * number + 1, fields, end_stream=True)
            await client.flush()
        await server.dial().ask(GET)
        await wait_all_tasks_blocked()

    assert 181 == len(begun)
    assert begun.index("/") < 40


def _part(body: bytes, ledger: Ledger, given_up: list[bytes]) -> UnsentPart:
    part = UnsentPart(body, (ledger,), lambda: given_up.append(body), beside_bytes=1)
    part.begin()
    return part


def test_bytes_that_answers_share_are_counted_once() -> None:
    """Each counts what it keeps besides; the bytes go with the last of them."""
    ledger, body = Ledger(100), b"x" * 50
    parts = [_part(body, ledger, []) for _ in range(3)]
    most = ledger.bytes
    for part in parts[:2]:
        part.end()
    left = ledger.bytes
    parts[2].end()
    parts[2].end()

    assert (53, 51, 0) == (most, left, ledger.bytes)


@pytest.mark.parametrize("resumes", [False, True])
def test_what_is_read_is_never_given_up(resumes: bool) -> None:
    """Too much may be kept for clients that read; those that stopped and read on are such again."""
    given_up: list[bytes] = []
    ledger = Ledger(10)
    first = _part(b"first", ledger, given_up)
    first.stall()
    if resumes:
        first.resume()
    _part(b"second", ledger, given_up)

    assert ([] if resumes else [b"first"]) == given_up
