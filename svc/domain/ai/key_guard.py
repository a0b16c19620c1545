"""Finds a provider's key in what the provider sends, so that no caller is shown it.

It is looked for as it is, escaped as JSON may have it, and in the text that the events of a stream make up.
"""

import re
from functools import lru_cache
from typing import Final

from svc.domain.ai.limits import AI_KEY_LOOKED_FOR_CHARS_MIN

_WINDOW_BYTES: Final = 256 * 1024
"""What is searched at once: no other thread runs meanwhile."""
_ESCAPED_BYTES_MAX: Final = 9
"""Of one character: backslashes, of which JSON within JSON has several, `u`, and four digits."""
_ESCAPED: Final = b"\\u00"
"""How the escapes of visible ASCII begin."""
_SHORT_ESCAPES: Final = frozenset('/"\\')
"""Characters that have a shorter escape."""


class KeyRepeated(Exception):
    """Raised where a provider sends its key. What it is in is not passed on."""


class KeyGuard:
    """Looks for one *key* in one provider's response."""

    __slots__ = ("_half", "_key", "_key_bytes", "_pending", "_tails", "has_found")

    def __init__(self, key: str) -> None:
        self._key: Final = key
        self._key_bytes: Final = key.encode()
        self._half: Final = key[: -(-len(key) // 2)]
        self._tails: dict[int, str] = {}
        self._pending: set[int] = set()
        self.has_found = False
        """Whether it was anywhere."""

    def __repr__(self) -> str:
        return "KeyGuard(•••)"

    @property
    def is_for_answers(self) -> bool:
        """Whether answers are searched, not refusals alone: a shorter key may be a word, such as `none`."""
        return len(self._key) >= AI_KEY_LOOKED_FOR_CHARS_MIN

    @property
    def is_pending(self) -> bool:
        """Whether a text that was followed ends with half of the key or more, so that its rest decides."""
        return bool(self._pending)

    def check(self, text: bytes | bytearray) -> None:
        """Raises `KeyRepeated` if *text*, one JSON text or one event, has the key."""
        if self._key and (self._is_plain_in(text) or self._is_escaped_in(text)):
            self._found()

    def follow(self, place: int, text: str) -> None:
        """Note that *text* goes on at *place*. Raises `KeyRepeated` once the key has come there."""
        so_far = self._tails.get(place, "") + text
        self._tails[place] = so_far[1 - len(self._key) :]
        if self._half not in so_far:
            if self._pending:
                self._pending.discard(place)
            return
        if self._key in so_far:
            self._found()
        sizes = range(len(self._half), len(self._key))
        if any(so_far.endswith(self._key[:size]) for size in sizes):
            self._pending.add(place)
        else:
            self._pending.discard(place)

    def _is_plain_in(self, text: bytes | bytearray) -> bool:
        key, step = self._key_bytes, _WINDOW_BYTES
        if len(text) <= step:
            return key in text
        return any(text.find(key, at, at + step + len(key)) >= 0 for at in range(0, len(text), step))

    def _is_escaped_in(self, text: bytes | bytearray) -> bool:
        if _ESCAPED not in text and not (b"\\" in text and _SHORT_ESCAPES.intersection(self._key)):
            return False
        pattern = _pattern(self._key)
        step = _WINDOW_BYTES
        reach = step + len(self._key) * _ESCAPED_BYTES_MAX
        return any(pattern.search(text, at, at + reach) for at in range(0, len(text), step))

    def _found(self) -> None:
        self.has_found = True
        raise KeyRepeated


@lru_cache(maxsize=64)
def _pattern(key: str) -> re.Pattern[bytes]:
    r"""*key* with each character as it is, as `\u0073`, or after a backslash."""
    return re.compile(b"".join(_character(one) for one in key))


def _character(one: str) -> bytes:
    short = rb"\\{0,4}" if one in _SHORT_ESCAPES else b""
    return rb"(?:%b%b|\\{1,4}u(?i:%04x))" % (short, re.escape(one.encode()), ord(one))
