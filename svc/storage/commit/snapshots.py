"""Snapshots: long reads over connections of their own, which nobody waits for."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager
from typing import Protocol, TypeVar

import sqlalchemy as sa

R = TypeVar("R")


class Snapshots(Protocol):
    """Reads what a function yields over one snapshot, as `Store.snapshot`."""

    def __call__(
        self, fn: Callable[[sa.Connection], Iterator[R]]
    ) -> AbstractAsyncContextManager[AsyncIterator[R]]: ...
