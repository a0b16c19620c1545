"""The last seven days of an organization, beside the seven before."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from svc.domain.locale.local_days import LocalDay, last_days

WEEK_DAYS: Final = 7


class Weeks(NamedTuple):
    """Two weeks, day by day, the earliest first; the last day is today."""

    before: Sequence[LocalDay]
    last: Sequence[LocalDay]

    @property
    def days(self) -> Sequence[LocalDay]:
        """All fourteen."""
        return [*self.before, *self.last]


def weeks_to(now: int, time_zone: str) -> Weeks:
    """The two weeks that end with the day of *now* in *time_zone*."""
    days = last_days(now, time_zone, 2 * WEEK_DAYS)
    return Weeks(days[:WEEK_DAYS], days[WEEK_DAYS:])
