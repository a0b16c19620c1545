"""Two weeks of an organization's days, for all times and zones."""

from zoneinfo import available_timezones

import hypothesis.strategies as st
from hypothesis import given

from svc.domain.home.weeks import weeks_to
from svc.domain.locale.times import DAY_MS, HOUR_MS

_ZONES = st.sampled_from(sorted(available_timezones()))
_TIMES = st.integers(0, 4_000_000_000_000)


@given(_TIMES, _ZONES)
def test_the_last_day_is_today(now, zone):
    """Now is in it, wherever clocks are changed."""
    today = weeks_to(now, zone).last[-1]

    assert today.begins_at <= now < today.ends_at


@given(_TIMES, _ZONES)
def test_the_weeks_follow_one_another(now, zone):
    """Seven days and seven, without a gap, an overlap or a date twice."""
    weeks = weeks_to(now, zone)
    days = weeks.days

    assert (7, 7) == (len(weeks.before), len(weeks.last))
    assert [day.ends_at for day in days[:-1]] == [day.begins_at for day in days[1:]]
    assert 14 == len({day.date for day in days})
    assert abs(days[-1].ends_at - days[0].begins_at - 14 * DAY_MS) <= DAY_MS + 2 * HOUR_MS
