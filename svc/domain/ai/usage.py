"""Usage: the tokens of a call, as its provider counts them; and the estimate where it does not."""

from collections.abc import Iterator
from typing import Any, Final, TypeGuard

import msgspec

from svc.domain.limits import AI_TOKENS_MAX

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


def read_usage(value: Any) -> Usage | None:
    """The `usage` of an answer; None where it is absent, or not made of whole numbers from 0 on.

    More tokens than any model takes count as the limit, so that no sum of them overflows.
    """
    if not isinstance(value, dict):
        return None
    details = value.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    prompt, completion = value.get("prompt_tokens"), value.get("completion_tokens")
    cached = 0 if cached is None else cached
    if not (_is_count(prompt) and _is_count(completion) and _is_count(cached)):
        return None
    prompt = min(prompt, AI_TOKENS_MAX)
    return Usage(prompt, min(cached, prompt), min(completion, AI_TOKENS_MAX))


def _is_count(value: Any) -> TypeGuard[int]:
    return type(value) is int and value >= 0


def tokens_in(size: int) -> int:
    """The estimate for *size* bytes of UTF-8, rounded up."""
    return -(-size // TOKEN_BYTES)


def text_bytes(value: Any) -> int:
    """The bytes of UTF-8 of all strings in *value*; the names of members are none of them."""
    return sum(len(text) if text.isascii() else len(text.encode(errors="replace")) for text in texts(value))


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
