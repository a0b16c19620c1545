"""Sort keys: every value of a property as bytes whose order is the order of the values.

One order for every database, whatever its collations: bytes are compared as they are.
"""

import struct
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any, Final

from svc.domain.limits import SORT_KEY_BYTES_MAX
from svc.domain.records.properties import PropertyType

EMPTY: Final = b""
"""The key of a missing value."""
FIRST: Final = b"\x00"
"""Sorts before the key of any value, and after `EMPTY`."""
LAST: Final = b"\xff" * 9
"""Sorts after the key of any value."""

_DOUBLE: Final = struct.Struct(">Q")
_BITS: Final = struct.Struct(">d")
_SIGN: Final = 1 << 63
_ALL: Final = (1 << 64) - 1
_SEPARATOR: Final = "\x1f"


def fold(text: str) -> str:
    """*text* as texts are compared: upper and lower case and compatible characters alike."""
    return text.casefold() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def sort_key(kind: PropertyType, value: Any) -> bytes:
    """The key of *value*, a stored value of a property of *kind*. A text is cut to the length of a key."""
    return EMPTY if value is None else _KEYS[kind](value)


def number_key(value: float) -> bytes:
    """The bits of the double, turned so that they sort as the number does."""
    [bits] = _DOUBLE.unpack(_BITS.pack(value + 0.0))
    return _DOUBLE.pack(bits ^ _ALL if bits & _SIGN else bits | _SIGN)


def text_key(text: str) -> bytes:
    return fold(text).encode()[:SORT_KEY_BYTES_MAX]


def _plain(text: str) -> bytes:
    return text.encode()


def _boolean(value: bool) -> bytes:
    return b"2" if value else b"1"


def _choices(chosen: list[str]) -> bytes:
    return text_key(_SEPARATOR.join(chosen))


_KEYS: Final[Mapping[PropertyType, Callable[[Any], bytes]]] = {
    "text": text_key,
    "long_text": text_key,
    "number": number_key,
    "amount": number_key,
    "date": _plain,
    "datetime": _plain,
    "boolean": _boolean,
    "select": text_key,
    "multi_select": _choices,
    "email": text_key,
    "phone": text_key,
    "url": text_key,
    "picture": text_key,
    "relation": _plain,
    "member": _plain,
}
