"""The parts of one stream's answer that are not sent yet, as the application made them."""

from collections import deque
from typing import Any, Final

from hypercorn.protocol.h2 import BUFFER_HIGH_WATER, BUFFER_LOW_WATER, BufferCompleteError, StreamBuffer

from svc.http.server._unsent import Body

FRAME_BYTES_MAX: Final = 16_384
"""The payload of one frame. A client may announce that it takes longer ones, which would be copied for it."""


class SendBuffer(StreamBuffer):
    """A `StreamBuffer` that copies nothing before it is framed, and waits while a window is shut, too."""

    def __init__(self, event_class: Any) -> None:
        super().__init__(event_class)
        self._parts: deque[memoryview] = deque()
        self._unsent_bytes = 0

    @property
    def complete(self) -> bool:
        """Whether all that there will be is taken."""
        return self._complete and not self._unsent_bytes

    @property
    def unended(self) -> bool:
        """Whether the application has not given the end."""
        return not self._complete

    @property
    def last_body(self) -> Body:
        """What the last part is part of, which is kept as long as the part."""
        return self._parts[-1] if self._parts else b""

    async def push(self, data: Body) -> None:
        """Append *data*, and wait while too much is untaken. Raises `BufferCompleteError` after the end."""
        if self._complete:
            raise BufferCompleteError
        self._parts.append(memoryview(data))
        self._unsent_bytes += len(data)
        await self._is_empty.clear()
        if self._unsent_bytes >= BUFFER_HIGH_WATER:
            await self._paused.clear()
            await self._paused.wait()

    async def pop(self, max_length: int) -> bytes:
        """Take up to *max_length* bytes, and no more than fit into a frame."""
        left = min(max_length, FRAME_BYTES_MAX, self._unsent_bytes)
        self._unsent_bytes -= left
        taken: list[memoryview] = []
        while left:
            part = self._parts.popleft()
            taken.append(part[:left])
            if len(part) > left:
                self._parts.appendleft(part[left:])
            left -= len(taken[-1])
        if self._unsent_bytes < BUFFER_LOW_WATER:
            await self._paused.set()
        if not self._unsent_bytes:
            await self._is_empty.set()
        return b"".join(taken)

    async def close(self) -> None:
        """Drop everything: the stream is over."""
        self._parts.clear()
        self._unsent_bytes = 0
        await super().close()
