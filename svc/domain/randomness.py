"""Randomness: the one source that ids, keys, tokens and nonces take their bytes from.

A store and an actor system are each given a source, and pass it down. So a test that gives them a seeded one
gets the same ids and keys in each run, while the product, which has no way to give one, cannot be predicted.
"""

import secrets
from collections.abc import Callable
from typing import Final

Randomness = Callable[[int], bytes]
"""Returns as many random bytes as asked. It is called in Trio's thread and in that of the store's writer."""

SYSTEM: Final[Randomness] = secrets.token_bytes
"""The operating system's source, for everything that must not be guessed."""

_FRACTION_BYTES: Final = 4
_FRACTION_MAX: Final = (1 << 8 * _FRACTION_BYTES) - 1


def fraction(random: Randomness) -> float:
    """A random number from 0 to 1, both included."""
    return int.from_bytes(random(_FRACTION_BYTES), "big") / _FRACTION_MAX
