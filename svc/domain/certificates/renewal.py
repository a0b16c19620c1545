"""When a certificate is renewed, and when a refused order is tried again."""

from collections.abc import Iterable
from typing import Final

import msgspec

from svc.domain.locale.times import DAY_MS, HOUR_MS, MINUTE_MS

PAUSES_MS: Final = tuple(minutes * MINUTE_MS for minutes in (1, 5, 15, 30, 60, 120, 240, 480, 720))
"""Pauses after the first failure, the second and so on; the last one is repeated. The first four take 51
minutes, since public directories bear five failures an hour for each name."""
PAUSE_AT_START_MS: Final = 12 * MINUTE_MS
"""The longest pause that outlasts a restart, as an operator restarts once the cause is mended. A service that
is started again and again stays below five orders an hour all the same."""
WAIT_MS_MAX: Final = 7 * DAY_MS
"""The longest `Retry-After` that is honoured."""
CLOCK_DIFFERENCE_MS_MAX: Final = HOUR_MS // 12
"""How far the clock may differ from the directory's before it is named as a cause."""


class Validity(msgspec.Struct, frozen=True):
    """What a certificate says: between which times it holds, ms since the epoch, and for which names."""

    not_before: int
    not_after: int
    names: tuple[str, ...]

    @property
    def renews_at(self) -> int:
        """When it is renewed: at two thirds of its life."""
        return self.not_before + (self.not_after - self.not_before) * 2 // 3

    def covers(self, names: Iterable[str]) -> bool:
        """Whether it is for all of *names*."""
        return set(names) <= set(self.names)


class Failures(msgspec.Struct, frozen=True, rename="camel"):
    """The orders that failed since the last one that did not, kept over restarts."""

    names: tuple[str, ...]
    """The names that were ordered, and the directory: others start afresh."""
    directory: str
    count: int
    failed_at: int
    wait_until: int
    """Before this time the directory wants no other order; it holds over a restart too."""
    why: str

    def retry_at(self) -> int:
        """When the next order is placed while the service runs."""
        return max(self.failed_at + _pause(self.count), self.wait_until)

    def retry_at_start(self) -> int:
        """When the next order is placed by a service that was just started."""
        return max(self.failed_at + min(_pause(self.count), PAUSE_AT_START_MS), self.wait_until)


def order_at(validity: Validity | None, names: Iterable[str]) -> int:
    """When a certificate for *names* is ordered, where the present one is *validity*: 0 is at once."""
    if validity is None or not validity.covers(names):
        return 0
    return validity.renews_at


def _pause(count: int) -> int:
    return PAUSES_MS[min(count, len(PAUSES_MS)) - 1]
