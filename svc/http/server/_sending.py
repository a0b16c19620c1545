"""A part of an answer that one stream of HTTP/2 is sending: its time, its pieces, and what it keeps."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import cast

import trio
from hypercorn.protocol.events import Body, Data
from hypercorn.protocol.events import Event as StreamEvent

from svc.http.server._connection import PIECE_BYTES, views_of
from svc.http.server._stream import Tasks
from svc.http.server._unsent import Body as AnyBytes


class Sending:
    """A part of a stream's answer, while it is being sent in pieces."""

    def __init__(self, tasks: Tasks, body: AnyBytes) -> None:
        self.patience = trio.CancelScope()
        self._tasks = tasks
        self._unsent = tasks.unsent_part(body, self._give_up)
        self._unsent.begin()
        self._stalled = False

    @contextmanager
    def begun(self) -> Iterator[None]:
        """While one piece is being sent, for which the client has `write_seconds`."""
        writes = self._tasks.context.writes
        self.patience.deadline = trio.current_time() + self._tasks.context.options.write_seconds
        writes.begin(self)
        try:
            yield
        finally:
            writes.end(self)
            self._resume()

    def end(self) -> None:
        """Count it no longer."""
        self._unsent.end()

    def stall(self) -> None:
        """Count the stream as one that waits for its client, which does not take the answer."""
        self._stalled = True
        self._tasks.end_work()
        self._unsent.stall()

    def _resume(self) -> None:
        if self._stalled:
            self._stalled = False
            self._tasks.begin_work()
            self._unsent.resume()

    def _give_up(self) -> None:
        self.patience.cancel()
        self._tasks.close_deaf()


def pieces_of(event: StreamEvent) -> Iterator[StreamEvent]:
    """*event*, if it is a long part of an answer in pieces."""
    if isinstance(event, Body | Data) and len(event.data) > PIECE_BYTES:
        for piece in views_of(event.data):
            yield replace(event, data=cast("bytes", piece))
    else:
        yield event
