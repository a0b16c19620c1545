"""All that is known of one actor, collected without a message to it: so a stuck one tells as much."""

import msgspec

from svc.actors._core.recorder import TurnRecord
from svc.actors._core.statistics import ActorStatistics
from svc.actors._core.tasks import TaskRecord


class Crash(msgspec.Struct, frozen=True, kw_only=True):
    """The last crash of an actor. `at` is Trio's time."""

    at: float
    error: str
    """Type and place, without the message."""
    turn: str | None
    """The turn that crashed; None for `load`, `flush` and tasks."""
    stack: list[str]
    """Where it was raised; of a turn that was cut off, where that stood."""
    turns: list[TurnRecord]
    """The turns before it, and it itself, the newest first."""


class ActorInspection(msgspec.Struct, frozen=True, kw_only=True):
    """An active or quarantined actor."""

    statistics: ActorStatistics
    stack: list[str]
    """Where the running turn, `load` or `flush` stands, outermost first; empty if none runs."""
    request_id: str | None
    """The request of the running turn."""
    waits_for: list[str]
    """The actors whose answers the running turn waits for."""
    waiting: dict[str, int]
    """How many messages wait in the mailbox, by the name of their turn."""
    tasks: list[TaskRecord]
    turns: list[TurnRecord]
    """The last turns, the newest first."""
    crash: Crash | None
