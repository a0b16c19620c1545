"""Masking of private values in the state that operators see."""

from typing import Any, Generic, TypeVar

import msgspec

T = TypeVar("T")

MASK = "•••"


class Private(Generic[T]):
    """Wraps a secret or personal value in a state; shown everywhere as `•••`."""

    __slots__ = ("value",)

    def __init__(self, value: T) -> None:
        self.value = value

    def __repr__(self) -> str:
        return MASK


def snapshot(state: object) -> Any:
    """*state* as JSON-ready builtins for an operator: private values masked, unknown types named."""
    return msgspec.to_builtins(state, enc_hook=_describe, str_keys=True)


def _describe(value: object) -> str:
    if isinstance(value, Private):
        return MASK
    try:
        return f"{type(value).__name__} of {len(value)}"  # type: ignore[arg-type]  # not all have a length
    except TypeError:
        return type(value).__name__
