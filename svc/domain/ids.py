"""Ids: a short type prefix and a ULID, so that ids sort in the order they were made.

A ULID is 48 bits of time in milliseconds and 80 random bits in Crockford's base32
(https://github.com/ulid/spec). Within one millisecond the random part counts up.

Ids sort in the order they were made, even when the clock is set back: no id has an earlier time than the one
before it, or than the newest that is stored. So an id's time is never before the time it was made at, and may
be after it where the clock was wrong.
"""

import threading
from typing import Final

from svc.domain.randomness import Randomness

AGENT_RUN: Final = "agr"
"""The prefix of agents' runs: by it a message tells that an agent wrote it."""

_ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_PAIRS: Final = tuple(a + b for a in _ALPHABET for b in _ALPHABET)
_RANDOM_BITS: Final = 80
_RANDOM_BYTES: Final = _RANDOM_BITS // 8
_RANDOM_MAX: Final = (1 << _RANDOM_BITS) - 1
_LENGTH: Final = 26
_BITS: Final = 128
_VALUES: Final = {digit: value for value, digit in enumerate(_ALPHABET)}
_SHIFTS: Final = range((_LENGTH - 2) * 5, -1, -10)


class Ids:
    """A monotonic sequence of ids: a store has one. Thread-safe."""

    def __init__(self, random: Randomness) -> None:
        self._random = random
        self._lock = threading.Lock()
        self._latest_at = 0
        """The latest time that an id was made at."""
        self._last_ms = 0
        self._last_random = 0

    def new(self, prefix: str, at: int) -> str:
        """A new id such as `rec_01J8…`, made at *at*.

        A time before the latest one counts as that; a time before that of the last id, as the millisecond
        after it.
        """
        with self._lock:
            if at > self._latest_at:
                self._latest_at = at
                self._last_ms = max(at, self._last_ms + 1)
                # The top bit stays clear, so that counting up within the millisecond has room.
                self._last_random = int.from_bytes(self._random(_RANDOM_BYTES), "big") >> 1
            else:
                self._last_random += 1
                if self._last_random > _RANDOM_MAX:
                    self._last_ms, self._last_random = self._last_ms + 1, 0
            value = (self._last_ms << _RANDOM_BITS) | self._last_random
        return f"{prefix}_{_encode(value)}"

    def go_on_after(self, newest: str) -> None:
        """Make every id from now on sort after *newest*, an id without its prefix.

        Raises `ValueError` if *newest* is not a ULID.
        """
        value = _decode(newest)
        with self._lock:
            if value > (self._last_ms << _RANDOM_BITS) | self._last_random:
                self._last_ms, self._last_random = value >> _RANDOM_BITS, value & _RANDOM_MAX


def time_of(ulid: str) -> int:
    """The time in an id without its prefix. Raises `ValueError` if it is not a ULID."""
    return _decode(ulid) >> _RANDOM_BITS


def first_id(prefix: str, at: int) -> str:
    """The smallest id that could be made at *at*: a bound for ranges of time over ids."""
    return f"{prefix}_{_encode(at << _RANDOM_BITS)}"


def numbered(prefix: str, at: int, number: int) -> str:
    """The id of what was made at *at* and is told from others by its *number* instead of random bits."""
    return f"{prefix}_{_encode(at << _RANDOM_BITS | number)}"


def id_of_digest(prefix: str, digest: bytes) -> str:
    """The id that follows from *digest*, at least 16 bytes: always the same one. It tells no time."""
    return f"{prefix}_{_encode(int.from_bytes(digest[:16], 'big'))}"


def last_id(prefix: str) -> str:
    """An upper bound: every id with *prefix* sorts before it."""
    return f"{prefix}_~"


def _encode(value: int) -> str:
    return "".join([_PAIRS[(value >> shift) & 1023] for shift in _SHIFTS])


def _decode(ulid: str) -> int:
    if len(ulid) != _LENGTH or not _VALUES.keys() >= set(ulid):
        raise ValueError(f"{ulid!r} is no ULID")
    value = 0
    for digit in ulid:
        value = value << 5 | _VALUES[digit]
    if value >> _BITS:
        raise ValueError(f"{ulid!r} is no ULID")
    return value
