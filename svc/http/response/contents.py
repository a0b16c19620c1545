"""Files as parts of an answer, without ever having a whole one in memory."""

from typing import Final, Protocol

from svc.http.fast_path import PartSender

PIECE_BYTES: Final = 256 * 1024
"""What is read from the disk, and sent, at once."""


class Content(Protocol):
    """An open file."""

    async def read(self, start: int, size: int, /) -> bytes:
        """Up to *size* bytes from *start* on; none behind its end."""
        ...


async def send_content(parts: PartSender, content: Content, start: int, end: int, name: str) -> None:
    """Send the bytes of *content* from *start* up to *end*. Raises `EOFError` if it is shorter than that."""
    at = start
    while at < end:
        piece = await content.read(at, min(PIECE_BYTES, end - at))
        if not piece:
            raise EOFError(f"the content of {name} is shorter than its row says")
        await parts.send(piece)
        at += len(piece)
