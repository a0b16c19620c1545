"""When backups are due."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from svc.domain.backups.schedule import RETRY_MS_MAX, Schedule, retry_ms
from svc.domain.locale.times import DAY_MS, HOUR_MS, MINUTE_MS, ms_of, rfc3339

schedules = st.builds(
    lambda hour, minute, every: Schedule.of(f"{hour:02}:{minute:02}", every),
    st.integers(0, 23),
    st.integers(0, 59),
    st.integers(1, 744),
)
times = st.integers(0, 4_000_000_000_000)


@settings(max_examples=50)
@given(schedule=schedules, now=times, later=times)
def test_each_moment_is_in_one_period(schedule: Schedule, now: int, later: int) -> None:
    """Periods follow each other without a gap, and are the same whenever they are asked for."""
    begun, ends = schedule.begun_at(now), schedule.next_at(now)

    assert begun <= now < ends
    assert ends - begun == schedule.every_ms
    assert schedule.begun_at(begun) == begun
    assert schedule.begun_at(ends) == ends
    assert (schedule.begun_at(later) - begun) % schedule.every_ms == 0


@settings(max_examples=50)
@given(schedule=schedules, now=times, missed=st.integers(0, 1_000))
def test_what_was_missed_is_made_up_by_one(schedule: Schedule, now: int, missed: int) -> None:
    """However many periods have passed, one backup is due, and none after it until the next period."""
    made_at = schedule.begun_at(now) - missed * schedule.every_ms - 1

    assert schedule.is_due(None, now)
    assert schedule.is_due(made_at, now)
    assert not schedule.is_due(now, now)
    assert not schedule.is_due(now, schedule.next_at(now) - 1)
    assert schedule.is_due(now, schedule.next_at(now))


@pytest.mark.parametrize(
    ("at", "every_hours", "now", "expected"),
    [
        ("03:00", 24, "2026-11-22T02:59:59.999Z", "2026-11-22T03:00:00.000Z"),
        ("03:00", 24, "2026-11-22T03:00:00.000Z", "2026-11-23T03:00:00.000Z"),
        ("22:30", 6, "2026-11-22T04:31:00.000Z", "2026-11-22T10:30:00.000Z"),
        ("00:15", 1, "2026-11-22T23:15:00.000Z", "2026-11-23T00:15:00.000Z"),
    ],
)
def test_times_are_counted_from_the_time_of_day(at: str, every_hours: int, now: str, expected: str) -> None:
    """In UTC, where each day has 24 hours."""
    assert expected == rfc3339(Schedule.of(at, every_hours).next_at(ms_of(now)))


def test_two_periods_without_a_good_one_are_too_many() -> None:
    schedule = Schedule.of("03:00", 24)

    assert schedule.is_overdue(None, DAY_MS)
    assert not schedule.is_overdue(DAY_MS, 3 * DAY_MS)
    assert schedule.is_overdue(DAY_MS, 3 * DAY_MS + 1)


def test_the_waits_after_failures_grow_to_an_hour() -> None:
    waits = [retry_ms(failures) for failures in range(1, 100)]

    assert waits[:3] == [MINUTE_MS, 2 * MINUTE_MS, 4 * MINUTE_MS]
    assert waits == sorted(waits)
    assert waits[-1] == RETRY_MS_MAX == HOUR_MS
