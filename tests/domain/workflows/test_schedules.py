"""Schedules: each occurrence once, in the zone's own time, and one of those that were missed."""

from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from svc.domain.errors import InvalidInput
from svc.domain.locale.times import DAY_MS, HOUR_MS, MINUTE_MS, ms_of, rfc3339
from svc.domain.workflows.schedules import Occurrence, Timetable

LONDON, NEW_YORK, LORD_HOWE = "Europe/London", "America/New_York", "Australia/Lord_Howe"


def times_after(start: str, count: int, cron: str, zone: str = "UTC") -> list[str]:
    table, at, times = Timetable(cron, zone), ms_of(start), []
    for _ in range(count):
        found = table.next_after(at)
        assert found is not None
        at = found
        times.append(rfc3339(at).removesuffix(":00.000Z"))
    return times


@pytest.mark.parametrize(
    ("cron", "times"),
    [
        ("0 9 * * 1", ["2026-11-23T09:00", "2026-11-30T09:00"]),
        ("*/20 * * * *", ["2026-11-22T11:40", "2026-11-22T12:00"]),
        ("0 0 1 * *", ["2026-12-01T00:00", "2027-01-01T00:00"]),
        ("0 0 29 2 *", ["2028-02-29T00:00", "2032-02-29T00:00"]),
        ("0 0 L * *", ["2026-11-30T00:00", "2026-12-31T00:00"]),
        ("30 8 * jan mon-fri", ["2027-01-01T08:30", "2027-01-04T08:30"]),
        ("30 11 22 11 *", ["2027-11-22T11:30", "2028-11-22T11:30"]),
    ],
)
def test_the_next_occurrence_is_after_the_time(cron: str, times: list[str]):
    """Never at it."""
    assert times == times_after("2026-11-22T11:30:00.000Z", 2, cron)


def test_a_time_within_a_second_is_before_the_next():
    """Milliseconds are not lost."""
    table = Timetable("* * * * *", "UTC")
    noon = ms_of("2026-11-22T12:00:00.000Z")

    assert (noon, noon + MINUTE_MS) == (table.next_after(noon - 1), table.next_after(noon))
    assert noon + MINUTE_MS == table.next_after(noon + 999)


def test_an_hour_that_is_left_out_is_made_up_for():
    """29 March 2026 in London has no 01:30: it comes when the clock is put forward."""
    assert ["2026-03-28T01:30", "2026-03-29T01:00", "2026-03-30T00:30"] == times_after(
        "2026-03-28T00:00:00.000Z", 3, "30 1 * * *", LONDON
    )


def test_an_hour_that_is_repeated_counts_once():
    """25 October 2026 in London has 01:30 twice; after the second one, too, the next is the day after."""
    assert ["2026-10-25T00:30", "2026-10-26T01:30"] == times_after(
        "2026-10-25T00:00:00.000Z", 2, "30 1 * * *", LONDON
    )
    assert ["2026-10-26T01:30"] == times_after("2026-10-25T01:15:00.000Z", 1, "30 1 * * *", LONDON)


def test_every_hour_is_every_hour():
    """Also the one that is repeated."""
    assert ["2026-10-25T00:00", "2026-10-25T01:00", "2026-10-25T02:00"] == times_after(
        "2026-10-24T23:30:00.000Z", 3, "0 * * * *", LONDON
    )


@settings(deadline=None)
@given(
    st.sampled_from(["30 1 * * *", "15 * * * *", "*/7 * * * *", "0 2 * * 0", "45 1,2,3 * * *", "0 0 1 * *"]),
    st.sampled_from(["UTC", LONDON, NEW_YORK, LORD_HOWE, "Asia/Kathmandu"]),
    st.integers(ms_of("2025-01-01T00:00:00.000Z"), ms_of("2030-01-01T00:00:00.000Z")),
)
@example("30 1 * * *", LONDON, ms_of("2026-10-25T01:15:00.000Z"))
@example("30 1 * * *", LORD_HOWE, ms_of("2026-04-04T14:45:00.000Z"))
def test_occurrences_go_on_and_are_in_the_minute_that_is_asked_for(cron: str, zone: str, start: int):
    """Each is after the one before, and none lies between it and the time that it was asked for."""
    table, at = Timetable(cron, zone), start
    for _ in range(5):
        found = table.next_after(at)
        assert found is not None
        assert found > at
        assert found % MINUTE_MS == 0
        assert found == table.next_after(found - 1)
        assert found == table.next_after((at + found) // 2)
        at = found


@pytest.mark.parametrize(
    "cron",
    [
        "",
        "* * * *",
        "* * * * * *",
        "60 * * * *",
        "* 24 * * *",
        "* * 0 * *",
        "* * * 13 *",
        "* * * * 8",
        "*/0 * * * *",
        "5-1 * * * *",
        "@daily",
        "a b c d e",
        "1,,2 * * * *",
        "²  * * * *",
        "* * * * ²L",
        "0 0 31 2 *",
        "1," * 60 + "1 * * * *",
        "9" * 90 + " * * * *",
    ],
)
def test_what_is_no_cron_expression_is_refused(cron: str):
    with pytest.raises(InvalidInput) as caught:
        Timetable(cron, "UTC")

    assert ["/cron"] == [fault.pointer for fault in caught.value.faults]


@settings(deadline=None)
@given(st.text(alphabet="0123456789*/,-#L WJANMO", max_size=40))
def test_any_text_is_an_expression_or_refused(cron: str):
    """And takes no long time to find out when it comes."""
    try:
        table = Timetable(cron, LONDON)
    except InvalidInput:
        return
    found = table.next_after(ms_of("2026-11-22T12:00:00.000Z"))
    assert found is None or found > ms_of("2026-11-22T12:00:00.000Z")


def test_a_time_that_never_comes_has_no_next():
    """The 31st is no Monday of February, which has no fifth one there."""
    assert Timetable("0 0 */30 2 MON#5", "UTC").next_after(ms_of("2026-11-22T12:00:00.000Z")) is None


@pytest.mark.parametrize(
    "zone", ["", "Europe", "Europe/Lodnon", "../../etc/passwd", "europe/london", "/UTC", "\0"]
)
def test_an_unknown_zone_is_refused(zone: str):
    with pytest.raises(InvalidInput) as caught:
        Timetable("0 9 * *", zone)

    assert ["/cron", "/timeZone"] == [fault.pointer for fault in caught.value.faults]


def test_zones_are_those_of_the_database():
    """It is installed, also where the machine has none."""
    assert ZoneInfo(LORD_HOWE).key == LORD_HOWE


NINE = ms_of("2026-11-22T09:00:00.000Z")


@pytest.mark.parametrize(
    ("cron", "planned", "now", "started"),
    [
        ("0 * * * *", NINE, NINE - 1, None),
        ("0 * * * *", NINE, NINE, Occurrence(NINE, late=False)),
        ("0 * * * *", NINE, NINE + MINUTE_MS - 1, Occurrence(NINE, late=False)),
        ("0 * * * *", NINE, NINE + MINUTE_MS, Occurrence(NINE, late=True)),
        ("0 * * * *", NINE - 5 * HOUR_MS, NINE + 1, Occurrence(NINE, late=False)),
        ("0 * * * *", NINE - 99 * DAY_MS, NINE + 7 * MINUTE_MS, Occurrence(NINE, late=True)),
        ("0 9 * * *", NINE - DAY_MS, NINE - 1, Occurrence(NINE - DAY_MS, late=True)),
        ("0 9 22 * *", NINE, NINE + DAY_MS, Occurrence(NINE, late=True)),
        ("0 9 22 * *", NINE, NINE + DAY_MS + 1, None),
        ("0 9 22 * *", NINE - 31 * DAY_MS, NINE + HOUR_MS, Occurrence(NINE, late=True)),
        ("* * * * *", NINE - 9 * DAY_MS, NINE + 5, Occurrence(NINE, late=False)),
    ],
)
def test_of_missed_occurrences_the_latest_is_made_up_for(
    cron: str, planned: int, now: int, started: Occurrence | None
):
    """If it is not over a day ago; marked late after a minute."""
    assert started == Timetable(cron, "UTC").due(planned, now)


@settings(deadline=None, max_examples=50)
@given(
    st.sampled_from(["*/10 * * * *", "30 1 * * *", "0 9 * * 1", "0,1,2 12 * * *"]),
    st.sampled_from(["UTC", LONDON]),
    st.lists(st.integers(1, 3 * DAY_MS), min_size=1, max_size=12),
)
def test_no_occurrence_starts_twice(cron: str, zone: str, looks: list[int]):
    """However often, and seldom, it is looked for; and one that is not started was followed or is old."""
    table = Timetable(cron, zone)
    now = ms_of("2026-10-20T00:00:00.000Z")
    planned, started = table.next_after(now), []
    for pause in looks:
        now += pause
        assert planned is not None
        occurrence = table.due(planned, now)
        if occurrence is None:
            assert planned > now or table.next_after(now - DAY_MS - 1) == table.next_after(now)
        else:
            assert planned <= occurrence.at <= now
            assert table.next_after(occurrence.at) == table.next_after(now)
            started.append(occurrence.at)
        planned = table.next_after(now)

    assert sorted(set(started)) == started
