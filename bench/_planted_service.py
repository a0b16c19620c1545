"""The program, with a fault at one actor: `python -m bench._planted_service PLANT run …`.

PLANT is JSON: what is wrong, at which actor, and how many seconds after the start it begins. All else of the
program is as it is. See `bench.planted`.
"""

import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final, Literal

import msgspec
import trio

from svc.actors._core.actor import Actor, Turn
from svc.actors.kinds import KINDS
from svc.wait_guard import wait_guarded

SLOW_SECONDS: Final = 2.0
"""What each turn takes whose actor cannot keep up: less than the runtime cuts off."""

Wrong = Literal["cut_off", "not_cut_off", "slow", "nothing"]
"""A turn never ends, and the runtime cuts it off; or cannot, as it waits for the disk; turns are slow."""


class Plant(msgspec.Struct, frozen=True):
    """A fault, and where it is."""

    wrong: Wrong
    kind: str = ""
    key: str = ""
    after_seconds: float = 0.0


async def wait_for_answer() -> None:
    """Wait for what never comes."""
    await trio.sleep_forever()


async def wait_for_disk() -> None:
    """The same, as the store waits for a unit that it has accepted."""
    await wait_guarded(lambda _raise_cancel: trio.lowlevel.Abort.FAILED)


async def look_up_one_by_one() -> None:
    """What takes too long to be done for each message."""
    await trio.sleep(SLOW_SECONDS)


_WAITS: Final[dict[Wrong, Callable[[], Awaitable[None]]]] = {
    "cut_off": wait_for_answer,
    "not_cut_off": wait_for_disk,
    "slow": look_up_one_by_one,
}


def plant_in(plant: Plant) -> None:
    """Make the turns of one actor go wrong."""
    wait = _WAITS[plant.wrong]
    begins_at = time.monotonic() + plant.after_seconds
    [kind] = [kind for kind in KINDS if kind.__name__ == plant.kind]
    turns = {
        id(one): one
        for above in kind.__mro__
        if above is not Actor
        for one in vars(above).values()
        if isinstance(one, Turn)
    }
    for one in turns.values():
        one.fn = _with(one.fn, wait, plant, begins_at)


def _with(
    fn: Callable[..., Any], wait: Callable[[], Awaitable[None]], plant: Plant, begins_at: float
) -> Callable[..., Any]:
    async def turn(actor: Actor[Any, Any], *args: Any, **kwargs: Any) -> Any:
        if actor.key == plant.key and type(actor).__name__ == plant.kind and time.monotonic() > begins_at:
            await wait()
        return await fn(actor, *args, **kwargs)

    return turn


if __name__ == "__main__":
    plant = msgspec.json.decode(sys.argv.pop(1), type=Plant)
    if plant.wrong != "nothing":
        plant_in(plant)

    from svc.cli import main

    main()
