"""Accepting connections while the process has no file descriptors left."""

import errno
from typing import Any, cast

import trio
from structlog.testing import capture_logs

from svc.http.server._serve import _EXHAUSTED_PAUSE_SECONDS, _accept_until
from svc.throttled_log import LOG_SECONDS


class Exhausted:
    """A listener that can accept nothing for a while, then one connection, and then has none."""

    def __init__(self, failures: int, socket: trio.socket.SocketType) -> None:
        self.failures = failures
        self.socket = socket

    async def accept(self) -> Any:
        if self.failures < 0:
            await trio.sleep_forever()
        self.failures -= 1
        if self.failures >= 0:
            raise OSError(errno.EMFILE, "Too many open files")
        return "a stream"


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
        await _accept_until(stop, [cast("trio.SocketListener", listener)], take)

    assert ["a stream"] == accepted
    assert [
        *["cannot accept connections"] * 2,
        "can accept connections again",
    ] == [line["event"] for line in lines]
    assert "Too many open files" == lines[0]["latest"]
