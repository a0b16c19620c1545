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

DOCS = Path(__file__).parents[3] / "docs"
RECORD, GUIDE = DOCS / "decisions" / "0018-money.md", DOCS / "gateway.md"
CAME = Usage(10, 2, 5)
ESTIMATE = Usage(7, 0, 3)
BREAKS: tuple[Ended, ...] = ("left", "broken", "silent", "limit", "stopped", "revoked")


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


CHARGES = {
    "nothing": (NONE, NONE),
    "its usage; without usage, the estimate of prompt and answer": (CAME, ESTIMATE),
    "the last usage that came; else the estimate of the prompt and of what came": (CAME, ESTIMATE),
    "the same": (CAME, ESTIMATE),
}
"""What the record says: charged with usage, and without."""
OF_GUIDE: dict[str, set[Ended]] = {
    "a refusal, or without an answer of a provider": {"refused", "unanswered"},
    "an answer": {"answered"},
    "a break: you left, the provider broke off or fell silent, a limit, a stop, a revoked key": {*BREAKS},
    "the end of the service's process": {"lost"},
}


def charged(ended: Ended) -> tuple[Usage, Usage]:
    """What such an end is charged where usage came, and where none did."""
    with_usage, without = (Exit(ended=ended, usage=came, estimate=ESTIMATE) for came in (CAME, None))
    return metered(with_usage).usage, metered(without).usage


def test_the_record_says_what_each_end_is_charged():
    """The table of the decision names each once, with what this function charges."""
    table = RECORD.read_text("utf-8").partition("## The table of exits")[2].partition("\n## ")[0]
    rows = re.findall(r"(?m)^\| (`[a-z]+`(?:, `[a-z]+`)*) \| .* \| (.*) \|$", table)
    recorded = [(name, CHARGES[what]) for names, what in rows for name in re.findall(r"`([a-z]+)`", names)]

    assert sorted((one, charged(one)) for one in get_args(Ended)) == sorted(recorded)


def test_the_guide_says_what_each_end_costs():
    """In its own words, and without leaving one out."""
    table = GUIDE.read_text("utf-8").partition("| the call ended with | it costs |")[2].partition("\n\n")[0]
    rows = dict(re.findall(r"(?m)^\| (.*?) \| (.*) \|$", table.replace("|---|---|", "")))

    assert OF_GUIDE.keys() == rows.keys()
    assert {*get_args(Ended)} == {end for ends in OF_GUIDE.values() for end in ends}
    for words, costs in rows.items():
        free = costs.startswith("nothing")
        assert {(NONE, NONE) if free else (CAME, ESTIMATE)} == {charged(one) for one in OF_GUIDE[words]}
        assert free or ("usage" in costs and "estimate" in costs)


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
