"""Non-blocking writes to a stream that may fail, block or be closed. They never raise.

Standard error may be a file on a full disk, a pipe whose reader died, or one whose reader is too slow. None
of that may stop a service, so text is written at once or lost, and `write` returns which.
"""

import io
import os
import select
from threading import RLock
from typing import Any, Final, TextIO, cast

PIECE_BYTES: Final = select.PIPE_BUF
"""What a writable pipe accepts without blocking, as a whole (POSIX)."""


class Output:
    """Writes to *stream*. None is a stream that was closed before the program began."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream
        self._descriptor = _descriptor_of(stream)
        self._encoding = getattr(stream, "encoding", None) or "utf-8"
        self._poll = select.poll()
        if self._descriptor is not None:
            self._poll.register(self._descriptor, select.POLLOUT)
        # Reentrant: a finalizer that the garbage collector runs in here may log.
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
        """Write *text*, and return whether all of it was written."""
        if self._descriptor is not None:
            return self.write_bytes(text.encode(self._encoding, "backslashreplace"))
        if self._stream is None:
            return False
        try:
            self._stream.write(text)
            self._stream.flush()
        except Exception:  # noqa: BLE001  # a custom stream may raise anything
            return False
        return True

    def write_bytes(self, data: bytes) -> bool:
        """Write *data* to the file descriptor, and return whether all of it was written.

        It bypasses the stream's buffer, which would keep what failed, and fail again at the exit.
        """
        with self._lock:
            # End the last line first if only a part of it was written.
            left = memoryview(b"\n" + data if self._torn else data)
            try:
                while left:
                    if not self._poll.poll(0):
                        return False  # the reader is too slow: waiting here would stop the program
                    left = left[os.write(self._descriptor or 0, left[:PIECE_BYTES]) :]
                    self._torn = bool(left)
            except Exception:  # noqa: BLE001  # full, gone, closed: see the module
                return False
            return True


def steady(stream: TextIO) -> TextIO:
    """A stream over the file of *stream* whose writes never raise; *stream* itself if it has no file."""
    descriptor = _descriptor_of(stream)
    if descriptor is None:
        return stream
    raw = _Sink(Output(stream), descriptor)
    return io.TextIOWrapper(
        cast("io.BufferedWriter", raw),  # unbuffered: `_Sink` accepts everything at once
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
