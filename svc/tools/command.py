"""What an operator's command is: a typed function over a transaction, without organization or caller."""

from collections.abc import Callable
from typing import Final, Generic, TypeVar, get_type_hints

import msgspec

from svc.domain.input import json as json_input
from svc.storage.store import Store, Tx, Units
from svc.tools.tool import ToolInput

A = TypeVar("A", bound=ToolInput)
R = TypeVar("R", bound=msgspec.Struct)

_ORGANIZATION: Final = "organization_id"
"""The member of a request that names the organization."""


class Command(Generic[A, R]):
    """One command, callable like the function that it wraps.

    It is a unit of the organization that its request names, unless it runs *alone*: see `Store`.
    """

    def __init__(self, name: str, fn: Callable[[Tx, A], R], *, alone: bool) -> None:
        self.name: Final = name
        hints = get_type_hints(fn)
        self.request_type: Final[type[A]] = hints["request"]
        self._alone: Final = alone
        if not alone and get_type_hints(self.request_type).get(_ORGANIZATION) is not str:
            raise TypeError(f"{name} names no organization of which it would be a unit: it runs alone")
        self.answer_type: Final[type[R]] = hints["return"]
        self._fn = fn
        self._decoder = msgspec.json.Decoder(self.request_type)

    def __call__(self, tx: Tx, request: A) -> R:
        return self._fn(tx, request)

    def units(self, store: Store, request: A) -> Units:
        """Where *request* runs."""
        return store.alone if self._alone else store.of(getattr(request, _ORGANIZATION))

    def read(self, body: bytes) -> A:
        """Decode a request from JSON. Raises `MalformedJson`, and `InvalidInput` for another shape."""
        request: A = json_input.read_storable(self._decoder, body)
        return request


def command(name: str, *, alone: bool = False) -> Callable[[Callable[[Tx, A], R]], Command[A, R]]:
    """Make a command of the decorated function.

    Raises `TypeError` where it is of no organization and not *alone*.
    """
    return lambda fn: Command(name, fn, alone=alone)
