"""Durations: one text for each length, and what is none."""

import pytest
from babel.localedata import locale_identifiers
from hypothesis import given
from hypothesis import strategies as st

from svc.domain.errors import InvalidValue
from svc.domain.locale.durations import iso_duration, parse_duration
from svc.domain.locale.locales import place_of
from svc.domain.records.conditions import Condition
from svc.domain.records.kinds.duration import KIND
from svc.domain.records.kinds.registry import sort_key
from svc.domain.records.properties import Property
from svc.domain.records.values import coerce, read

LENGTH = Property(slug="length", label="Length", type="duration")
SECONDS = st.integers(0, 876_000 * 3600)


@given(SECONDS)
def test_a_duration_has_one_text(seconds: int) -> None:
    """What is answered is read as it is, and is as long."""
    text = iso_duration(seconds)

    assert text == read(LENGTH, text, "DE")
    assert seconds == parse_duration(text)


@given(*(st.integers(0, 1000) for _ in range(5)))
def test_parts_are_added_up(weeks: int, days: int, hours: int, minutes: int, seconds: int) -> None:
    """Days have 24 hours, and more of a unit than make the next are carried over."""
    text = f"P{weeks}W{days}DT{hours}H{minutes}M{seconds}S"
    total = (((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60 + seconds

    assert iso_duration(total) == read(LENGTH, text, "DE")


@pytest.mark.parametrize(
    "text",
    [
        "P1Y", "P1M",
        "PT1.5H", "PT0,5S", "-PT1H", "+PT1H", "P", "PT", "P1DT", "PT1M1H", "P1D1W", "1H", "PT1H ago",
        "1:30", "pt1h", "PT٣H", "PT876000H1S", "P99999999999D",
    ],
)  # fmt: skip
def test_what_is_no_duration_is_refused(text: str) -> None:
    """Years, months, fractions, signs, no part, a part out of order, and more than 876,000 hours."""
    with pytest.raises(InvalidValue):
        read(LENGTH, text, "DE")


@given(SECONDS, SECONDS)
def test_durations_are_compared_and_sorted_by_length(one: int, other: int) -> None:
    """Not by their letters."""
    first, second = iso_duration(one), iso_duration(other)

    assert (one < other) is Condition(LENGTH, "lt", second, "DE").holds(first)
    assert (one >= other) is Condition(LENGTH, "gte", second, "DE").holds(first)
    assert (one < other) is (sort_key("duration", first) < sort_key("duration", second))


@pytest.mark.parametrize(
    ("given", "expected"), [("1:30", "PT1H30M"), ("0:00:05", "PT5S"), ("pt2h", "PT2H"), (" P1D ", "PT24H")]
)
def test_a_form_takes_hours_and_minutes(given: str, expected: str) -> None:
    """As people write them, or as ISO 8601 in any case."""
    assert expected == coerce(LENGTH, given, "DE")


def test_every_locale_writes_durations() -> None:
    """With all three units and with one; Babel leaves out what a locale inherits."""
    for locale in locale_identifiers():
        place = place_of(locale, "UTC")

        assert KIND.text("PT1H2M3S", place, None)
        assert KIND.text("PT0S", place, None)


@pytest.mark.parametrize(
    ("locale", "expected"), [("en_GB", "1 hr, 30 mins, 5 secs"), ("de_DE", "1 Std., 30 Min., 5 Sek.")]
)
def test_a_duration_is_shown_in_the_organizations_words(locale: str, expected: str) -> None:
    """Short, by hours, minutes and seconds."""
    assert expected == KIND.text("PT1H30M5S", place_of(locale, "UTC"), None)
