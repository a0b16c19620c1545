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

_lock = threading.Lock()
_last_ms = 0
_last_random = 0


def new_id(prefix: str, at: int) -> str:
    """A new id such as `rec_01J8…`, made at *at*; later calls in this process sort after earlier ones.

    A clock that went backwards does not break the order: the latest time seen is used then.
    """
    global _last_ms, _last_random  # noqa: PLW0603  # one sequence for the process, guarded by the lock
    with _lock:
        if at > _last_ms:
            _last_ms = at
            # The top bit stays clear, so that counting up within the millisecond has room.
            _last_random = secrets.randbits(_RANDOM_BITS - 1)
        else:
            _last_random += 1
            if _last_random > _RANDOM_MAX:
                _last_ms, _last_random = _last_ms + 1, 0
        value = (_last_ms << _RANDOM_BITS) | _last_random
    return f"{prefix}_{_encode(value)}"


def first_id(prefix: str, at: int) -> str:
    """The smallest id that could be made at *at*: a bound for ranges of time over ids."""
    return f"{prefix}_{_encode(at << _RANDOM_BITS)}"


def _encode(value: int) -> str:
    return "".join(_PAIRS[(value >> shift) & 1023] for shift in range((_LENGTH - 2) * 5, -1, -10))
