"""Results of calls, as they are sent and as an idempotency key replays them."""

import msgspec


class ToolResult(msgspec.Struct, frozen=True):
    """The answer to a call, as JSON."""

    body: bytes
    replayed: bool = False
    """Whether this is the replayed answer of the first call under the same idempotency key."""
    unindexed: tuple[str, ...] = ()
    """Ids of properties whose keys would have made a list faster; see `View.unindexed`."""
