"""Times are milliseconds inside and RFC 3339 outside."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc.domain.locale.times import DAY_MS, day_of, moment_ms, ms_of, rfc3339


@pytest.mark.parametrize(
    ("at", "outward"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (1_789_689_600_000, "2026-09-18T00:00:00.000Z"),
        (1_789_689_600_007, "2026-09-18T00:00:00.007Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
    ],
)
def test_the_outside_sees_rfc_3339_in_utc(at: int, outward: str) -> None:
    """A time is shown in UTC with exactly three digits of milliseconds and a Z."""
    assert outward == rfc3339(at)


@given(st.integers(0, 4_102_444_800_000))
def test_no_millisecond_is_lost_on_the_way_out(at: int) -> None:
    """What the outside sees is the same moment, to the millisecond."""
    shown = datetime.fromisoformat(rfc3339(at))

    assert at == (shown - datetime.fromisoformat("1970-01-01T00:00:00Z")) // timedelta(milliseconds=1)


@given(st.integers(-62_135_596_800_000, 253_402_300_799_999))
def test_a_time_comes_back_as_it_went_out(at: int) -> None:
    """From the first year to the last, to the millisecond."""
    assert at == ms_of(rfc3339(at))


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("2026-09-18T02:00:00+02:00", 1_789_689_600_000),
        ("2026-09-17T23:59:59.9999Z", 1_789_689_599_999),
        ("0001-01-01T00:00:00+14:00", -62_135_647_200_000),
        ("9999-12-31T23:59:59-14:00", 253_402_351_199_000),
    ],
)
def test_a_moment_falls_into_its_millisecond(text: str, at: int) -> None:
    """Whatever its offset from UTC, also where UTC has no such year."""
    assert at == moment_ms(datetime.fromisoformat(text))


def test_a_day_begins_at_midnight_utc() -> None:
    """The last millisecond of a day belongs to it, the next one to the next day."""
    assert (1, 2) == (day_of(2 * DAY_MS - 1), day_of(2 * DAY_MS))
