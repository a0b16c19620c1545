"""One run for a burst of events."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc.domain.workflows.debouncing import Burst, burst_key, extended
from svc.domain.workflows.documents import Debounce

NOW = 1_800_000_000_000
TEN = Debounce(by="record.id", seconds=10, at_most=60)


def test_a_run_is_due_once_it_has_been_quiet():
    first = extended(TEN, None, NOW)
    second = extended(TEN, first, NOW + 9_999)

    assert Burst(NOW, NOW + 10_000) == first
    assert Burst(NOW, NOW + 19_999) == second


def test_a_burst_that_does_not_end_is_cut():
    """So long after its first event."""
    burst = extended(TEN, None, NOW)
    for second in range(1, 60):
        burst = extended(TEN, burst, NOW + second * 1_000)

    assert Burst(NOW, NOW + 60_000) == burst


def test_a_burst_that_is_due_is_over():
    """What comes then begins another."""
    assert Burst(NOW + 10_000, NOW + 20_000) == extended(TEN, Burst(NOW, NOW + 10_000), NOW + 10_000)


@given(st.lists(st.integers(0, 30_000), min_size=1, max_size=60))
def test_every_event_is_in_one_burst_that_starts_in_time(pauses: list[int]):
    """At least ten quiet seconds before each start, or sixty since the first event."""
    now, burst, starts = NOW, None, []
    for pause in pauses:
        now += pause
        if burst is not None and burst.due_at <= now:
            starts.append((burst.first_at, burst.due_at))
        burst = extended(TEN, burst, now)
        assert now < burst.due_at <= now + 10_000
        assert burst.due_at <= burst.first_at + 60_000
        assert not starts or starts[-1][1] <= burst.first_at


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("rec_1", "rec_1", True),
        ("rec_1", "rec_2", False),
        (1, "1", False),
        (None, None, True),
        ([1], [1], True),
    ],
)
def test_events_with_the_same_value_are_of_one_burst(one: Any, other: Any, same: bool):
    def key(value: Any) -> str:
        return burst_key(TEN, {"record": {"id": value}})

    assert same == (key(one) == key(other))
    assert 64 == len(key("x" * 100_000))
