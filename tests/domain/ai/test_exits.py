"""The table of exits: what each end of a call is charged. `docs/decisions/0018-money.md` has it."""

import re
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc.domain.ai.exits import Charge, Ended, Exit, charge, metered
from svc.domain.ai.money import Prices
from svc.domain.ai.usage import NONE, Usage

PAGE = Path(__file__).parents[3] / "docs" / "decisions" / "0018-money.md"
CAME = Usage(10, 2, 5)
ESTIMATE = Usage(7, 0, 3)
BREAKS = ("left", "broken", "silent", "limit", "stopped", "revoked")


@pytest.mark.parametrize("ended", ["refused", "unanswered", "lost"])
@pytest.mark.parametrize("usage", [None, CAME])
def test_a_call_without_an_answer_costs_nothing(ended: Ended, usage: Usage | None):
    """A refusal of ours, no provider's answer, the end of the process: even if usage had come."""
    assert (NONE, False) == metered(Exit(ended=ended, usage=usage, estimate=ESTIMATE))


@pytest.mark.parametrize("ended", ["answered", *BREAKS])
def test_usage_that_came_is_what_counts(ended: Ended):
    """Of an answer, and of a stream that broke off after it."""
    assert (CAME, False) == metered(Exit(ended=ended, usage=CAME, estimate=ESTIMATE))


@pytest.mark.parametrize("ended", ["answered", *BREAKS])
def test_without_usage_the_estimate_counts(ended: Ended):
    """And is marked as one."""
    assert (ESTIMATE, True) == metered(Exit(ended=ended, usage=None, estimate=ESTIMATE))


@pytest.mark.parametrize("ended", BREAKS)
def test_what_was_not_sent_costs_nothing(ended: Ended):
    """The client left, or the service was stopped, before a provider had the request."""
    assert (NONE, False) == metered(Exit(ended=ended, sent=False, estimate=ESTIMATE))


def test_the_record_has_every_end():
    """The table of the decision names each, once."""
    rows = re.findall(r"^\| (`[a-z]+`(?:, `[a-z]+`)*) \|", PAGE.read_text("utf-8"), re.MULTILINE)
    named = [name for row in rows for name in re.findall(r"`([a-z]+)`", row)]

    assert sorted(get_args(Ended)) == sorted(named)


@given(
    st.builds(Prices, *[st.integers(0, 10**9)] * 3),
    st.builds(Usage, st.integers(0, 10**6), st.just(0), st.integers(0, 10**6)),
    st.none() | st.integers(0, 10**9),
    st.integers(0, 10**9),
)
def test_no_charge_is_beyond_what_is_reserved_and_free(
    prices: Prices, usage: Usage, bound: int | None, free: int
):
    """The cost is charged or uncovered to the last micro-credit; an own provider's call takes none."""
    paid = charge(prices, usage, bound=bound, free=free)

    if bound is None:
        assert Charge(paid.cost, 0, 0) == paid
    else:
        assert paid.cost == paid.charged + paid.uncovered
        assert paid.charged == min(paid.cost, bound + free)
