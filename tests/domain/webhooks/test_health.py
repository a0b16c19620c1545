"""What attempts make of their subscription: slowed, held, disabled."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc.domain.attempts import AttemptOutcome
from svc.domain.webhooks.health import attempts_at_once, disabled_by, failing_since, held_until

NOW = 1_800_000_000_000
SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000
REACHED = AttemptOutcome(status_code=200)
FAILED = AttemptOutcome(error="no connection")


@pytest.mark.parametrize(
    ("status", "retry_after", "held"),
    [
        (429, 0, MINUTE),
        (429, 5 * SECOND, 5 * SECOND),
        (429, 9 * HOUR, HOUR),
        (503, 5 * SECOND, 5 * SECOND),
        (503, 9 * HOUR, HOUR),
        (503, 0, None),
        (500, 5 * SECOND, None),
        (200, 5 * SECOND, None),
        (None, 0, None),
    ],
)
def test_a_receiver_that_asks_for_a_pause_is_held(status: int | None, retry_after: int, held: int | None):
    """At most an hour; a 429 that does not say, a minute."""
    outcome = AttemptOutcome(status_code=status, retry_after_ms=retry_after)

    assert (None if held is None else NOW + held) == held_until(outcome, NOW)


def test_an_address_that_is_gone_disables_at_once():
    """410, even at the first attempt."""
    gone = AttemptOutcome(status_code=410)

    assert disabled_by(gone, failing_since(None, gone, NOW), NOW) == "gone"


def test_five_days_of_nothing_but_failures_disable():
    """To the millisecond, and only with an attempt."""
    since = failing_since(None, FAILED, NOW)

    assert disabled_by(FAILED, since, NOW + 5 * DAY - 1) is None
    assert disabled_by(FAILED, since, NOW + 5 * DAY) == "failing"
    assert disabled_by(REACHED, since, NOW + 5 * DAY) is None


@given(st.lists(st.tuples(st.integers(0, 2 * DAY), st.booleans()), max_size=30))
def test_failing_begins_with_the_first_failure_after_the_last_success(attempts: list[tuple[int, bool]]):
    """As a look at the whole history has it."""
    now, since, history = NOW, None, []
    for pause, reached in attempts:
        now += pause
        since = failing_since(since, REACHED if reached else FAILED, now)
        history.append((now, reached))

    last_success = max((place for place, (_, reached) in enumerate(history) if reached), default=-1)
    failures = history[last_success + 1 :]
    assert (failures[0][0] if failures else None) == since


@pytest.mark.parametrize(
    ("reached", "at_once"),
    [
        ([], 8),
        ([False] * 9, 8),
        ([False] * 10, 1),
        ([True, *[False] * 10], 1),
        ([False] * 9 + [True], 8),
        ([True, *[False] * 9], 8),
    ],
)
def test_a_dead_receiver_costs_one_attempt_at_a_time(reached: list[bool], at_once: int):
    """While its last ten have all failed."""
    assert at_once == attempts_at_once(reached)
