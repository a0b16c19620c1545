"""What the runtime tells about itself, as frozen records. Nothing here enters a mailbox."""

from bisect import bisect_left
from typing import Final, Literal

import msgspec

Phase = Literal["loading", "waiting", "running", "backing_off", "quarantined", "passivating", "stopping"]

LATENCY_BOUNDS_MS: Final = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0, 1_000.0, 10_000.0)
"""Upper bounds of the latency buckets, in milliseconds; the last bucket has none."""


class LatencyBucket(msgspec.Struct, frozen=True):
    """How many turns were answered within `upto_ms` and not within the bucket before it."""

    upto_ms: float | None
    turns: int


class ActorStatistics(msgspec.Struct, frozen=True, kw_only=True):
    """One live or quarantined actor. Ages and waits are seconds."""

    kind: str
    key: str
    phase: Phase
    turn: str | None
    turn_age_seconds: float | None
    mailbox_depth: int
    mailbox_oldest_seconds: float | None
    tasks: int
    guarded_waits: int
    """Waits that no limit of time cuts short, such as for the disk."""
    timers: dict[str, float]
    """Seconds until each armed timer is due, by the name of its turn."""
    turns: int
    crashes: int
    last_error: str | None
    """The type and place of the last crash; never its message, which may hold personal data."""
    latency: list[LatencyBucket]


class KindStatistics(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of actor, over the life of the system."""

    kind: str
    active: int
    quarantined: int
    mailbox_depth: int
    activations: int
    turns: int
    crashes: int
    refused: int
    latency: list[LatencyBucket]


class SystemStatistics(msgspec.Struct, frozen=True, kw_only=True):
    """The whole system."""

    draining: bool
    kinds: list[KindStatistics]


class Latencies:
    """A histogram of how long messages took from being posted to being answered."""

    __slots__ = ("_counts",)

    def __init__(self) -> None:
        self._counts = [0] * (len(LATENCY_BOUNDS_MS) + 1)

    def add(self, seconds: float) -> None:
        self._counts[bisect_left(LATENCY_BOUNDS_MS, seconds * 1000)] += 1

    def buckets(self) -> list[LatencyBucket]:
        bounds: tuple[float | None, ...] = (*LATENCY_BOUNDS_MS, None)
        return [LatencyBucket(bound, count) for bound, count in zip(bounds, self._counts, strict=True)]


def place_of(error: BaseException) -> str:
    """`KeyError at form_window.py:120`: where *error* was raised, without what it says."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    where = f" at {frame.tb_frame.f_code.co_filename.rpartition('/')[2]}:{frame.tb_lineno}" if frame else ""
    return type(error).__name__ + where
