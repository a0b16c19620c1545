"""A sliding window against the plainest model of one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc.domain.rate_limits.sliding_window import SlidingWindow, retry_after_seconds

MINUTE = 60_000


class NaiveWindow:
    """Remembers every event and counts those that are younger than the window."""

    def __init__(self, window_ms: int, maximum: int, times: list[int]) -> None:
        self.window_ms = window_ms
        self.maximum = maximum
        self.times = list(times)

    def room(self, now: int) -> int:
        return max(0, self.maximum - sum(at > now - self.window_ms for at in self.times))

    def next_room_at(self, now: int) -> int | None:
        if self.room(now):
            return None
        return min(at + self.window_ms for at in self.times if self.room(at + self.window_ms))


@given(
    window_ms=st.integers(1, 50),
    maximum=st.integers(1, 5),
    before=st.lists(st.integers(-40, 0), max_size=12),
    steps=st.lists(st.tuples(st.integers(0, 30), st.booleans()), max_size=40),
)
def test_it_answers_as_one_that_remembers_everything(
    window_ms: int, maximum: int, before: list[int], steps: list[tuple[int, bool]]
) -> None:
    """Room, and when there is room again, are those of a window that keeps every event."""
    window = SlidingWindow(window_ms, maximum, before)
    model = NaiveWindow(window_ms, maximum, before)
    now = 0
    for passed, adds in steps:
        now += passed
        if adds:
            window.add(now)
            model.times.append(now)

        assert (model.room(now), model.next_room_at(now)) == (window.room(now), window.next_room_at(now))


@given(st.lists(st.integers(0, 2 * MINUTE)), st.integers(0, 3 * MINUTE))
def test_one_that_was_read_back_answers_as_the_one_that_was_filled(times: list[int], now: int) -> None:
    """A window rebuilt from stored times, in any order, has the room of the one that saw them happen."""
    lived = SlidingWindow(MINUTE, 20)
    for at in sorted(times):
        lived.add(at)
    rebuilt = SlidingWindow(MINUTE, 20, times)

    assert lived.room(now) == rebuilt.room(now)
    assert lived.next_room_at(now) == rebuilt.next_room_at(now)


def test_an_event_counts_until_it_is_as_old_as_the_window() -> None:
    """An event counts one millisecond before it is as old as the window, and no longer then."""
    window = SlidingWindow(MINUTE, 1, [1_000])

    assert 0 == window.room(MINUTE + 999)
    assert MINUTE + 1_000 == window.next_room_at(MINUTE + 999)
    assert 1 == window.room(MINUTE + 1_000)


def test_a_full_window_keeps_no_more_than_its_maximum() -> None:
    """However many events come, no more than the maximum are held."""
    window = SlidingWindow(MINUTE, 20)
    for at in range(100_000):
        window.add(at)

    assert 20 == len(window._times)


@pytest.mark.parametrize(
    ("wait_ms", "seconds"), [(-5, 1), (0, 1), (1, 1), (1_000, 1), (1_001, 2), (59_999, 60)]
)
def test_a_wait_is_reported_in_whole_seconds_rounded_up(wait_ms: int, seconds: int) -> None:
    """After the reported seconds there is room, and they are never zero."""
    assert seconds == retry_after_seconds(wait_ms)


def test_an_event_that_is_taken_back_did_not_happen() -> None:
    """There is room again at once; what was not counted cannot be taken back."""
    window = SlidingWindow(MINUTE, 2, [1_000, 2_000])

    window.take_back(1_000)
    window.take_back(1_500)

    assert 1 == window.room(2_000)


@given(st.lists(st.integers(0, 10 * MINUTE), max_size=30), st.integers(0, 3 * MINUTE))
def test_an_event_from_the_future_counts_as_now(times: list[int], now: int) -> None:
    """A wait is never longer than the window, however far ahead the clock was when the event was stored."""
    window = SlidingWindow(MINUTE, 5, times)
    plain = SlidingWindow(MINUTE, 5, [min(at, now) for at in times])

    assert (plain.room(now), plain.next_room_at(now)) == (window.room(now), window.next_room_at(now))
    assert (window.next_room_at(now) or 0) <= now + MINUTE
    assert 5 == window.room(now + MINUTE)
