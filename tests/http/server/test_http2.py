"""HTTP/2 and TLS: what hypercorn does for us, and that it cannot be made to wait or to keep for ever."""

import ssl
from pathlib import Path

import h2.errors
import h2.events
import h2.settings
import httpx
import pytest
import trio
import trio.testing
from trio.testing import MockClock

from svc.http.asgi import Receive, Scope, Send
from svc.http.request.body import BodyTimeout, BodyTooLarge, read_body
from svc.http.server import Certificate, CertificateError, ServerOptions, serve
from svc.http.server._stream import STREAMS_MAX
from tests.http.server.http2 import Http2Client
from tests.http.serving import echo, in_memory, listening, respond

HERE = Path(__file__).parent
CERTIFICATE = Certificate(HERE / "loopback.cert.pem", HERE / "loopback.key.pem")
TRUST = ssl.create_default_context(cafile=str(CERTIFICATE.chain_path))


async def _limited(scope: Scope, receive: Receive, send: Send) -> None:
    lengths = [int(value) for name, value in scope["headers"] if name == b"content-length"]
    try:
        body = await read_body(receive, lengths[0] if lengths else None, 64_000)
    except BodyTooLarge:
        await respond(send, 413, b"too large")
    else:
        await respond(send, 200, body)


@pytest.mark.parametrize(("http2", "version"), [(True, "HTTP/2"), (False, "HTTP/1.1")])
async def test_tls_clients_choose_their_protocol(http2: bool, version: str) -> None:
    """Over TLS a client is served in the protocol that it offers, and the application sees `https`."""
    schemes = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        schemes.append(scope["scheme"])
        await echo(scope, receive, send)

    async with (
        listening(app, certificate=CERTIFICATE) as server,
        httpx.AsyncClient(base_url=f"https://{server.bind}", verify=TRUST, http2=http2) as client,
    ):
        replies = [await client.post("/a", content=b"x" * 100_000), await client.get("/b")]

    assert [version] * 2 == [reply.http_version for reply in replies]
    assert [b"POST /a " + b"x" * 100_000, b"GET /b "] == [reply.content for reply in replies]
    assert ["https"] * 2 == schemes
    assert not any("server" in reply.headers for reply in replies)


async def test_one_connection_carries_many_requests() -> None:
    """Requests of one HTTP/2 connection do not wait for each other."""
    arrived = 0
    all_here = trio.Event()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal arrived
        arrived += 1
        if arrived == 10:
            all_here.set()
        await all_here.wait()
        await respond(send, 200, scope["raw_path"])

    async with (
        listening(app, certificate=CERTIFICATE) as server,
        httpx.AsyncClient(base_url=f"https://{server.bind}", verify=TRUST, http2=True) as client,
    ):
        answers = set()

        async def ask(number: int) -> None:
            answers.add((await client.get(f"/{number}")).text)

        with trio.fail_after(5):
            async with trio.open_nursery() as nursery:
                for number in range(10):
                    nursery.start_soon(ask, number)

    assert {f"/{number}" for number in range(10)} == answers


async def test_a_large_body_is_rejected_and_the_connection_stays() -> None:
    """10 MB where 64,000 bytes are taken are answered 413; what follows on the connection is answered too."""
    async with (
        listening(_limited, certificate=CERTIFICATE) as server,
        httpx.AsyncClient(base_url=f"https://{server.bind}", verify=TRUST, http2=True) as client,
    ):
        with trio.fail_after(10):
            refused = await client.post("/", content=b"x" * 10_000_000)
            taken = await client.post("/", content=b"x" * 60_000)

    assert (413, "too large") == (refused.status_code, refused.text)
    assert (200, b"x" * 60_000) == (taken.status_code, taken.content)


async def test_an_application_that_fails_is_answered_for() -> None:
    """A stream whose application fails gets a 500, and the others go on."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] == "/fails":
            raise LookupError("a secret")
        await respond(send)

    async with (
        listening(app, certificate=CERTIFICATE) as server,
        httpx.AsyncClient(base_url=f"https://{server.bind}", verify=TRUST, http2=True) as client,
    ):
        replies = [await client.get("/fails", headers={"x-request-id": "mine"}), await client.get("/")]

    assert [(500, b""), (200, b"")] == [(reply.status_code, reply.content) for reply in replies]
    assert "mine" == replies[0].headers["x-request-id"]


async def test_a_client_without_tls_is_dropped(autojump_clock: MockClock) -> None:
    """A client that does not do the handshake, or does something else, is closed."""
    async with listening(certificate=CERTIFICATE, head_seconds=10) as server:
        plain, silent = await server.dial(), await server.dial()
        await plain.send(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        closed = [await plain.rest(), await silent.rest()]

    assert b"" == closed[1]
    assert not closed[0].startswith(b"HTTP/1.1")


async def test_a_certificate_that_cannot_be_used_is_reported() -> None:
    """A missing file is named in the error."""
    missing = Certificate(HERE / "missing.pem", CERTIFICATE.key_path)

    with pytest.raises(CertificateError, match=r"missing\.pem"):
        await serve(
            echo, binds=["127.0.0.1:0"], stop=trio.Event(), options=ServerOptions(certificate=missing)
        )


async def test_an_idle_connection_is_closed(autojump_clock: MockClock) -> None:
    """A connection with nothing under way gets GOAWAY and is closed after `keep_alive_seconds`."""
    async with in_memory(keep_alive_seconds=15) as server:
        client = Http2Client(server)
        await client.begin()
        await trio.sleep(14)
        await client.ask(1)
        status = await client.status()
        since = trio.current_time()
        goodbye = await client.next(h2.events.ConnectionTerminated)
        end = await client.next(h2.events.ConnectionTerminated)

        assert ("200", h2.errors.ErrorCodes.NO_ERROR, None) == (status, goodbye.error_code, end)
        assert pytest.approx(15) == trio.current_time() - since


async def test_a_slow_body_is_rejected(autojump_clock: MockClock) -> None:
    """A body that is not complete after `body_seconds` is answered 408."""
    async with in_memory(body_seconds=30) as server:
        client = Http2Client(server)
        await client.begin()
        await client.ask(1, end=False)
        status = await client.status()

        assert "408" == status
        assert pytest.approx(30) == trio.current_time()


async def test_the_application_gets_the_timeout_of_a_body_first(autojump_clock: MockClock) -> None:
    """A slow body's answer is the application's own if it has one."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        with pytest.raises(BodyTimeout):
            await read_body(receive, None, 64_000)
        await respond(send, 408, b"told")

    async with in_memory(app, body_seconds=30) as server:
        client = Http2Client(server)
        await client.begin()
        await client.ask(1, end=False)
        status = await client.status()
        told = await client.next(h2.events.DataReceived)

        assert ("408", b"told") == (status, told.data)
        assert pytest.approx(30) == trio.current_time()


async def test_a_reader_that_stops_loses_its_stream(autojump_clock: MockClock) -> None:
    """An answer for which the client opens no window is given up after `write_seconds`; others are sent."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        long = any(name == b"x-long" for name, _ in scope["headers"])
        await respond(send, 200, b"x" * 200_000 if long else b"")

    async with in_memory(app, write_seconds=30) as server:
        client = Http2Client(server)
        await client.begin()
        client.protocol.update_settings({h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: 1_000})
        await client.ask(1, ("x-long", "1"))
        await client.ask(3)
        reset = await client.next(h2.events.StreamReset)
        took = trio.current_time()
        await client.ask(5)
        status = await client.status()

    assert (1, h2.errors.ErrorCodes.CANCEL) == (reset.stream_id, reset.error_code)
    assert pytest.approx(30, abs=1) == took
    assert "200" == status


async def test_streams_opened_to_be_reset_end_the_connection() -> None:
    """A client that opens and resets streams faster than they end gets ENHANCE_YOUR_CALM, and is dropped."""
    running = 0

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal running
        running += 1
        await trio.sleep_forever()

    async with in_memory(app) as server:
        client = Http2Client(server)
        await client.begin()
        for stream_id in range(1, 4 * STREAMS_MAX, 2):
            await client.ask(stream_id, end=False)
            client.protocol.reset_stream(stream_id)
        await client.flush()
        goodbye = await client.next(h2.events.ConnectionTerminated)

        assert h2.errors.ErrorCodes.ENHANCE_YOUR_CALM == goodbye.error_code
        assert running <= STREAMS_MAX


async def test_stopping_finishes_streams_and_rejects_new_ones() -> None:
    """A server that stops answers the streams under way, rejects others for a retry, and closes."""
    finish = trio.Event()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await finish.wait()
        await respond(send)

    async with in_memory(app) as server:
        client = Http2Client(server)
        await client.begin()
        await client.ask(1)
        await trio.testing.wait_all_tasks_blocked()
        server.server.stop()
        await client.ask(3)
        refused = await client.next(h2.events.StreamReset)
        finish.set()
        status = await client.status()
        end = await client.next(h2.events.StreamReset)

    assert (3, h2.errors.ErrorCodes.REFUSED_STREAM) == (refused.stream_id, refused.error_code)
    assert ("200", None) == (status, end)


async def test_stopping_ends_idle_connections() -> None:
    """A connection with nothing under way when the server stops is closed at once."""
    async with in_memory() as server:
        client = Http2Client(server)
        await client.begin()
        await client.ask(1)
        await client.next(h2.events.StreamEnded)
        await trio.testing.wait_all_tasks_blocked()
        server.server.stop()

        assert await client.next(h2.events.ConnectionTerminated) is not None
        assert await client.next(h2.events.ConnectionTerminated) is None
