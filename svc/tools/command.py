"""What an operator's command is: a typed function over a transaction, without organization or caller."""

from collections.abc import Callable
from typing import Final, Generic, TypeVar, get_type_hints

import msgspec

from svc.domain import json_input
from svc.storage.store import Tx
from svc.tools.tool import ToolInput

A = TypeVar("A", bound=ToolInput)
R = TypeVar("R", bound=msgspec.Struct)


class Command(Generic[A, R]):
    """One command, callable like the function that it wraps."""

    def __init__(self, name: str, fn: Callable[[Tx, A], R]) -> None:
        self.name: Final = name
        hints = get_type_hints(fn)
        self.request_type: Final[type[A]] = hints["request"]
        self.answer_type: Final[type[R]] = hints["return"]
        self._fn = fn
        self._decoder = msgspec.json.Decoder(self.request_type)

    def __call__(self, tx: Tx, request: A) -> R:
        return self._fn(tx, request)

    def read(self, body: bytes) -> A:
        """Decode a request from JSON. Raises `MalformedJson`, and `InvalidInput` for another shape."""
        request: A = json_input.read(self._decoder, body)
        return request


def command(name: str) -> Callable[[Callable[[Tx, A], R]], Command[A, R]]:
    """Make a command of the decorated function."""
    return lambda fn: Command(name, fn)
