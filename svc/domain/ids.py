"""Ids: a short type prefix and a ULID, so that ids sort in the order they were made.

A ULID is 48 bits of time in milliseconds and 80 random bits in Crockford's base32
(https://github.com/ulid/spec). Within one millisecond the random part counts up.
"""

import secrets
import threading
from typing import Final

_ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_PAIRS: Final = tuple(a + b for a in _ALPHABET for b in _ALPHABET)
_RANDOM_BITS: Final = 80
_RANDOM_MAX: Final = (1 << _RANDOM_BITS) - 1
_LENGTH: Final = 26
_SHIFTS: Final = range((_LENGTH - 2) * 5, -1, -10)


class Ids:
    """A sequence of ids, each of which sorts after those before it. Any thread may ask it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last_ms = 0
        self._last_random = 0

    def new(self, prefix: str, at: int) -> str:
        """A new id such as `rec_01J8…`, made at *at*.

        A clock that went backwards does not break the order: the latest time seen is used then.
        """
        with self._lock:
            if at > self._last_ms:
                self._last_ms = at
                # The top bit stays clear, so that counting up within the millisecond has room.
                self._last_random = secrets.randbits(_RANDOM_BITS - 1)
            else:
                self._last_random += 1
                if self._last_random > _RANDOM_MAX:
                    self._last_ms, self._last_random = self._last_ms + 1, 0
            value = (self._last_ms << _RANDOM_BITS) | self._last_random
        return f"{prefix}_{_encode(value)}"


new_id: Final = Ids().new
"""The sequence of this process."""


def first_id(prefix: str, at: int) -> str:
    """The smallest id that could be made at *at*: a bound for ranges of time over ids."""
    return f"{prefix}_{_encode(at << _RANDOM_BITS)}"


def last_id(prefix: str) -> str:
    """What every id with *prefix* sorts before."""
    return f"{prefix}_~"


def _encode(value: int) -> str:
    return "".join([_PAIRS[(value >> shift) & 1023] for shift in _SHIFTS])
