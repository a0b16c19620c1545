"""Open streams of live events, read by one thread, which notes when each hint came."""

import selectors
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

_CHUNK: Final = 65_536
_WAIT_SECONDS: Final = 0.2
_OK: Final = b"HTTP/1.1 200"


class Streams:
    """Streams, each with the session of one of *tokens*, in turn."""

    def __init__(self, port: int, tokens: Sequence[str], count: int, organization_id: str) -> None:
        self.hints = 0
        """Events that came on all streams together."""
        self._selector = selectors.DefaultSelector()
        self._port = port
        self._wanted = b""
        self._seen: dict[int, float] = {}
        self._is_over = False
        for number in range(count):
            self._open(tokens[number % len(tokens)], organization_id)

    def _open(self, token: str, organization_id: str) -> None:
        stream = socket.create_connection(("127.0.0.1", self._port), timeout=30)
        head = (
            f"GET /app/api/events?org={organization_id} HTTP/1.1",
            "host: bench",
            "sec-fetch-site: same-origin",
            f"cookie: svc_session={token}",
            "",
            "",
        )
        stream.sendall("\r\n".join(head).encode())
        if not stream.recv(_CHUNK).startswith(_OK):
            raise SystemExit("a stream was refused")
        stream.setblocking(False)
        self._selector.register(stream, selectors.EVENT_READ)

    def __len__(self) -> int:
        return len(self._selector.get_map())

    def read(self) -> None:
        """Read all streams until they are closed; in a thread of its own."""
        while not self._is_over:
            for key, _ in self._selector.select(_WAIT_SECONDS):
                stream = key.fileobj
                assert isinstance(stream, socket.socket)
                part = stream.recv(_CHUNK)
                if not part:
                    raise SystemExit("a stream was ended")
                self.hints += part.count(b"event: changed")
                if self._wanted and self._wanted in part:
                    self._seen.setdefault(key.fd, time.perf_counter())

    def look_for(self, id_: str) -> None:
        """Note from now on when each stream has a hint of this thing."""
        self._seen = {}
        self._wanted = id_.encode()

    def seen(self) -> list[float]:
        """When each stream had the hint, by `time.perf_counter`."""
        return list(self._seen.values())

    def close(self) -> None:
        """Close all streams."""
        self._is_over = True
        for key in list(self._selector.get_map().values()):
            assert isinstance(key.fileobj, socket.socket)
            key.fileobj.close()


@contextmanager
def open_streams(port: int, tokens: Sequence[str], count: int, organization_id: str) -> Iterator[Streams]:
    """Streams that are read while the block runs."""
    streams = Streams(port, tokens, count, organization_id)
    reader = threading.Thread(target=streams.read)
    reader.start()
    try:
        yield streams
    finally:
        streams._is_over = True
        reader.join()
        streams.close()
