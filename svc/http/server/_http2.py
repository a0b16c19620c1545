"""HTTP/2 by hypercorn, hardened against early answers, stalled readers, and abusive clients."""

import re
from contextlib import suppress
from typing import Any, Final, cast

import h2.errors
import h2.events
import h2.exceptions
import trio
from h2.connection import ConnectionState
from hypercorn.events import Closed, Event, RawData, Updated
from hypercorn.protocol.events import Body, Data, EndBody, Request, StreamClosed
from hypercorn.protocol.events import Event as StreamEvent
from hypercorn.protocol.h2 import H2Protocol
from hypercorn.protocol.http_stream import HTTPStream
from hypercorn.protocol.ws_stream import WSStream
from hypercorn.utils import filter_pseudo_headers

from svc.http.request.request_id import REQUEST_ID_HEADER, request_id_of
from svc.http.server._frames import FrameMeter
from svc.http.server._head import is_host
from svc.http.server._send_buffer import SendBuffer
from svc.http.server._sending import Sending, pieces_of
from svc.http.server._stream import Tasks
from svc.http.server._unsent import Body as AnyBytes

_TOKEN: Final = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_PATH: Final = re.compile(rb"/[!-~]*")
_NOT_IMPLEMENTED: Final = 501
_WEBSOCKET_VERSION: Final = b"13"

Fault = h2.errors.ErrorCodes | int
"""Why a stream is not served: the code to reset it with, or the status to answer it with."""


class Http2(H2Protocol):
    """One connection's HTTP/2. Its *task_group* is a `Tasks`."""

    _dropped_bytes = 0

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        # What is announced counts for h2 only once the client has said that it knows.
        self.connection.decoder.max_header_list_size = self.config.h2_max_header_list_size
        self._meter = FrameMeter(2 * self.config.h2_max_header_list_size)
        self._ends: dict[int, trio.Event] = {}
        """Of the streams that are given whole, when nothing more is sent on them."""

    @property
    def _tasks(self) -> Tasks:
        return cast("Tasks", self.task_group)

    async def handle(self, event: Event) -> None:
        """Handle received data, unless it has too many frames that request nothing."""
        if isinstance(event, RawData) and not self._meter.takes(event.data):
            await self._end(h2.errors.ErrorCodes.ENHANCE_YOUR_CALM)
            return
        await super().handle(event)
        if self.closed:
            for buffer in list(self.stream_buffers.values()):
                await buffer.close()  # or the sending task would wait until its deadline
            for end in self._ends.values():
                end.set()

    async def go_away(self) -> None:
        """Tell the client that nothing more is answered here, unless it was told why already."""
        if self.connection.state_machine.state is not ConnectionState.CLOSED:
            self.connection.close_connection()
        await self._flush()

    async def stream_send(self, event: StreamEvent) -> None:
        """Send part of an answer. The stream of a client that does not read it in time is reset."""
        if self.closed:
            return
        if isinstance(event, StreamClosed):
            await self._reset_unended(event.stream_id)
        sending = Sending(self._tasks, self._kept_by(event))
        try:
            with sending.patience:
                for piece in pieces_of(event):
                    with sending.begun():
                        await super().stream_send(piece)
                        if isinstance(piece, EndBody):
                            await self._wait_end(piece.stream_id)
        finally:
            sending.end()
        if sending.patience.cancelled_caught:
            await self._reset(event.stream_id, h2.errors.ErrorCodes.CANCEL)
            await self._close_stream(event.stream_id)
            if event.stream_id in self.stream_buffers:
                await self.stream_buffers[event.stream_id].close()
                await self._window_updated(event.stream_id)  # has the sending task forget it

    def _kept_by(self, event: StreamEvent) -> AnyBytes:
        """What is kept in memory until *event* is sent."""
        if isinstance(event, Body | Data):
            return event.data
        buffer = self.stream_buffers.get(event.stream_id)
        return b"" if buffer is None else cast("SendBuffer", buffer).last_body

    async def _reset_unended(self, stream_id: int) -> None:
        """Reset a stream whose application is done before its answer is, so that the client sees it."""
        buffer = self.stream_buffers.get(stream_id)
        if buffer is None or not isinstance(self.streams.get(stream_id), HTTPStream):
            return
        if cast("SendBuffer", buffer).unended:
            await self._reset(stream_id, h2.errors.ErrorCodes.INTERNAL_ERROR)
            await buffer.close()
            await self._window_updated(stream_id)  # has the sending task forget it

    async def _wait_end(self, stream_id: int) -> None:
        """Wait until the end of a stream is sent. A server that stops closes the connection after this."""
        if stream_id in self.stream_buffers and not self.closed:
            end = self._ends[stream_id] = trio.Event()
            try:
                await end.wait()
            finally:
                del self._ends[stream_id]

    async def _send_data(self, stream_id: int) -> None:
        await super()._send_data(stream_id)
        if stream_id in self._ends and stream_id not in self.stream_buffers:
            self._ends[stream_id].set()

    async def _flush(self) -> None:
        data = self.connection.data_to_send()
        if data:
            self._meter.note_sent(len(data))
            await self.send(RawData(data))

    async def _priority_updated(self, event: h2.events.PriorityUpdated) -> None:
        """Streams take turns: priorities are ignored, as RFC 9113 section 5.3.2 deprecates them."""

    async def _handle_events(self, events: list[h2.events.Event]) -> None:
        for event in events:
            if isinstance(event, h2.events.DataReceived) and event.stream_id not in self.streams:
                await self._drop(event)
            elif isinstance(event, h2.events.RequestReceived):
                await self._tasks.wait_turn()
                if not await self._take(event):
                    return
            elif isinstance(event, h2.events.DataReceived) and self._is_early(event.stream_id):
                await self._reset(event.stream_id, h2.errors.ErrorCodes.PROTOCOL_ERROR)
                await self._close_stream(event.stream_id)
            else:
                await super()._handle_events([event])

    async def _create_stream(self, request: h2.events.RequestReceived) -> None:
        """As hypercorn does, with a buffer that copies nothing; priorities are none."""
        fields = dict(request.headers)
        kind = WSStream if fields[b":method"] == b"CONNECT" else HTTPStream
        stream_id = request.stream_id
        self.streams[stream_id] = stream = kind(
            self.app,
            self.config,
            self.context,
            self.task_group,
            self.ssl,
            self.client,
            self.server,
            self.stream_send,
            stream_id,
        )
        self.stream_buffers[stream_id] = SendBuffer(self.context.event_class)
        self.priority.insert_stream(stream_id)
        self.priority.block(stream_id)
        await stream.handle(
            Request(
                stream_id=stream_id,
                headers=filter_pseudo_headers(request.headers),
                http_version="2",
                method=fields[b":method"].decode("ascii"),
                raw_path=fields[b":path"],
                state=self.connection_state,
            )
        )

    async def _take(self, event: h2.events.RequestReceived) -> bool:
        """Run the application for a stream, or reject it; returns whether the connection continues."""
        stopping = self._tasks.context.stopping
        if self._tasks.full and not stopping:
            # The client resets the streams that it opens, faster than they can be answered.
            await self._end(h2.errors.ErrorCodes.ENHANCE_YOUR_CALM)
            return False
        # A rejected request may be retried: it was not processed (RFC 9113 section 8.7).
        refused = stopping or self._tasks.crowded
        fault = h2.errors.ErrorCodes.REFUSED_STREAM if refused else _fault_of(event)
        if fault is None:
            await super()._handle_events([event])
            return True
        if isinstance(fault, h2.errors.ErrorCodes):
            await self._reset(event.stream_id, fault)
        else:
            await self._answer(event, fault)
        await self.send(Updated(idle=self.idle))
        return True

    def _is_early(self, stream_id: int) -> bool:
        """Whether the stream is a WebSocket's whose handshake is not answered yet."""
        stream = self.streams[stream_id]
        return isinstance(stream, WSStream) and not stream.handshake.accepted

    async def _answer(self, event: h2.events.RequestReceived, status: int) -> None:
        headers = [
            (b":status", b"%d" % status),
            (REQUEST_ID_HEADER, request_id_of(event.headers, self._tasks.context.random)),
            (b"content-length", b"0"),
        ]
        self.connection.send_headers(event.stream_id, headers, end_stream=True)
        await self._flush()

    async def _end(self, code: h2.errors.ErrorCodes) -> None:
        with suppress(h2.exceptions.ProtocolError):
            self.connection.close_connection(code)
        await self._flush()
        await self.send(Closed())

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


def _fault_of(event: h2.events.RequestReceived) -> Fault | None:
    """The fault of a request that h2 accepts: RFC 9113 section 8.3.1, RFC 8441 section 4."""
    fields = dict(event.headers)
    method, path, protocol = fields[b":method"], fields.get(b":path"), fields.get(b":protocol")
    host = fields.get(b":authority", fields.get(b"host", b""))
    if not _TOKEN.fullmatch(method) or not is_host(host):
        return h2.errors.ErrorCodes.PROTOCOL_ERROR
    if method == b"CONNECT" and protocol is None:
        return _NOT_IMPLEMENTED
    if path is None or not (_PATH.fullmatch(path) or (path, method) == (b"*", b"OPTIONS")):
        return h2.errors.ErrorCodes.PROTOCOL_ERROR
    if method != method.upper():
        return _NOT_IMPLEMENTED
    if protocol is not None:
        taken = protocol == b"websocket" and fields.get(b"sec-websocket-version") == _WEBSOCKET_VERSION
        return None if taken else _NOT_IMPLEMENTED
    return None
