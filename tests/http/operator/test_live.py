"""The live view: what a client is told each second, and what bounds it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest
import trio
import trio.testing
from trio_websocket import ConnectionClosed, WebSocketConnection, wrap_client_stream

from svc.actors._core import Actor, Selection, Survey, turn
from svc.actors.kinds import KINDS
from svc.actors.system import System
from svc.http.operator.app import operator_app
from svc.http.operator.live import MESSAGE_CHARACTERS_MAX, RESTS, SOCKETS_MAX
from svc.http.operator.sessions import SESSION_COOKIE, SESSION_LIFE_MS, OperatorSessions
from tests.http.serving import Memory, in_memory
from tests.town import SECRETS, town

TOKEN = "a-token-of-the-operator"
BEARER = (b"authorization", b"Bearer " + TOKEN.encode())
HOST = "ops.test"


class DeskState(msgspec.Struct):
    papers: int = 0


class Desk(Actor[System, DeskState]):
    async def load(self) -> DeskState:
        return DeskState()

    @turn
    async def work(self, seconds: float = 0) -> None:
        await trio.sleep(seconds)


class CountedSystem(System):
    """Counts its surveys, each of which takes `seconds`."""

    surveys = 0
    seconds = 0.0

    async def survey(self, selection: Selection | None = None) -> Survey:
        self.surveys += 1
        await trio.sleep(self.seconds)
        return await super().survey(selection)


class Office:
    """A system with desks, and its operator's listener in memory."""

    def __init__(self, system: CountedSystem, server: Memory, nursery: trio.Nursery) -> None:
        self.system = system
        self.server = server
        self._nursery = nursery

    async def dial(self, *headers: tuple[bytes, bytes], path: str = "/debug/live") -> WebSocketConnection:
        stream: Any = self.server.dial().stream  # annotated as a socket's, and content with any that ends
        return await wrap_client_stream(
            self._nursery, stream, HOST, path, extra_headers=list(headers or (BEARER,))
        )


@asynccontextmanager
async def office() -> AsyncIterator[Office]:
    async with town() as here:
        system = CountedSystem((*KINDS, Desk), here.store, here.clock, SECRETS)
        async with (
            system.live(),
            in_memory(operator_app(system, TOKEN)) as server,
            trio.open_nursery() as nursery,
        ):
            yield Office(system, server, nursery)
            nursery.cancel_scope.cancel()


def _handshake(*headers: tuple[bytes, bytes]) -> bytes:
    """As a client sends it that can be refused."""
    lines = [
        b"GET /debug/live HTTP/1.1",
        b"Host: %b" % HOST.encode(),
        b"Connection: Upgrade",
        b"Upgrade: websocket",
        b"Sec-WebSocket-Version: 13",
        b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        *(b"%b: %b" % header for header in headers),
    ]
    return b"\r\n".join(lines) + b"\r\n\r\n"


async def _message(socket: WebSocketConnection) -> Any:
    return msgspec.json.decode(await socket.get_message())


async def _subscribe(socket: WebSocketConnection, **subscription: object) -> Any:
    """The snapshot of a subscription."""
    await socket.send_message(msgspec.json.encode({"subscribe": subscription}).decode())
    while (message := await _message(socket))["type"] != "snapshot":
        pass
    return message


async def _close_code(socket: WebSocketConnection) -> tuple[int, str]:
    while True:
        try:
            await socket.get_message()
        except ConnectionClosed as closed:
            why = closed.reason
            return (0, "") if why is None else (why.code, why.reason or "")


async def test_the_first_message_is_a_snapshot_the_next_what_changed(autojump_clock):
    """All kinds and the first actors at once; a second later those alone that are not as they were."""
    async with office() as at:
        await Desk(at.system, "1").work()
        await Desk(at.system, "2").work()
        socket = await at.dial()

        first = await _message(socket)
        second = await _message(socket)
        await Desk(at.system, "2").work()
        third = await _message(socket)

        assert ("snapshot", len(KINDS) + 1, 2) == (first["type"], len(first["kinds"]), first["total"])
        assert ["Desk/1", "Desk/2"] == first["order"] == [f"{a['kind']}/{a['key']}" for a in first["actors"]]
        assert ("delta", []) == (second["type"], second["actors"])
        assert 1_000 == second["at"] - first["at"]
        assert [("2", 2)] == [(actor["key"], actor["turns"]) for actor in third["actors"]]
        assert [("Desk", 3)] == [(kind["kind"], kind["turns"]) for kind in third["kinds"] if kind["turns"]]
        assert ["Desk/1", "Desk/2"] == third["order"]


async def test_a_client_chooses_what_it_sees(autojump_clock):
    """Kind, part of the key, order and number; the answer comes at once, and is a snapshot."""
    async with office() as at:
        for key in ("red 1", "red 2", "green"):
            await Desk(at.system, key).work()
        await Desk(at.system, "red 2").work()
        socket = await at.dial()
        first = await _message(socket)

        chosen = await _subscribe(socket, kind="Desk", key="red", sort="turns", limit=1)
        none = await _subscribe(socket, kind="Mailer")

        assert (2, ["Desk/red 2"]) == (chosen["total"], chosen["order"])
        assert chosen["at"] - first["at"] < 1_000
        assert (0, [], len(KINDS) + 1) == (none["total"], none["order"], len(none["kinds"]))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("hello", "not a subscription"),
        ('{"subscribe":{"sort":"name"}}', "not a subscription"),
        ('{"subscribe":{"limit":201}}', "not a subscription"),
        ('{"subscribe":{},"more":1}', "not a subscription"),
        ('{"subscribe":{"kind":"Nobody"}}', "there is no such kind"),
        ('"' + "x" * MESSAGE_CHARACTERS_MAX + '"', "the message is too long"),
    ],
)
async def test_what_is_no_subscription_ends_the_view(autojump_clock, text, why):
    """With a code and a reason, and without a line in the log."""
    async with office() as at:
        socket = await at.dial()
        await _message(socket)
        await socket.send_message(text)

        assert (1008, why) == await _close_code(socket)


async def test_twenty_are_open_and_the_next_is_refused(autojump_clock):
    """It is told to come again; once one has left, there is room."""
    async with office() as at:
        sockets = [await at.dial() for _ in range(SOCKETS_MAX)]
        for socket in sockets:
            await _message(socket)

        refused = await _close_code(await at.dial())
        await sockets[0].aclose()
        await trio.sleep(1)
        admitted = await _message(await at.dial())

        assert (1013, "20 live views are open") == refused
        assert "snapshot" == admitted["type"]


async def test_nothing_is_computed_while_nobody_listens(autojump_clock):
    """Neither before the first client, nor after the last."""
    async with office() as at:
        await trio.sleep(60)
        before = at.system.surveys
        socket = await at.dial()
        await trio.sleep(10)
        await socket.aclose()
        await trio.sleep(1)
        during = at.system.surveys
        await trio.sleep(60)

        assert (0, 10) == (before, min(during, 10))
        assert during == at.system.surveys


async def test_a_client_that_does_not_read_is_dropped(autojump_clock):
    """What it does not take is not computed, and in bounded time its place is free."""
    async with office() as at:
        for number in range(200):
            await Desk(at.system, f"{number:0200}").work()
        stream = at.server.dial(trio.testing.lockstep_stream_pair).stream
        await stream.send_all(_handshake(BEARER))
        await stream.receive_some()
        await trio.sleep(120)
        during = at.system.surveys
        await trio.sleep(120)

        assert 1 <= during <= 2
        assert during == at.system.surveys


async def test_surveys_take_a_quarter_of_the_time_at_most(autojump_clock):
    """However many clients there are, and however long a survey takes."""
    async with office() as at:
        at.system.seconds = 0.5
        sockets = [await at.dial() for _ in range(5)]
        await trio.sleep(100)

        assert at.system.surveys <= 100 / (0.5 * (1 + RESTS)) + 1
        for socket in sockets:
            assert "snapshot" == (await _message(socket))["type"]


async def test_a_client_that_subscribes_all_the_time_gets_ten_answers_a_second(autojump_clock):
    """At most, so that it costs no more than ten that listen."""
    async with office() as at:
        socket = await at.dial()
        with trio.move_on_after(10):
            while True:
                await socket.send_message('{"subscribe":{}}')
                await trio.sleep(0.01)

        assert 10 < at.system.surveys <= 101


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ([(b"x-nothing", b"1")], 401),
        ([(b"authorization", b"Bearer a-guess")], 401),
        ([BEARER, (b"origin", b"https://evil.example")], 403),
        ([BEARER, (b"origin", b"http://ops.test:8000")], 403),
        ([BEARER, (b"origin", b"null")], 403),
    ],
)
async def test_pages_of_others_and_clients_without_the_token_are_refused(autojump_clock, headers, status):
    """Before the handshake; a page of the public listener at the same host is another origin."""
    async with office() as at:
        refused = await at.server.dial().ask(_handshake(*headers))

        assert status == refused.status
        assert 0 == at.system.surveys


async def test_a_browser_s_cookie_opens_it_for_as_long_as_it_lasts(autojump_clock):
    """From a page of the listener; then the client is told to sign in again."""
    async with office() as at:
        began_at = at.system.clock.now()
        cookie = OperatorSessions(TOKEN).issue(began_at - SESSION_LIFE_MS + 5_000)
        socket = await at.dial(
            (b"cookie", f"{SESSION_COOKIE}={cookie}".encode()), (b"origin", b"https://ops.test")
        )
        first = await _message(socket)

        assert "snapshot" == first["type"]
        assert (4401, "sign in again") == await _close_code(socket)
        assert 5_000 == at.system.clock.now() - began_at


async def test_a_stop_ends_it(autojump_clock):
    """The listener says goodbye to its clients when the service stops."""
    async with office() as at:
        socket = await at.dial()
        await _message(socket)
        at.server.server.stop()

        assert 1001 == (await _close_code(socket))[0]
