"""Accepting connections while the process has no file descriptors left."""

import errno
from typing import Any, cast

import trio
import trio.testing
from structlog.testing import capture_logs

from svc.http.server._serve import _EXHAUSTED_PAUSE_SECONDS, _accept_until
from svc.logging.throttled import LOG_SECONDS
from tests.http.serving import GET, in_memory


class Exhausted:
    """A listener that can accept nothing for a while, then one connection, and then has none."""

    def __init__(self, failures: int, socket: trio.socket.SocketType) -> None:
        self.failures = failures
        self.socket = socket

    async def accept(self) -> Any:
        await trio.lowlevel.checkpoint()
        if self.failures < 0:
            await trio.sleep_forever()
        self.failures -= 1
        if self.failures >= 0:
            raise OSError(errno.EMFILE, "Too many open files")
        return "a stream"


async def test_without_descriptors_the_longest_wait_makes_room() -> None:
    """One that is held back serves the new connection, and the one that waits longest is closed for it."""
    async with in_memory() as server:
        server.server.hold_descriptors()
        first, second = server.dial(), server.dial()
        replies = [await client.ask(GET) for client in (first, second)]
        made = [server.server.make_room() for _ in range(2)]
        await trio.testing.wait_all_tasks_blocked()  # what was closed gives its descriptor back
        again = server.server.make_room()
        closed = [await first.closed(), await second.closed()]
        server.server.let_descriptors_go()

    assert [200, 200] == [reply.status for reply in replies]
    assert [True, False, True] == [*made, again]
    assert [True, True] == closed


async def test_room_that_was_made_is_used_at_once(autojump_clock) -> None:
    """Without a pause, as long as there is room to make; it is logged once, and no failure is."""
    [real] = await trio.open_tcp_listeners(0, host="127.0.0.1")
    listener = Exhausted(5, real.socket)
    stop = trio.Event()
    began = trio.current_time()

    with capture_logs() as lines, real.socket:
        await _accept_until(stop, [cast("trio.SocketListener", listener)], lambda _: stop.set(), lambda: True)

    assert began == trio.current_time()
    assert ["no file descriptors are left; connections that wait are closed for others"] == [
        line["event"] for line in lines
    ]


async def test_descriptors_that_run_out_are_logged_now_and_then(autojump_clock):
    """Ten tries a second for two minutes are two lines, and a third says that it is over."""
    [real] = await trio.open_tcp_listeners(0, host="127.0.0.1")
    listener = Exhausted(round(1.5 * LOG_SECONDS / _EXHAUSTED_PAUSE_SECONDS), real.socket)
    stop = trio.Event()
    accepted: list[object] = []

    def take(stream: object) -> None:
        accepted.append(stream)
        stop.set()

    with capture_logs() as lines, real.socket:
        await _accept_until(stop, [cast("trio.SocketListener", listener)], take, lambda: False)

    assert ["a stream"] == accepted
    assert [
        *["cannot accept connections"] * 2,
        "can accept connections again",
    ] == [line["event"] for line in lines]
    assert "Too many open files" == lines[0]["latest"]
