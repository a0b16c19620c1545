"""What attempts and people make of a delivery: the whole plan, to the millisecond."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from svc.domain.attempts import AttemptOutcome
from svc.domain.webhooks.deliveries import (
    DeliveryProgress,
    attempted,
    cancelled,
    killed,
    queued,
    redelivered,
)
from svc.domain.webhooks.limits import WEBHOOK_RETRIES_MS

NOW = 1_800_000_000_000
SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000
PLAN = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, *(hours * HOUR for hours in (2, 5, 10, 14, 20, 24))]
REACHED = AttemptOutcome(status_code=204)
FAILED = AttemptOutcome(status_code=500)
MIDDLE = 0.5
"""The spread that moves nothing."""


def after_failures(number: int) -> DeliveryProgress:
    """A delivery that failed so often, each attempt made when it was due."""
    delivery = queued(NOW)
    for _ in range(number):
        assert delivery.next_attempt_at is not None
        delivery = attempted(delivery, FAILED, delivery.next_attempt_at, MIDDLE)
    return delivery


def test_the_plan_is_that_of_the_decisions():
    """Nine waits, from five seconds to a day."""
    due = [after_failures(number).next_attempt_at for number in range(10)]

    assert [NOW, *(NOW + sum(PLAN[: place + 1]) for place in range(9))] == due


def test_the_tenth_failure_is_the_last():
    """Then it is dead, and has no next attempt."""
    dead = after_failures(10)

    assert ("waiting", 9) == (after_failures(9).state, after_failures(9).attempts)
    assert ("dead", None, 10) == (dead.state, dead.next_attempt_at, dead.attempts)
    assert NOW + sum(PLAN) == dead.done_at


@pytest.mark.parametrize("status", [200, 202, 204, 299])
def test_any_2xx_delivers(status: int):
    done = attempted(after_failures(3), AttemptOutcome(status_code=status), NOW + DAY, MIDDLE)

    assert ("delivered", None, NOW + DAY, 4) == (
        done.state,
        done.next_attempt_at,
        done.done_at,
        done.attempts,
    )


@pytest.mark.parametrize("status", [None, 199, 300, 301, 400, 404, 410, 429, 500, 503])
def test_anything_else_is_a_failure(status: int | None):
    """No response, too."""
    again = attempted(queued(NOW), AttemptOutcome(status_code=status), NOW, MIDDLE)

    assert ("waiting", NOW + 5 * SECOND) == (again.state, again.next_attempt_at)


@given(st.floats(0, 1), st.integers(0, 8))
def test_waits_are_spread_by_ten_percent_at_most(spread: float, failures: int):
    """Either way."""
    before = after_failures(failures)
    after = attempted(before, FAILED, NOW, spread)

    assert after.next_attempt_at is not None
    assert 0.9 * PLAN[failures] <= after.next_attempt_at - NOW <= 1.1 * PLAN[failures]


@pytest.mark.parametrize(
    ("failures", "asked", "waited"),
    [
        (0, 0, 5 * SECOND),
        (0, 4 * SECOND, 5 * SECOND),
        (0, HOUR, HOUR),
        (0, DAY, DAY),
        (0, 9 * DAY, DAY),
        (3, HOUR, 2 * HOUR),
    ],
)
def test_retry_after_is_honoured_up_to_a_day(failures: int, asked: int, waited: int):
    """A wait is never shorter than planned for it."""
    outcome = AttemptOutcome(status_code=503, retry_after_ms=asked)

    assert NOW + waited == attempted(after_failures(failures), outcome, NOW, MIDDLE).next_attempt_at


def test_retry_after_does_not_bring_a_dead_delivery_back():
    outcome = AttemptOutcome(status_code=503, retry_after_ms=MINUTE)

    assert attempted(after_failures(9), outcome, NOW, MIDDLE).state == "dead"


def test_redelivery_begins_the_plan_anew():
    """Of dead and of delivered ones; the count of attempts goes on."""
    for ended in (after_failures(10), attempted(queued(NOW), REACHED, NOW, MIDDLE)):
        again = redelivered(ended, NOW + DAY)

        assert again is not None
        assert ("waiting", NOW + DAY, 0, None) == (
            again.state,
            again.next_attempt_at,
            again.failures,
            again.done_at,
        )
        assert ended.attempts == again.attempts
        assert NOW + 2 * DAY + 5 * SECOND == attempted(again, FAILED, NOW + 2 * DAY, MIDDLE).next_attempt_at


def test_redelivery_makes_a_waiting_delivery_due():
    """Its receiver was mended: it need not wait for hours."""
    again = redelivered(after_failures(7), NOW + DAY)

    assert again is not None
    assert ("waiting", NOW + DAY, 7) == (again.state, again.next_attempt_at, again.attempts)


def test_replayed_deliveries_go_behind_live_ones_until_they_end():
    """The mark outlives failed attempts."""
    replayed = redelivered(after_failures(10), NOW, replayed=True)
    assert replayed is not None

    assert attempted(replayed, FAILED, NOW, MIDDLE).replayed
    assert not attempted(replayed, REACHED, NOW, MIDDLE).replayed


def test_a_cancelled_delivery_stays_so():
    """No redelivery, and no late outcome, brings it back."""
    gone = cancelled(after_failures(1), NOW + HOUR)
    assert gone is not None

    assert ("cancelled", NOW + HOUR, None) == (gone.state, gone.done_at, gone.next_attempt_at)
    assert redelivered(gone, NOW + DAY) is None
    assert cancelled(gone, NOW + DAY) is None
    assert killed(gone, NOW + DAY) is None


def test_disabling_kills_what_waits_and_nothing_else():
    dead = killed(after_failures(2), NOW + HOUR)

    assert dead is not None
    assert ("dead", NOW + HOUR) == (dead.state, dead.done_at)
    assert killed(dead, NOW + DAY) is None
    assert killed(attempted(queued(NOW), REACHED, NOW, MIDDLE), NOW) is None


@pytest.mark.parametrize("outcome", [REACHED, FAILED])
def test_an_outcome_after_the_end_counts_and_changes_nothing(outcome: AttemptOutcome):
    """An attempt was under way while the subscription was disabled."""
    dead = killed(queued(NOW), NOW)
    assert dead is not None

    after = attempted(dead, outcome, NOW + SECOND, MIDDLE)

    assert (dead.state, dead.done_at, dead.attempts + 1) == (after.state, after.done_at, after.attempts)


class Deliveries(RuleBasedStateMachine):
    """One delivery beside a model that has only its state, its place in the plan, and a count."""

    def __init__(self) -> None:
        super().__init__()
        self.now = NOW
        self.delivery = queued(NOW)
        self.state = "waiting"
        self.place = 0
        self.attempts = 0
        self.due = NOW

    @rule(ms=st.integers(0, 2 * DAY))
    def time_passes(self, ms: int) -> None:
        self.now += ms

    @rule(status=st.sampled_from([None, 200, 204, 404, 500, 503]), retry_after=st.integers(0, 2 * DAY))
    def attempt_ends(self, status: int | None, retry_after: int) -> None:
        outcome = AttemptOutcome(status_code=status, retry_after_ms=retry_after)
        self.delivery = attempted(self.delivery, outcome, self.now, MIDDLE)
        self.attempts += 1
        if self.state != "waiting":
            return
        if status in {200, 204}:
            self.state = "delivered"
        elif self.place == len(PLAN):
            self.state = "dead"
        else:
            self.due = self.now + max(PLAN[self.place], min(retry_after, DAY))
            self.place += 1

    @rule()
    def redeliver(self) -> None:
        again = redelivered(self.delivery, self.now)
        assert (again is None) == (self.state == "cancelled")
        if again is not None:
            self.delivery, self.state, self.place, self.due = again, "waiting", 0, self.now

    @rule()
    def disable(self) -> None:
        dead = killed(self.delivery, self.now)
        assert (dead is None) == (self.state != "waiting")
        if dead is not None:
            self.delivery, self.state = dead, "dead"

    @precondition(lambda self: self.attempts > 3)
    @rule()
    def cancel(self) -> None:
        gone = cancelled(self.delivery, self.now)
        assert (gone is None) == (self.state != "waiting")
        if gone is not None:
            self.delivery, self.state = gone, "cancelled"

    @invariant()
    def agrees_with_the_model(self) -> None:
        waits = self.state == "waiting"
        assert (self.state, self.attempts) == (self.delivery.state, self.delivery.attempts)
        assert (self.due if waits else None) == self.delivery.next_attempt_at
        assert waits == (self.delivery.done_at is None)


TestDeliveries = Deliveries.TestCase
TestDeliveries.settings = settings(max_examples=100, deadline=None)


def test_the_plan_is_where_all_limits_are():
    assert PLAN == [*WEBHOOK_RETRIES_MS]
