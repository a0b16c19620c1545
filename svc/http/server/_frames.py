"""Counts the frames of an HTTP/2 client before they are parsed.

h2 limits streams and header lists. It does not limit frames that cost work or memory and request
nothing: PING, SETTINGS, RST_STREAM, PRIORITY, WINDOW_UPDATE and unknown frames, DATA with next to no
data, and header blocks continued in CONTINUATION (RFC 9113 section 10.5). Many of these cause no event
by which they could be counted afterwards.
"""

from enum import IntEnum
from typing import Final

import trio

FRAMES_MAX: Final = 1_000
"""Burst of frames that request nothing."""
FRAMES_PER_SECOND: Final = 50
"""Rate of such frames in the long run."""
BYTES_PER_FRAME: Final = 512
"""Bytes sent to the client that allow it one more such frame, since it then opens windows again."""
DATA_BYTES_MIN: Final = 256
"""Smallest DATA in the middle of a body that is not counted as such a frame."""
SETTINGS_MAX: Final = 256
"""Settings that a connection may send in its life. h2 stores unknown ones too."""
_SETTING_BYTES: Final = 6
_PREFACE_BYTES: Final = 24
_HEADER_BYTES: Final = 9
_END_STREAM: Final = 0x1
_END_HEADERS: Final = 0x4


class _Type(IntEnum):
    """Types of frames (RFC 9113 section 6) that are told apart here."""

    DATA = 0
    HEADERS = 1
    SETTINGS = 4
    CONTINUATION = 9


class FrameMeter:
    """Counts the frames of one connection, whose header blocks may have *block_bytes_max*."""

    def __init__(self, block_bytes_max: int) -> None:
        self._block_bytes_max = block_bytes_max
        self._block_bytes = 0  # of the header block that is open
        self._settings = 0
        self._header = b""  # of a frame, as far as it has come
        self._skipped = _PREFACE_BYTES  # until the next frame
        self._left: float = FRAMES_MAX
        self._since = trio.current_time()

    def note_sent(self, sent_bytes: int) -> None:
        """Allow for the frames with which the client takes what it is sent."""
        self._left = min(FRAMES_MAX, self._left + sent_bytes / BYTES_PER_FRAME)

    def takes(self, data: bytes) -> bool:
        """Whether *data*, the next that the client sent, is within all limits."""
        now = trio.current_time()
        self._left = min(FRAMES_MAX, self._left + (now - self._since) * FRAMES_PER_SECOND)
        self._since = now
        position = 0
        while position < len(data):
            if self._skipped:
                taken = min(self._skipped, len(data) - position)
                self._skipped -= taken
            else:
                taken = _HEADER_BYTES - len(self._header)
                self._header += data[position : position + taken]
                if len(self._header) == _HEADER_BYTES and not self._takes_frame():
                    return False
            position += taken
        return True

    def _takes_frame(self) -> bool:
        length = int.from_bytes(self._header[:3], "big")
        kind, flags = self._header[3], self._header[4]
        self._header = b""
        self._skipped = length
        if kind == _Type.DATA:
            asks = length >= DATA_BYTES_MIN or flags & _END_STREAM
        elif kind == _Type.HEADERS:
            self._block_bytes = 0
            asks = True
        else:
            asks = False
        if kind in {_Type.HEADERS, _Type.CONTINUATION}:
            self._block_bytes += length
        elif kind == _Type.SETTINGS:
            self._settings += length // _SETTING_BYTES
        if not asks:
            self._left -= 1
        return (
            self._left >= 0 and self._block_bytes <= self._block_bytes_max and self._settings <= SETTINGS_MAX
        )
