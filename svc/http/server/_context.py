"""What the connections of one listener share."""

import math
from wsgiref.handlers import format_date_time

from svc.clock import Clock
from svc.domain.times import SECOND_MS
from svc.http.asgi import ASGIApp
from svc.http.server._options import ServerOptions
from svc.http.server._patience import Patience


class Context:
    """The application, the limits, the patience with each kind of wait, and whether the end has come."""

    def __init__(self, app: ASGIApp, options: ServerOptions, clock: Clock) -> None:
        self.app = app
        self.options = options
        self.heads = Patience(options.head_seconds)
        self.bodies = Patience(options.body_seconds)
        self.idles = Patience(options.keep_alive_seconds)
        self.writes = Patience(options.write_seconds)
        self.patiences = (self.heads, self.bodies, self.idles, self.writes)
        self.stopping = False
        self.ends_at = math.inf
        """On Trio's clock: when even what is shielded from cancellation must be over."""
        self._clock = clock
        self._date_second = 0
        self._date_line = b""

    def date_line(self) -> bytes:
        """The `Date` header line of this second."""
        second = self._clock.wall() // SECOND_MS
        if second != self._date_second:
            self._date_second = second
            self._date_line = f"date: {format_date_time(second)}\r\n".encode()
        return self._date_line
