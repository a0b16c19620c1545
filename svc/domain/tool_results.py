"""Results of calls, as they are sent and as an idempotency key brings them back."""

import msgspec


class ToolResult(msgspec.Struct, frozen=True):
    """What a call was answered, as JSON."""

    body: bytes
    replayed: bool = False
    """Whether it is the answer of the first call under the same idempotency key, and nothing was done now."""
    unindexed: tuple[str, ...] = ()
    """Ids of properties whose keys would have made a list faster; see `View.unindexed`."""
