"""Histograms: how many values were up to each of a few bounds."""

from bisect import bisect_left
from collections.abc import Sequence

import msgspec


class Bucket(msgspec.Struct, frozen=True):
    """The number of values up to `upto`, and above the bucket before; the last one has no bound."""

    upto: float | None
    count: int


class Histogram:
    """Counts values by *bounds*, which rise."""

    __slots__ = ("_bounds", "_counts", "total")

    def __init__(self, bounds: Sequence[float]) -> None:
        self._bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self.total = 0.0
        """The sum of all values."""

    def add(self, value: float) -> None:
        self.total += value
        self._counts[bisect_left(self._bounds, value)] += 1

    def buckets(self) -> list[Bucket]:
        bounds: tuple[float | None, ...] = (*self._bounds, None)
        return [Bucket(bound, count) for bound, count in zip(bounds, self._counts, strict=True)]
