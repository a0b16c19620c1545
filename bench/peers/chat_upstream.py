"""A provider of chat completions that costs next to nothing: `python -m bench.peers.chat_upstream PORT`.

Its answer is always the same, whole or streamed. The messages of a request say how a stream comes:
`pace 20x5` is 20 parts, with 5 ms before each but the first. Each part has the time at which it was
written, in ns of the monotonic clock, so that a client on this machine knows how long it was on its way.
"""

import re
import sys
import time
from functools import partial
from typing import Final

import trio

_LENGTH: Final = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_STREAMED: Final = re.compile(rb'"stream": *true')
_PACE: Final = re.compile(rb"pace (\d+)x(\d+)")
_MODEL: Final = b'"created":1758000000,"model":"small"'
_USAGE: Final = b'"usage":{"prompt_tokens":12,"completion_tokens":24,"total_tokens":36}'
_WHOLE: Final = (
    b'{"id":"chatcmpl-1","object":"chat.completion",%b,"choices":[{"index":0,"message":{"role":"assistant",'
    b'"content":"%b"},"finish_reason":"stop"}],%b}' % (_MODEL, b"A lamp burns all night. " * 12, _USAGE)
)
WHOLE: Final = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (
    len(_WHOLE),
    _WHOLE,
)
HEAD: Final = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n"
)
LAST: Final = b"0\r\n\r\n"


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def _event(choices: bytes, more: bytes = b"") -> bytes:
    common = b'"id":"chatcmpl-1","object":"chat.completion.chunk",' + _MODEL
    return _chunk(b'data: {%b,"choices":[%b]%b}\n\n' % (common, choices, more))


def _part() -> bytes:
    text = b"%d " % time.monotonic_ns()
    return _event(b'{"index":0,"delta":{"role":"assistant","content":"%b"},"finish_reason":null}' % text)


_ENDING: Final = (
    _event(b'{"index":0,"delta":{},"finish_reason":"stop"}')
    + _event(b"", b"," + _USAGE)
    + _chunk(b"data: [DONE]\n\n")
    + LAST
)
"""What ends a stream: the reason, the usage, and the two ends, all at once."""


async def handle(stream: trio.SocketStream) -> None:
    """Answer the requests of one connection, one after the other."""
    received = b""
    try:
        while data := await stream.receive_some(65_536):
            received += data
            head, ended, body = received.partition(b"\r\n\r\n")
            length = _LENGTH.search(head)
            if not ended or (length is not None and len(body) < int(length[1])):
                continue
            received = b""
            if _STREAMED.search(body):
                await _stream(stream, body)
            else:
                await stream.send_all(WHOLE)
    except trio.BrokenResourceError:
        pass  # the client left
    finally:
        await trio.aclose_forcefully(stream)


async def _stream(stream: trio.SocketStream, body: bytes) -> None:
    pace = _PACE.search(body)
    parts, pause = (int(pace[1]), int(pace[2]) / 1_000) if pace else (1, 0.0)
    began = trio.current_time()
    for number in range(parts):
        if number:
            await trio.sleep_until(began + number * pause)
        await stream.send_all(HEAD + _part() if number == 0 else _part())
    await stream.send_all(_ENDING)


if __name__ == "__main__":
    trio.run(partial(trio.serve_tcp, handle, int(sys.argv[1]), host="127.0.0.1", backlog=1_000))
