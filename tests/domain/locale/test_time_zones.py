"""Offsets of time zones, as a database looks them up."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from svc.domain.locale.time_zones import offsets


def looked_up(time_zone: str, at: int) -> int:
    found = offsets(time_zone)
    return next((one.seconds for one in found if at >= one.since), found[-1].seconds)


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata"])
def test_an_offset_is_that_of_the_clocks(zone: str) -> None:
    """Just before and after each change, and on every day of two years."""
    start = int(datetime(2025, 1, 1, tzinfo=UTC).timestamp())
    days = [start + day * 86_400 for day in range(2 * 365)]
    changes = [one.since for one in offsets(zone)[:-1]]
    for at in [*days, *changes, *(change - 1 for change in changes)]:
        offset = datetime.fromtimestamp(at, ZoneInfo(zone)).utcoffset()

        assert offset is not None
        assert offset.total_seconds() == looked_up(zone, at)


def test_an_unknown_zone_is_utc() -> None:
    """As formats have it."""
    assert [0] == [one.seconds for one in offsets("Mars/Olympus")]
