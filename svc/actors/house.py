"""The house: the actor system of this program, with what its actors may use."""

from collections.abc import Sequence
from typing import Any

import msgspec

from svc.actors._core import Actor, ActorSystem
from svc.clock import Clock
from svc.storage.store import Store


class Secrets(msgspec.Struct, frozen=True):
    """Keys of this installation, derived from its one key file. They never leave the process."""

    sender: bytes
    """Under which senders' addresses are hashed."""

    def __repr__(self) -> str:
        return "Secrets(•••)"


class House(ActorSystem):
    """Where the actors of the business live."""

    def __init__(
        self, kinds: Sequence[type[Actor[Any, Any]]], store: Store, clock: Clock, secrets: Secrets
    ) -> None:
        super().__init__(kinds)
        self.store = store
        self.clock = clock
        self.secrets = secrets
        self.visitor_keys: tuple[bytes, ...] = ()
        """The keys that visitors are named under, the newest first; `Caretaker` replaces the tuple."""

    async def check_store(self) -> None:
        """Send a unit of work all the way to the store's writer and back. Raises what the store does."""
        await self.store.write(_change_nothing)


def _change_nothing(_tx: object) -> None:
    """A unit of work with nothing in it."""
