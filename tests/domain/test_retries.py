"""Retries: plans of waits with their spread and their end, and waits that double."""

import pytest

from svc.domain.channels.limits import PUSH_RETRIES_MS
from svc.domain.retries import RetryPlan, doubled_ms

PLAN = RetryPlan((100, 3_000), spread=0.1)


def test_a_plan_ends_after_its_last_wait() -> None:
    """One attempt more than there are waits."""
    waits = [PLAN.wait_ms(failures) for failures in range(4)]

    assert [100, 3_000, None, None] == waits


def test_a_plan_may_repeat_its_last_wait() -> None:
    """As pushes to bridges are, until the reply expires."""
    plan = RetryPlan(PUSH_RETRIES_MS, repeats_last=True)

    assert [*PUSH_RETRIES_MS, PUSH_RETRIES_MS[-1], PUSH_RETRIES_MS[-1]] == [
        plan.wait_ms(failures) for failures in range(len(PUSH_RETRIES_MS) + 2)
    ]


@pytest.mark.parametrize(("at_random", "wait_ms"), [(0, 2_700), (0.5, 3_000), (1, 3_300)])
def test_the_spread_moves_a_wait_either_way(at_random: float, wait_ms: int) -> None:
    """By its part at most."""
    assert wait_ms == PLAN.wait_ms(1, at_random)


def test_a_wait_doubles_up_to_its_longest() -> None:
    """However many failures there were."""
    assert [5, 10, 20, 40, 60, 60] == [doubled_ms(5, failures, 60) for failures in (0, 1, 2, 3, 4, 10**6)]
