"""Usage: the tokens of a call, as its provider counts them; and the estimate where it does not."""

import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from svc.domain.ai.limits import AI_BODY_BYTES_MAX, AI_TOKENS_MAX

TOKEN_BYTES: Final = 4
"""Bytes of UTF-8 that the estimate takes for a token."""
MESSAGE_TOKENS: Final = 4
"""What the estimate adds for each message."""


class Usage(msgspec.Struct, frozen=True):
    """Tokens of one call. The completion's have those of reasoning in them."""

    prompt_tokens: int = 0
    cached_tokens: int = 0
    """How many of the prompt's were cached."""
    completion_tokens: int = 0


NONE: Final = Usage()
NULL: Final = msgspec.Raw(b"null")
_WHOLE: Final = re.compile(rb"0|[1-9][0-9]*")
_DIGITS_MAX: Final = 18
_PIECE_BYTES: Final = 64 * 1024
"""What is decoded at once, but for one text."""
_PIECES_MAX: Final = 100_000
_TEXT_BYTES_MAX: Final = AI_BODY_BYTES_MAX


class _Counts(msgspec.Struct):
    prompt_tokens: msgspec.Raw = NULL
    completion_tokens: msgspec.Raw = NULL
    prompt_tokens_details: msgspec.Raw = NULL


class _Cached(msgspec.Struct):
    cached_tokens: msgspec.Raw = NULL


def _no_number(_text: str) -> None:
    """A number with a fraction is of no interest here, and may be out of range of a double."""


_anything: Final = msgspec.json.Decoder(float_hook=_no_number).decode
_counts: Final = msgspec.json.Decoder(_Counts).decode
_cached: Final = msgspec.json.Decoder(_Cached).decode
_text: Final = msgspec.json.Decoder(str).decode
_values: Final = msgspec.json.Decoder(list[msgspec.Raw]).decode
_members: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


def read_usage(raw: bytes | msgspec.Raw) -> Usage | None:
    """The `usage` of an answer, as JSON; None where it is absent, or not made of whole numbers from 0 on.

    More tokens than any model takes count as the limit, so that no sum of them overflows.
    """
    try:
        counts = _counts(raw)
    except msgspec.DecodeError:
        return None
    try:
        cached_raw = _cached(counts.prompt_tokens_details).cached_tokens
    except msgspec.DecodeError:
        cached_raw = NULL
    prompt, completion = _count(counts.prompt_tokens), _count(counts.completion_tokens)
    cached = 0 if is_null(cached_raw) else _count(cached_raw)
    if prompt is None or completion is None or cached is None:
        return None
    return Usage(prompt, min(cached, prompt), completion)


def is_null(raw: bytes | msgspec.Raw) -> bool:
    """Whether a member is null, or is not there at all."""
    view = memoryview(raw)
    return len(view) in {0, 4} and bytes(view) in {b"", b"null"}


def _count(raw: msgspec.Raw) -> int | None:
    digits = bytes(raw)
    if not _WHOLE.fullmatch(digits):
        return None
    return AI_TOKENS_MAX if len(digits) > _DIGITS_MAX else min(int(digits), AI_TOKENS_MAX)


def tokens_in(size: int) -> int:
    """The estimate for *size* bytes of UTF-8, rounded up."""
    return -(-size // TOKEN_BYTES)


def text_bytes(value: Any) -> int:
    """The bytes of UTF-8 of all strings in *value*; the names of members are none of them."""
    return sum(len(text) if text.isascii() else len(text.encode(errors="replace")) for text in texts(value))


def json_text_bytes(raw: bytes | msgspec.Raw) -> int:
    """The `text_bytes` of the JSON text *raw*, which may be large.

    It is decoded piece by piece: a decoder keeps every other thread waiting, and its values take many times
    the memory of their text. What would take too many pieces is counted as it is.
    """
    size = pieces = 0
    waiting = [memoryview(raw)]
    while waiting:
        part = waiting.pop()
        pieces += 1
        if len(part) > _TEXT_BYTES_MAX or pieces > _PIECES_MAX:
            size += len(part)
            continue
        try:
            first = bytes(part[:1])
            if first == b'"':
                size += text_bytes(_text(part))
            elif len(part) <= _PIECE_BYTES:
                size += text_bytes(_anything(part))
            elif first == b"[":
                waiting.extend(memoryview(one) for one in _values(part))
            elif first == b"{":
                waiting.extend(memoryview(one) for one in _members(part).values())
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            size += len(part)
    return size


def texts(value: Any) -> Iterator[str]:
    """All strings in *value*, names of members excepted."""
    # Iterative: what comes from outside may be nested as deeply as its parser allows.
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            yield node
        elif isinstance(node, dict):
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)
