"""Only type-checked: a line that mypy must flag says so, for an `ignore` that is not needed is an error."""

from typing import Any, assert_type

import msgspec

from svc.actors._core import Actor, ActorSystem, BoundTurn, Policy, Turn, turn


class Hall(ActorSystem):
    def __init__(self, prefix: str) -> None:
        super().__init__([Shelf])
        self.prefix = prefix


class Items(msgspec.Struct):
    names: list[str] = []


class Shelf(Actor[Hall, Items]):
    policy = Policy(mailbox_max=8)

    async def load(self) -> Items:
        return Items()

    @turn
    async def put(self, name: str, count: int = 1, *, prefixed: bool = False) -> list[str]:
        assert_type(self.state, Items)
        assert_type(self.system, Hall)
        self.state.names += [self.system.prefix * prefixed + name] * count
        self.put.after(1.5, name, count=2)
        self.put.after(1.5, count)  # type: ignore[arg-type]
        self.put.after(name, name)  # type: ignore[arg-type]
        self.put.after(1.5)  # type: ignore[call-arg]
        self.put.disarm()
        self.start_soon(self.fetch, "url", attempts=3)
        self.start_soon(self.fetch, 3)  # type: ignore[arg-type]
        self.start_soon(self.fetch)  # type: ignore[call-arg]
        return self.state.names

    @turn
    async def close(self) -> None:
        """Take no more."""

    async def fetch(self, url: str, attempts: int = 1) -> bytes:
        return url.encode() * attempts


async def asks(hall: Hall) -> None:
    """An ask takes the arguments of its turn and gives its result."""
    shelf = Shelf(hall, "key")
    assert_type(shelf.close, BoundTurn[[], None])
    assert_type(await shelf.put("a"), list[str])
    assert_type(await shelf.put("a", 2, prefixed=True), list[str])
    assert_type(await shelf.close(), None)
    await shelf.put(1)  # type: ignore[arg-type]
    await shelf.put()  # type: ignore[call-arg]
    await shelf.put("a", amount=2)  # type: ignore[call-arg]
    await shelf.put("a", 2, True)  # type: ignore[call-arg]
    await shelf.unknown()  # type: ignore[attr-defined]
    names: str = await shelf.put("a")  # type: ignore[assignment]
    shelf.put("a")  # type: ignore[unused-coroutine]
    assert_type(names, str)


def tells(hall: Hall) -> None:
    """A tell takes the same arguments and gives nothing."""
    shelf = Shelf(hall, "key")
    shelf.put.tell("a", 2, prefixed=True)
    shelf.put.tell(1)  # type: ignore[arg-type]
    shelf.put.tell()  # type: ignore[call-arg]
    shelf.put.tell("a", amount=2)  # type: ignore[call-arg]
    assert_type(shelf.put.tell_if_active("a"), bool)
    shelf.put.tell_if_active(1)  # type: ignore[arg-type]


def addresses(hall: Hall, other: ActorSystem) -> None:
    """An address needs the system that its actor lives in, and a key."""
    assert_type(Shelf(hall, "key"), Shelf)
    Shelf(other, "key")  # type: ignore[arg-type]
    Shelf(hall, 3)  # type: ignore[arg-type]
    Shelf(hall)  # type: ignore[call-arg]


def turns() -> None:
    """On the class, a turn is itself."""
    assert_type(Shelf.close, Turn[Shelf, [], None])


class Wrong(Actor[ActorSystem, Items]):
    async def load(self) -> int:  # type: ignore[override]
        return 3

    @turn  # type: ignore[arg-type]
    def not_async(self) -> int:
        return 3

    @turn
    async def any_argument(self, argument: Any) -> None:
        self.state.unknown  # type: ignore[attr-defined]  # noqa: B018
