"""When something that failed is tried again: by a plan of waits, or after a wait that doubles."""

from typing import Final

import msgspec

_DOUBLED_MAX: Final = 16
"""After so many doublings a wait is its longest in any case; a larger number would only cost memory."""


class RetryPlan(msgspec.Struct, frozen=True):
    """The waits after failed attempts of one thing."""

    waits_ms: tuple[int, ...]
    spread: float = 0
    """The part by which a wait is longer or shorter, at random: what failed together is retried apart."""
    repeats_last: bool = False
    """Whether the last wait is repeated; else there is no attempt after it."""

    def wait_ms(self, failures: int, at_random: float = 0.5) -> int | None:
        """The wait after as many *failures* and one more, in ms; None after the last.

        *at_random* is a number from 0 to 1, which decides on the spread: 0.5 is exactly the plan.
        """
        last = len(self.waits_ms) - 1
        if failures > last and not self.repeats_last:
            return None
        return round(self.waits_ms[min(failures, last)] * (1 + self.spread * (2 * at_random - 1)))


def doubled_ms(first_ms: int, failures: int, ms_max: int) -> int:
    """*first_ms*, doubled for each of *failures* in a row before this one; at most *ms_max*."""
    return min(first_ms << min(failures, _DOUBLED_MAX), ms_max)
