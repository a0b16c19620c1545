"""HTTP/2 by hypercorn, made to survive early answers, stalled readers, and streams opened to be reset."""

from contextlib import suppress
from typing import cast

import h2.errors
import h2.events
import h2.exceptions
import trio
from hypercorn.events import Closed, Updated
from hypercorn.protocol.events import Event as StreamEvent
from hypercorn.protocol.h2 import H2Protocol

from svc.http.server._stream import Tasks


class Http2(H2Protocol):
    """One connection's HTTP/2. Its *task_group* is a `Tasks`."""

    _dropped_bytes = 0

    @property
    def _tasks(self) -> Tasks:
        return cast("Tasks", self.task_group)

    async def go_away(self) -> None:
        """Tell the client that nothing more is answered on this connection."""
        with suppress(h2.exceptions.ProtocolError):
            self.connection.close_connection()
        await self._flush()

    async def stream_send(self, event: StreamEvent) -> None:
        """Send part of an answer. A client that does not take it in time loses the stream."""
        with trio.move_on_after(self._tasks.context.options.write_seconds) as patience:
            await super().stream_send(event)
        if patience.cancelled_caught:
            await self._reset(event.stream_id, h2.errors.ErrorCodes.CANCEL)
            await self._close_stream(event.stream_id)
            if event.stream_id in self.stream_buffers:
                await self.stream_buffers[event.stream_id].close()

    async def _handle_events(self, events: list[h2.events.Event]) -> None:
        for event in events:
            if isinstance(event, h2.events.DataReceived) and event.stream_id not in self.streams:
                await self._drop(event)
            elif isinstance(event, h2.events.RequestReceived) and self._tasks.context.stopping:
                # The client may ask another server, since this one did nothing (RFC 9113 section 8.7).
                await self._reset(event.stream_id, h2.errors.ErrorCodes.REFUSED_STREAM)
                await self.send(Updated(idle=self.idle))
            elif isinstance(event, h2.events.RequestReceived) and self._tasks.full:
                # The client resets what it opens, and opens faster than anybody can answer.
                self.connection.close_connection(h2.errors.ErrorCodes.ENHANCE_YOUR_CALM)
                await self._flush()
                await self.send(Closed())
                return
            else:
                await super()._handle_events([event])

    async def _drop(self, event: h2.events.DataReceived) -> None:
        """Take the rest of a body that was answered early, as `Connection.linger` does, up to a point."""
        self._dropped_bytes += event.flow_controlled_length
        self.connection.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        if self._dropped_bytes > self._tasks.context.options.linger_bytes:
            await self._reset(event.stream_id, h2.errors.ErrorCodes.NO_ERROR)
        await self._flush()

    async def _reset(self, stream_id: int, code: h2.errors.ErrorCodes) -> None:
        stream = self.connection.streams.get(stream_id)
        if stream is not None and not stream.closed:
            with suppress(h2.exceptions.ProtocolError):
                self.connection.reset_stream(stream_id, code)
            await self._flush()
