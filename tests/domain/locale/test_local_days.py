"""Days of a time zone: from midnight to midnight, also where clocks are changed."""

from datetime import UTC, datetime

import pytest

from svc.domain.locale.local_days import last_days
from svc.domain.locale.times import HOUR_MS, moment_ms


def at(text: str) -> int:
    return moment_ms(datetime.fromisoformat(text).replace(tzinfo=UTC))


@pytest.mark.parametrize(
    ("now", "zone", "dates"),
    [
        ("2026-09-18T00:00:00", "UTC", ["2026-09-17", "2026-09-18"]),
        ("2026-09-17T23:59:59.999", "UTC", ["2026-09-16", "2026-09-17"]),
        ("2026-09-17T22:00:00", "Europe/Berlin", ["2026-09-17", "2026-09-18"]),
        ("2026-09-18T11:00:00", "Pacific/Auckland", ["2026-09-17", "2026-09-18"]),
        ("2026-01-01T04:59:00", "America/New_York", ["2025-12-30", "2025-12-31"]),
    ],
)
def test_days_are_those_of_the_zone(now, zone, dates):
    """The last is the one that it is there now."""
    assert dates == [day.date for day in last_days(at(now), zone, 2)]


@pytest.mark.parametrize(("month", "hours"), [("2026-03-29", 23), ("2026-10-25", 25), ("2026-09-18", 24)])
def test_a_day_on_which_clocks_are_changed(month, hours):
    """Has an hour less or more, and the days go on without a gap."""
    days = last_days(at(f"{month}T12:00:00"), "Europe/Berlin", 3)

    assert hours * HOUR_MS == days[-1].ends_at - days[-1].begins_at
    assert [day.ends_at for day in days[:-1]] == [day.begins_at for day in days[1:]]
