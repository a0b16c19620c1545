"""Results of calls, as they are sent and as an idempotency key replays them."""

from typing import NamedTuple

import msgspec

from svc.domain.errors import DomainError


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
    unindexed_submissions: bool = False
    """Whether another block of submissions would have made a search faster."""
    wait: Wait | None = None
    """What would be worth waiting for, as the caller asked to; see `View.wait_for`."""
    refusal: DomainError | None = None
    """What the call is answered with instead, though what it wrote is committed: see `StoredRefusal`."""

    def answered(self) -> "ToolResult":
        """Itself. Raises its `refusal`, if there is one: call it after the commit."""
        if self.refusal is not None:
            raise self.refusal
        return self


class StoredRefusal(Exception):
    """Raised by a tool to answer its call with *error*, and to have what it has written committed.

    Such an answer is not kept under an idempotency key.
    """

    def __init__(self, error: DomainError) -> None:
        super().__init__(str(error))
        self.error = error
