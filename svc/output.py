"""Writing lines to a stream that may fail, block or be gone, without an error and without a wait.

Standard error may be a file on a full disk, a pipe whose reader died, or one whose reader is too slow. None
of that may stop a service, so what is written here is taken at once or lost, and the writer is told which.
"""

import io
import os
import select
from threading import RLock
from typing import Any, Final, TextIO, cast

PIECE_BYTES: Final = select.PIPE_BUF
"""What a pipe that is ready to be written takes as a whole, without blocking (POSIX)."""


class Output:
    """Takes text for *stream*, or loses it. None is a stream that was closed before the program began."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream
        self._descriptor = _descriptor_of(stream)
        self._encoding = getattr(stream, "encoding", None) or "utf-8"
        self._poll = select.poll()
        if self._descriptor is not None:
            self._poll.register(self._descriptor, select.POLLOUT)
        # Reentrant: the garbage collector may run in here, and what it finds may be worth a line.
        self._lock = RLock()
        self._torn = False

    @property
    def is_terminal(self) -> bool:
        try:
            return self._stream is not None and self._stream.isatty()
        except ValueError:  # it is closed
            return False

    @property
    def is_unicode(self) -> bool:
        return self._encoding.lower().replace("-", "") == "utf8"

    def write(self, text: str) -> bool:
        """Whether all of *text* was taken. Raises nothing."""
        if self._descriptor is not None:
            return self.write_bytes(text.encode(self._encoding, "backslashreplace"))
        if self._stream is None:
            return False
        try:
            self._stream.write(text)
            self._stream.flush()
        except Exception:  # noqa: BLE001  # it is none of ours, and may raise anything
            return False
        return True

    def write_bytes(self, data: bytes) -> bool:
        """Whether all of *data* was taken, by a stream that is a file. Raises nothing.

        It goes past the stream's own buffer, which would keep what failed and fail again at the end.
        """
        with self._lock:
            # A line of which only a part was taken is ended first.
            left = memoryview(b"\n" + data if self._torn else data)
            try:
                while left:
                    if not self._poll.poll(0):
                        return False  # nobody reads: to wait for that here would stop everything
                    left = left[os.write(self._descriptor or 0, left[:PIECE_BYTES]) :]
                    self._torn = bool(left)
            except Exception:  # noqa: BLE001  # full, gone, closed: see the module
                return False
            return True


def steady(stream: TextIO) -> TextIO:
    """*stream* as one that raises nothing when it is written, unless it is no file."""
    descriptor = _descriptor_of(stream)
    if descriptor is None:
        return stream
    raw = _Sink(Output(stream), descriptor)
    return io.TextIOWrapper(
        cast("io.BufferedWriter", raw),  # what takes all of it needs no buffer
        encoding=stream.encoding,
        errors="backslashreplace",
        line_buffering=True,
    )


class _Sink(io.RawIOBase):
    """The raw file under a steady stream."""

    def __init__(self, output: Output, descriptor: int) -> None:
        self._output = output
        self._descriptor = descriptor

    def fileno(self) -> int:
        return self._descriptor

    def isatty(self) -> bool:
        return self._output.is_terminal

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._output.write_bytes(bytes(data))
        return len(data)


def _descriptor_of(stream: TextIO | None) -> int | None:
    try:
        return None if stream is None else stream.fileno()
    except (OSError, ValueError):  # io.UnsupportedOperation is both
        return None
