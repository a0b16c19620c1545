"""What an HTTP/2 client may not do is an error of its stream or connection; what costs has an end."""

from contextlib import suppress
from itertools import count

import h2.errors
import h2.events
import h2.exceptions
import h2.settings
import pytest
import structlog
import trio
import trio.testing
from hpack import Encoder
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import MockClock

from svc.http.asgi import Receive, Scope, Send
from svc.http.server import ServerOptions
from svc.http.server._frames import FRAMES_MAX, SETTINGS_MAX
from tests.http.server.http2 import Http2Client
from tests.http.serving import echo, in_memory, read_all, respond

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RESET, SETTINGS, PING, WINDOW, CONTINUATION = 0, 1, 2, 3, 4, 6, 8, 9
END_STREAM, END_HEADERS = 1, 4
CALM = h2.errors.ErrorCodes.ENHANCE_YOUR_CALM


def frame(kind: int, stream_id: int = 0, body: bytes = b"", flags: int = 0) -> bytes:
    """One frame, as RFC 9113 section 4.1 has it."""
    return len(body).to_bytes(3, "big") + bytes([kind, flags]) + stream_id.to_bytes(4, "big") + body


def fields(**changed: str) -> list[tuple[str, str]]:
    """A request's header list; an underscore stands for the colon of a pseudo-header."""
    given = {"_method": "GET", "_path": "/", "_scheme": "https", "_authority": "a"} | changed
    return [
        (name.replace("_", ":", 1) if name[0] == "_" else name, value)
        for name, value in given.items()
        if value
    ]


@pytest.mark.parametrize(
    ("asked", "outcome"),
    [
        pytest.param(fields(_method="CONNECT", _path="", _scheme=""), 501, id="a tunnel"),
        pytest.param(fields(_method="CONNECT", _protocol="connect-udp"), 501, id="a tunnel for datagrams"),
        pytest.param(fields(_method="CONNECT", _protocol="websocket"), 501, id="a WebSocket of no version"),
        pytest.param(fields(_method="get"), 501, id="a method in small letters"),
        pytest.param(fields(_method="G T"), "reset", id="a method that is none"),
        pytest.param(fields(_method="G\xff"), "reset", id="a method outside ASCII"),
        pytest.param(fields(_path="/\xff"), "reset", id="a path outside ASCII"),
        pytest.param(fields(_path="/a b"), "reset", id="a path with a space"),
        pytest.param(fields(_path="a"), "reset", id="a path without a slash"),
        pytest.param(fields(_path="*"), "reset", id="an asterisk without OPTIONS"),
        pytest.param(fields(_authority="a@b"), "reset", id="a host that is none"),
        pytest.param(fields(_authority="", host="a/b"), "reset", id="a host header that is none"),
    ],
)
async def test_a_request_that_is_none_loses_its_stream(
    asked: list[tuple[str, str]], outcome: int | str
) -> None:
    """It is answered 501, or reset (RFC 9113 section 8.1.1); the next is answered, and nothing logged."""
    encoded = [(name.encode(), value.encode("latin-1")) for name, value in asked]

    with structlog.testing.capture_logs() as logged:
        async with in_memory() as server:
            client = Http2Client(server)
            await client.begin()
            client.protocol.send_headers(1, encoded, end_stream=True)
            await client.flush()
            event = await client.next((h2.events.StreamReset, h2.events.ResponseReceived))
            await client.ask(3)
            status = await client.status()

    if outcome == "reset":
        assert (1, h2.errors.ErrorCodes.PROTOCOL_ERROR) == (event.stream_id, event.error_code)
    else:
        assert (1, str(outcome)) == (event.stream_id, dict(event.headers)[":status"])
        assert dict(event.headers)["x-request-id"]
    assert "200" == status
    assert [] == logged


FLOODS = {
    "PING": frame(PING, body=bytes(8)),
    "SETTINGS": frame(SETTINGS),
    "PRIORITY": frame(PRIORITY, 101, bytes(5)),
    "RST_STREAM": frame(RESET, 1, bytes(4)),
    "WINDOW_UPDATE": frame(WINDOW, body=b"\0\0\0\1"),
    "frames that are not known": frame(0xFA, 1),
    "DATA without data": frame(DATA, 1),
    "DATA with next to no data": frame(DATA, 1, b"x"),
}


@pytest.mark.parametrize("flood", FLOODS.values(), ids=FLOODS.keys())
@pytest.mark.parametrize("at_once", [False, True])
async def test_what_asks_for_nothing_has_an_end(flood: bytes, at_once: bool, mock_clock: MockClock) -> None:
    """Frames that only cost work are accepted for a while; then the connection ends, ENHANCE_YOUR_CALM."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await read_all(receive)
        await respond(send)

    with structlog.testing.capture_logs() as logged:
        async with in_memory(app) as server:
            client = Http2Client(server)
            await client.begin()
            await client.ask(1, end=False)
            for _ in range(2 if at_once else FRAMES_MAX // 5):
                await client.stream.send_all(flood * (FRAMES_MAX if at_once else 10))
                await trio.testing.wait_all_tasks_blocked()
                if not server.server._connections:
                    break
            goodbye = await client.next(h2.events.ConnectionTerminated)
            more = await client.next(h2.events.ConnectionTerminated)

    assert (CALM, None) == (goodbye.error_code, more)
    assert [] == logged


async def _sent_before_goodbye(client: Http2Client, *pieces: bytes) -> tuple[h2.errors.ErrorCodes | int, int]:
    """The code with which the connection ended, and after how many of *pieces*."""
    done = 0
    for piece in pieces:
        try:
            await client.stream.send_all(piece)
        except trio.BrokenResourceError:
            break
        done += 1
        await trio.testing.wait_all_tasks_blocked()
    goodbye = await client.next(h2.events.ConnectionTerminated)
    return goodbye.error_code, done


async def test_a_header_block_has_an_end() -> None:
    """A block that goes on in CONTINUATION is not kept beyond twice what a header list may have."""
    limit = 2 * ServerOptions().head_bytes_max
    piece = frame(CONTINUATION, 1, b"x" * 8_192)

    async with in_memory() as server:
        client = Http2Client(server)
        await client.begin()
        await client.stream.send_all(frame(HEADERS, 1))
        code, done = await _sent_before_goodbye(client, *[piece] * 20)

    assert CALM == code
    assert done * 8_192 <= limit + 8_192


async def test_a_header_list_has_an_end_from_the_start() -> None:
    """A list over 16 KiB is rejected though the client never said that it knows of the limit."""
    encoder = Encoder()
    header = [(b"x-filler", b"x" * 4_000)]
    asked = [(name.encode(), value.encode()) for name, value in fields()] + header * 5

    async with in_memory() as server:
        client = Http2Client(server)
        await client.begin()
        code, _ = await _sent_before_goodbye(
            client, frame(HEADERS, 1, encoder.encode(asked), END_STREAM | END_HEADERS)
        )

    assert CALM == code


async def test_settings_have_an_end(mock_clock: MockClock) -> None:
    """Settings that are not known are not collected without end."""
    names = count(0x100)

    def some() -> bytes:
        return b"".join(next(names).to_bytes(2, "big") + bytes(4) for _ in range(20))

    async with in_memory() as server:
        client = Http2Client(server)
        await client.begin()
        code, done = await _sent_before_goodbye(client, *[frame(SETTINGS, body=some()) for _ in range(30)])

    assert CALM == code
    assert done * 20 <= SETTINGS_MAX + 20


async def test_streams_that_are_reset_have_an_end(mock_clock: MockClock) -> None:
    """Resetting what would be answered at once is taken a thousand times, and not for ever."""
    answered = 0

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal answered
        answered += 1
        await respond(send)

    async with in_memory(app) as server:
        client = Http2Client(server)
        await client.begin()
        encoder = Encoder()
        block = encoder.encode(fields())
        pieces = [
            frame(HEADERS, number, block, END_HEADERS) + frame(RESET, number, b"\0\0\0\x08")
            for number in range(1, 6 * FRAMES_MAX, 2)
        ]
        code, done = await _sent_before_goodbye(client, *pieces)

    assert CALM == code
    assert done <= 2 * FRAMES_MAX
    assert answered <= 2 * FRAMES_MAX


async def test_a_connection_may_be_used_for_long() -> None:
    """More than a thousand requests on one connection are all answered."""
    statuses = []

    async with in_memory() as server:
        client = Http2Client(server)
        await client.begin()
        for number in range(1_200):
            await client.ask(2 * number + 1)
            statuses.append(await client.status())
            await client.next(h2.events.StreamEnded)

    assert ["200"] * 1_200 == statuses


async def test_pings_are_answered_for_as_long_as_a_stream_is(autojump_clock: MockClock) -> None:
    """A client that sends a ping every second of an hour is no flood."""
    pings = 0

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await trio.sleep(3_600)
        await respond(send)

    async with in_memory(app) as server:
        client = Http2Client(server)
        await client.begin()
        await client.ask(1)
        for _ in range(3_000):
            await trio.sleep(1)
            client.protocol.ping(bytes(8))
            await client.flush()
            await client.next(h2.events.PingAckReceived)
            pings += 1
        status = await client.status()

    assert (3_000, "200") == (pings, status)


async def test_a_long_answer_may_be_taken_in_small_steps() -> None:
    """A client that opens both windows again for each frame that it is sent is no flood."""
    size = 3_000_000

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await respond(send, 200, b"x" * size)

    async with in_memory(app) as server:
        client = Http2Client(server)
        client.protocol.local_settings = h2.settings.Settings(
            client=True, initial_values={h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: 2_000}
        )
        await client.begin()
        await client.ask(1)
        taken = 0
        while taken < size:
            data = await client.next(h2.events.DataReceived)
            taken += len(data.data)
            if data.flow_controlled_length:
                client.protocol.increment_flow_control_window(data.flow_controlled_length)
                if data.stream_ended is None:
                    client.protocol.increment_flow_control_window(data.flow_controlled_length, 1)
                await client.flush()

    assert size == taken


@pytest.mark.parametrize("sent_before", [b"", b"x" * 200_000])
async def test_no_task_waits_for_a_client_that_left(sent_before: bytes, mock_clock: MockClock) -> None:
    """An application hears at once, by an `OSError`, that the connection that it answers on has ended."""
    left, done = trio.Event(), trio.Event()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200})
        async with trio.open_nursery() as nursery:
            nursery.start_soon(send_before, send)
            await left.wait()
        with pytest.raises(OSError, match=r"^$"):
            await send({"type": "http.response.body", "body": b"x" * 200_000})
        done.set()

    async def send_before(send: Send) -> None:
        with suppress(OSError):
            await send({"type": "http.response.body", "body": sent_before, "more_body": True})

    async with in_memory(app) as server:
        client = Http2Client(server)
        await client.begin()
        await client.ask(1)
        await trio.testing.wait_all_tasks_blocked()
        await client.stream.aclose()
        await trio.testing.wait_all_tasks_blocked()
        left.set()
        await done.wait()
        await trio.testing.wait_all_tasks_blocked()

        assert not server.server._connections


async def test_answers_that_are_not_read_leave_nothing_behind(autojump_clock: MockClock) -> None:
    """However many streams were given up on a connection, the next one is answered."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await respond(send, 200, b"x" if scope["path"] == "/" else b"x" * 100_000)

    with structlog.testing.capture_logs() as logged:
        async with in_memory(app, write_seconds=5) as server:
            client = Http2Client(server)
            await client.begin()
            client.protocol.update_settings({h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: 10})
            await client.flush()
            for number in range(1, 2_400, 2):
                await client.ask(number, (":path", "/long"))
                if number % 100 == 99:
                    for _ in range(50):
                        await client.next(h2.events.StreamReset)
            await client.ask(2_401)
            status = await client.status()

    assert "200" == status
    assert [] == logged


_IDS = st.sampled_from([0, 1, 1, 2, 3, 5, 7, 2**31 - 1])
_VALUES = st.sampled_from(
    ["", "/", "/\xff", "CONNECT", "websocket", "13", "-1", "5", "a b", "\0", "trailers", "GET"]
)
_PSEUDO = [":path", ":method", ":scheme", ":authority", ":protocol", ":status"]
_ODD = ["host", "te", "connection", "content-length", "sec-websocket-version", "x", "X", "", "cookie"]
_NAMES = st.sampled_from(_PSEUDO + _ODD)
_BLOCKS = st.lists(st.tuples(_NAMES, _VALUES), max_size=3).flatmap(
    lambda more: st.permutations(fields() + more).map(_block)
)
_FRAMES = st.one_of(
    st.builds(frame, st.just(HEADERS), _IDS, _BLOCKS, st.sampled_from([0, 4, 5, 5])),
    st.builds(frame, st.integers(0, 11), _IDS, st.binary(max_size=40), st.integers(0, 255)),
    st.builds(
        frame, st.integers(0, 11), _IDS, st.sampled_from([bytes(4), bytes(5), bytes(8), bytes(6)]), st.just(0)
    ),
)


def _block(listed: list[tuple[str, str]]) -> bytes:
    encoded: bytes = Encoder().encode([(n.encode(), v.encode("latin-1")) for n, v in listed])
    return encoded


@given(st.lists(_FRAMES, max_size=12))
def test_no_frames_bring_the_server_to_fail(frames: list[bytes]) -> None:
    """Whatever frames come, nothing fails in the server, and the connection ends when the client does."""

    async def talk() -> bytes:
        async with in_memory(echo) as server:
            client = Http2Client(server)
            answer = b""
            try:
                for piece in (PREFACE + frame(SETTINGS), *frames):
                    await client.stream.send_all(piece)
                    await trio.testing.wait_all_tasks_blocked()
                await client.stream.send_eof()
            except trio.BrokenResourceError:
                pass
            with trio.fail_after(5):
                while data := await client.stream.receive_some(65_536):
                    answer += bytes(data)
            await trio.testing.wait_all_tasks_blocked()
            assert 0 == len(server.context.waiting)
            return answer

    with structlog.testing.capture_logs() as logged:
        answer = trio.run(talk)

    assert answer[3] == SETTINGS
    assert [] == logged
