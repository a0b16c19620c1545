"""Doors that answer with streams, for tests."""

from collections.abc import Awaitable, Callable

import trio

from svc.http.asgi import Receive, Scope, Send
from svc.http.fast_path import Answer, FastPath, PartSender, Request, Routes, StreamAnswer
from tests.http.serving import respond

Write = Callable[[PartSender], Awaitable[Answer | None]]
STREAM = b"POST /stream HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}"
TYPE = (b"content-type", b"text/event-stream")


class StreamDoor:
    """A door whose answer *write* writes, and which answers errors with 502 and their text."""

    def __init__(self, write: Write, *, reads: bool) -> None:
        self._write = write
        self._reads = reads

    async def __call__(self, request: Request) -> StreamAnswer:
        if self._reads:
            await request.read(1_000)
        return StreamAnswer(200, [TYPE], self._write)

    def problem_for(self, _request: Request, error: Exception) -> Answer:
        return Answer(502, (), str(error).encode())


def streaming(write: Write, *, reads: bool = True) -> FastPath:
    """An application with *write* at `/stream`, whose door *reads* the body before."""
    return FastPath(_elsewhere, Routes({"/stream": StreamDoor(write, reads=reads)}))


async def _elsewhere(_scope: Scope, _receive: Receive, send: Send) -> None:
    await respond(send, 404, b"elsewhere")


class Parts:
    """A stream of the parts that a test gives, which notes how it ends."""

    def __init__(self) -> None:
        self.give, self._parts = trio.open_memory_channel[bytes](100)
        self.waiting = trio.Event()
        """Set when it first waits for a part."""
        self.ended = trio.Event()
        self.cancelled = False
        self.client_left = False
        self.sent = 0

    async def write(self, sender: PartSender) -> None:
        try:
            self.waiting.set()
            async for part in self._parts:
                await sender.send(part)
                self.sent += 1
        except trio.Cancelled:
            self.cancelled = True
            raise
        finally:
            self.client_left = sender.client_left
            self.ended.set()


async def endless(sender: PartSender) -> None:
    """Send the same part for ever."""
    while True:
        await sender.send(bytes(16_384))
