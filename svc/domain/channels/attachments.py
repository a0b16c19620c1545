"""Attachments as they are stored: what came as data is a file, and an attachment names it."""

import binascii
from base64 import b64decode
from typing import Final

from svc.domain.channels.messages import Attachment, AttachmentKind

_FILES: Final[frozenset[AttachmentKind]] = frozenset({"image", "video", "audio", "voice", "file", "sticker"})
"""Kinds whose text in `data` is base64. A location or a contact may have a card there."""


class StoredAttachment(Attachment, frozen=True, kw_only=True):
    """An attachment, with the file that has its content.

    It is no type of the channel doors: a bridge could else attach any file of the organization.
    """

    file_id: str | None = None


def content_of(attachment: Attachment) -> bytes | None:
    """The content that came along as base64; None where it did not."""
    if attachment.kind not in _FILES or not isinstance(attachment.data, str):
        return None
    try:
        return b64decode("".join(attachment.data.split()), validate=True) or None
    except (binascii.Error, ValueError):
        return None


def as_stored(
    attachment: Attachment, file_id: str | None = None, size: int | None = None
) -> StoredAttachment:
    """*attachment*, whose content is the file, if it is one."""
    return StoredAttachment(
        kind=attachment.kind,
        url=attachment.url,
        name=attachment.name,
        mime_type=attachment.mime_type,
        size=attachment.size if size is None else size,
        data=attachment.data if file_id is None else None,
        file_id=file_id,
    )


def as_sent(attachment: StoredAttachment, address: str | None) -> Attachment:
    """*attachment* as a bridge gets it: a file by its *address*, which ends."""
    return Attachment(
        kind=attachment.kind,
        url=attachment.url if attachment.file_id is None else address,
        name=attachment.name,
        mime_type=attachment.mime_type,
        size=attachment.size,
        data=attachment.data,
    )
