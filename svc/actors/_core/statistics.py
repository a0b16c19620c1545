"""Statistics of the runtime, as frozen records. They are collected without a message to any actor."""

from bisect import bisect_left
from typing import Final, Literal

import msgspec

from svc.actors._core.last_minute import Window

Phase = Literal["loading", "waiting", "running", "backing_off", "quarantined", "passivating", "stopping"]

LATENCY_BOUNDS_MS: Final = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0, 1_000.0, 10_000.0)
"""Upper bounds of the latency buckets, in milliseconds; the last bucket has none."""


class LatencyBucket(msgspec.Struct, frozen=True):
    """The number of turns that took up to `upto_ms`, and longer than the bucket before."""

    upto_ms: float | None
    turns: int


class ActorStatistics(msgspec.Struct, frozen=True, kw_only=True):
    """An active or quarantined actor. Ages and waits are in seconds."""

    kind: str
    key: str
    phase: Phase
    turn: str | None
    turn_age_seconds: float | None
    mailbox_depth: int
    mailbox_oldest_seconds: float | None
    tasks: int
    task: str | None
    """The oldest of them."""
    task_age_seconds: float | None
    guarded_waits: int
    """Waits that the time limit does not cancel, such as for the disk."""
    timers: dict[str, float]
    """Seconds until each armed timer is due, by the name of its turn."""
    turns: int
    crashes: int
    last_error: str | None
    """The type and position of the last crash; never its message, which may contain personal data."""
    latency: list[LatencyBucket]


class KindStatistics(msgspec.Struct, frozen=True, kw_only=True):
    """An actor kind, since the start of the system."""

    kind: str
    active: int
    quarantined: int
    mailbox_depth: int
    mailbox_oldest_seconds: float
    """How long the oldest message of any mailbox has waited; 0 where none waits."""
    activations: int
    turns: int
    crashes: int
    refused: int
    latency_seconds: float
    """The sum of what `latency` counts."""
    latency: list[LatencyBucket]
    run_seconds: float
    """The sum of what `runs` counts."""
    runs: list[LatencyBucket]
    """Turns by how long they ran, without the wait before."""
    last_minute: Window


class SystemStatistics(msgspec.Struct, frozen=True, kw_only=True):
    """The whole system."""

    draining: bool
    kinds: list[KindStatistics]


class Latencies:
    """A histogram of times, such as from sending a message to its answer."""

    __slots__ = ("_counts", "seconds")

    def __init__(self) -> None:
        self._counts = [0] * (len(LATENCY_BOUNDS_MS) + 1)
        self.seconds = 0.0
        """The sum of all."""

    def add(self, seconds: float) -> None:
        self.seconds += seconds
        self._counts[bisect_left(LATENCY_BOUNDS_MS, seconds * 1000)] += 1

    def buckets(self) -> list[LatencyBucket]:
        bounds: tuple[float | None, ...] = (*LATENCY_BOUNDS_MS, None)
        return [LatencyBucket(bound, count) for bound, count in zip(bounds, self._counts, strict=True)]


def place_of(error: BaseException) -> str:
    """Type and position of *error*, such as `KeyError at form_window.py:120`, without its message."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    where = f" at {frame.tb_frame.f_code.co_filename.rpartition('/')[2]}:{frame.tb_lineno}" if frame else ""
    return type(error).__name__ + where
