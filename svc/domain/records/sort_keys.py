"""Sort keys: every value of a property as bytes whose order is the order of the values.

One order for every database, whatever its collations: bytes are compared as they are.
"""

import struct
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

from svc.domain.locale.durations import parse_duration
from svc.domain.records.limits import SORT_KEY_BYTES_MAX

Order = Literal["text", "choices", "number", "boolean", "code", "seconds"]
"""How values are sorted: texts without case, numbers by size, no before yes, ASCII codes as they are,
durations by their length."""

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
CHOICES_SEPARATOR: Final = "\x1f"
"""Between the choices of a multi_select, in its key."""


def fold(text: str) -> str:
    """*text* as texts are compared: upper and lower case and compatible characters alike."""
    return text.casefold() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def number_key(value: float) -> bytes:
    """The bits of the double, turned so that they sort as the number does."""
    [bits] = _DOUBLE.unpack(_BITS.pack(value + 0.0))
    return _DOUBLE.pack(bits ^ _ALL if bits & _SIGN else bits | _SIGN)


def number_of(key: bytes) -> float:
    """The number whose key is *key*."""
    [bits] = _DOUBLE.unpack(key)
    [number] = _BITS.unpack(_DOUBLE.pack(bits ^ _SIGN if bits & _SIGN else bits ^ _ALL))
    return float(number)


def text_key(text: str) -> bytes:
    return fold(text).encode()[:SORT_KEY_BYTES_MAX]


def _plain(text: str) -> bytes:
    return text.encode()


def _boolean(value: bool) -> bytes:
    return b"2" if value else b"1"


def _seconds(duration: str) -> bytes:
    return number_key(parse_duration(duration))


def _choices(chosen: list[str]) -> bytes:
    return text_key(CHOICES_SEPARATOR.join(chosen))


KEYS: Final[Mapping[Order, Callable[[Any], bytes]]] = {
    "text": text_key,
    "choices": _choices,
    "number": number_key,
    "boolean": _boolean,
    "code": _plain,
    "seconds": _seconds,
}
"""The key of a value that is not missing. A text is cut to the length of a key."""
