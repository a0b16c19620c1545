"""The state that the connections of one listener share."""

import math
from typing import Any, Final
from wsgiref.handlers import format_date_time

import trio

from svc.clock import Clock
from svc.domain.limits import UNSENT_BYTES_MAX
from svc.domain.locale.times import SECOND_MS
from svc.domain.randomness import Randomness
from svc.http.asgi import STOPPING, ASGIApp
from svc.http.server._deadlines import Cancellable, Patience, Writing
from svc.http.server._options import ServerOptions
from svc.http.server._unsent import Ledger
from svc.http.server._waiting import WaitingConnections

STALL_SECONDS: Final = 2.0
"""Time without progress of a write, after which the connection counts as waiting."""


class Context:
    """The application, the limits, the waiting connections with deadlines, and whether the server stops."""

    def __init__(self, app: ASGIApp, options: ServerOptions, clock: Clock, random: Randomness) -> None:
        self.app = app
        self.options = options
        self.random = random
        stall_seconds = min(STALL_SECONDS, options.write_seconds / 2)
        self.heads: Patience[Cancellable] = Patience(options.head_seconds, _cancel)
        self.bodies: Patience[Cancellable] = Patience(options.body_seconds, _cancel)
        self.idles: Patience[Cancellable] = Patience(options.keep_alive_seconds, _cancel)
        self.writes: Patience[Writing] = Patience(stall_seconds, _stall)
        self.stalls: Patience[Cancellable] = Patience(options.write_seconds - stall_seconds, _cancel)
        self.patiences = (self.heads, self.bodies, self.idles, self.writes, self.stalls)
        self.waiting = WaitingConnections(
            options.connections_max, options.waiting_per_address_max, options.trusted_proxies
        )
        self.unsent = Ledger(UNSENT_BYTES_MAX)
        """What the answers of all connections keep."""
        self.stopping = False
        self._stop = trio.Event()
        self.extensions: dict[str, Any] = {STOPPING: self._stop}
        """The ASGI extensions that every scope has."""
        self.ends_at = math.inf
        """On Trio's clock: when even shielded work is cancelled."""
        self._clock = clock
        self._date_second = 0
        self._date_line = b""

    def stop(self) -> None:
        """Have every exchange end: those under way have `graceful_seconds`."""
        self.stopping = True
        self.ends_at = trio.current_time() + self.options.graceful_seconds
        self._stop.set()

    def date_line(self) -> bytes:
        """The `Date` header line of this second."""
        second = self._clock.wall() // SECOND_MS
        if second != self._date_second:
            self._date_second = second
            self._date_line = f"date: {format_date_time(second)}\r\n".encode()
        return self._date_line


def _cancel(waiting: Cancellable) -> None:
    waiting.cancel()


def _stall(writing: Writing) -> None:
    writing.stall()
