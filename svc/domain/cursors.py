"""Cursors: the position after a page of a list, opaque to clients.

A cursor holds the sort keys and the id of the last row, and a digest of the query: a position means nothing
in the answer to another query. It is neither a secret nor a permission, so it is validated and not signed.
"""

import binascii
import hashlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any, Final

import msgspec

from svc.domain.errors import Fault, InvalidInput
from svc.domain.limits import LIST_ROWS_MAX

_DIGEST_BYTES: Final = 8
_CURSOR_CHARS_MAX: Final = 1_024


class Position(msgspec.Struct, frozen=True, array_like=True):
    """The place of one row in an order."""

    keys: tuple[bytes, ...]
    id: str


_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(Position).decode


def check_limit(limit: int, limit_max: int = LIST_ROWS_MAX, *, pointer: str = "/limit") -> None:
    """Raises `InvalidInput`, at *pointer*, for a page size out of range."""
    if not 0 < limit <= limit_max:
        raise InvalidInput([Fault(pointer, "invalid_value", f"not between 1 and {limit_max}")])


def write(question: Any, position: Position) -> str:
    """The cursor to continue after *position* in the answer to *question* (JSON-ready)."""
    return urlsafe_b64encode(_digest(question) + _encode(position)).rstrip(b"=").decode()


def read(question: Any, cursor: str | None, keys: int, *, pointer: str = "/cursor") -> Position | None:
    """Decode *cursor*, which has so many sort *keys*.

    Raises `InvalidInput`, at *pointer*, if it is not a cursor of this question.
    """
    if cursor is None:
        return None
    try:
        if len(cursor) > _CURSOR_CHARS_MAX:
            raise ValueError  # noqa: TRY301  # all that is wrong ends the same way
        packed = urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
        position = _decode(packed[_DIGEST_BYTES:])
        if packed[:_DIGEST_BYTES] != _digest(question) or len(position.keys) != keys:
            raise ValueError  # noqa: TRY301  # as above
    except (ValueError, binascii.Error, msgspec.DecodeError):
        raise refused(pointer) from None
    return position


def refused(pointer: str = "/cursor") -> InvalidInput:
    """The error for what is not a cursor of the list."""
    return InvalidInput(
        [Fault(pointer, "invalid_value", "not a cursor of this list: ask again from its start")]
    )


def _digest(question: Any) -> bytes:
    return hashlib.blake2b(msgspec.json.encode(question), digest_size=_DIGEST_BYTES).digest()
