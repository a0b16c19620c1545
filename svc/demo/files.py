"""What a customer of the demo's shop sent: a picture of a lamp, and a letter."""

import struct
import zlib
from collections.abc import Callable
from typing import Final

from svc.domain.channels.messages import Attachment, InboundMessage, Sender
from svc.domain.files.contents import ContentFacts
from svc.storage.channels import messages
from svc.storage.files import files
from svc.storage.files.files import NewFile
from svc.storage.store import Tx

_ULID: Final = "01K5D3V7Q2M8Z4X6C9B1N0T5RA"
_FILE, _MESSAGE = f"fil_{_ULID}", f"msg_{_ULID}"
_LETTER: Final = b"The switch of our wall light is loose, see the picture. Can you mend it?\n\nTom Reid\n"
_SPARE: Final = b"Wall light 120.00\nDesk lamp 80.00\n"
_SIDE: Final = 48


def add_files(
    tx: Tx, organization_id: str, connection_id: str, keep: Callable[[bytes], ContentFacts]
) -> dict[str, dict[str, str]]:
    """A message with two files, and one that nothing uses, which *keep* puts on the disk.

    Returns the ids for the reference's examples.
    """
    contents = {
        place: NewFile(name=name, facts=keep(content), creator_kind="bridge", creator_id=connection_id)
        for place, (name, content) in enumerate((("lamp.png", _picture()), ("letter.txt", _LETTER)))
    }
    message = InboundMessage(
        conversation_id="4417",
        message_id="1",
        direction="in",
        sender=Sender(name="Tom Reid", email="tom@marlowe-reid.example"),
        text="Here is the lamp.",
        attachments=(
            Attachment(kind="image", name="lamp.png", mime_type="image/png"),
            Attachment(kind="file", name="letter.txt", mime_type="text/plain"),
        ),
    )
    received = messages.receive(tx, organization_id, connection_id, message, contents)
    attached = messages.get(tx.conn, organization_id, received.message).attachments
    picture, letter = (files.get(tx.conn, organization_id, one.file_id or "").id for one in attached)
    spare = NewFile(name="prices.txt", facts=keep(_SPARE), creator_kind="bridge", creator_id=connection_id)
    return {
        "*": {_FILE: picture},
        "file.discard": {_FILE: files.add(tx, organization_id, spare).id},
        "file.list": {_MESSAGE: received.message},
        "file.remove": {_FILE: letter},
    }


def _picture() -> bytes:
    """A small PNG: a lit disc on a dark ground."""
    middle, radius = _SIDE / 2, _SIDE / 3
    lit, dark = b"\xff\xc8\x50", b"\x28\x30\x40"
    rows = b"".join(
        b"\0"
        + b"".join(lit if (x - middle) ** 2 + (y - middle) ** 2 < radius**2 else dark for x in range(_SIDE))
        for y in range(_SIDE)
    )
    header = struct.pack(">IIBBBBB", _SIDE, _SIDE, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )
