"""Results of calls, as they are sent and as an idempotency key replays them."""

from typing import NamedTuple

import msgspec


class Wait(NamedTuple):
    """What a call that reads would wait for, since there is nothing to answer yet."""

    key: str
    """Of the wakeup that says that there may be something: see `svc.actors.wakeups`."""
    seconds: float
    """For how long at most."""


class ToolResult(msgspec.Struct, frozen=True):
    """The answer to a call, as JSON."""

    body: bytes
    replayed: bool = False
    """Whether this is the replayed answer of the first call under the same idempotency key."""
    unindexed: tuple[str, ...] = ()
    """Ids of properties whose keys would have made a list faster; see `View.unindexed`."""
    wait: Wait | None = None
    """What would be worth waiting for, as the caller asked to; see `View.wait_for`."""
