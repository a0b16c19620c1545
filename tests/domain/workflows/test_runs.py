"""The states of a run: what steps, waits, errors and people make of it."""

from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from svc.domain.errors import Conflict, DomainError, Forbidden, InvalidValue, NotFound, Unavailable
from svc.domain.workflows.documents import Stop
from svc.domain.workflows.runs import (
    OPEN,
    begun,
    cancelled,
    depth_after,
    failed,
    moved,
    put_off,
    resolution,
    retried,
    stopped,
    waiting,
    woken,
)

NOW = 1_800_000_000_000


def test_a_run_goes_from_step_to_step_and_is_done():
    run = begun("a", NOW)

    assert ("running", "a", NOW, 1) == (run.state, run.position, run.wake_at, run.depth)
    run = moved(run, "b", NOW + 1)
    assert ("running", "b", NOW + 1) == (run.state, run.position, run.wake_at)
    run = moved(run, None, NOW + 2)
    assert ("done", None, None, NOW + 2) == (run.state, run.position, run.wake_at, run.ended_at)


def test_a_wait_is_a_time():
    """The position stays; an event or an outcome ends it early, and a time does not."""
    timed = waiting(begun("a", NOW), "time", NOW + 99)
    call = waiting(begun("a", NOW), "delivery", NOW + 99)

    assert ("waiting", "a", NOW + 99) == (timed.state, timed.position, timed.wake_at)
    assert woken(timed, NOW + 5) is None
    early = woken(call, NOW + 5)
    assert early is not None
    assert ("waiting", "delivery", NOW + 5) == (early.state, early.awaits, early.wake_at)
    assert ("running", None) == (moved(early, "b", NOW + 6).state, moved(early, "b", NOW + 6).awaits)


def test_the_ninth_run_that_began_one_another_is_a_loop():
    """It is recorded as failed, and never steps."""
    runs = [begun("a", NOW)]
    while runs[-1].state == "running":
        runs.append(begun("a", NOW, depth=depth_after(runs[-1].depth)))

    assert 9 == len(runs)
    assert ("failed", "loop", 9, None, NOW) == (
        runs[-1].state,
        runs[-1].reason,
        runs[-1].depth,
        runs[-1].wake_at,
        runs[-1].ended_at,
    )
    assert retried(runs[-1], NOW) is None


def test_a_failed_run_can_be_gone_on_with_at_its_step():
    """As a new run, of the same depth."""
    run = failed(moved(begun("a", NOW, depth=3), "b", NOW), "refused", NOW + 1)
    again = retried(run, NOW + 99)

    assert again == begun("b", NOW + 99, depth=3)
    assert retried(stopped(begun("a", NOW), None, NOW), NOW) is None
    assert retried(begun("a", NOW), NOW) is None


def test_a_stopped_run_is_done_and_says_why():
    run = stopped(begun("a", NOW), "wrong city", NOW + 1)

    assert ("done", "wrong city", NOW + 1) == (run.state, run.reason, run.ended_at)


@pytest.mark.parametrize("state", ["running", "waiting"])
def test_an_open_run_can_be_cancelled(state: str):
    run = begun("a", NOW)
    run = run if state == "running" else waiting(run, "time", NOW + 9)
    gone = cancelled(run, NOW + 1)

    assert gone is not None
    assert ("cancelled", None, NOW + 1) == (gone.state, gone.wake_at, gone.ended_at)
    assert cancelled(gone, NOW + 2) is None


def test_what_is_not_available_is_no_refusal():
    """The step is begun again; its attempts are counted until it is done."""
    run = put_off(put_off(begun("a", NOW), NOW + 5), NOW + 9)

    assert ("running", "a", 2, NOW + 9) == (run.state, run.position, run.attempts, run.wake_at)
    assert 0 == moved(run, "b", NOW + 9).attempts


@pytest.mark.parametrize("error", [NotFound("x"), Conflict("x"), InvalidValue("x"), Forbidden("x")])
def test_a_refusal_ends_the_run_unless_the_step_goes_on(error: DomainError):
    assert "fail" == resolution(error, Stop(key="a"))
    assert "continue" == resolution(error, Stop(key="a", on_error="continue"))


def test_an_unavailable_store_ends_nothing():
    """Whatever the step says of errors."""
    assert "again" == resolution(Unavailable("x"), Stop(key="a"))
    assert "again" == resolution(Unavailable("x"), Stop(key="a", on_error="continue"))


class Runs(RuleBasedStateMachine):
    """One run, moved in any order in which a run that is open can be."""

    def __init__(self) -> None:
        super().__init__()
        self.run, self.now = begun("a", NOW), NOW

    def step(self, after: Any) -> None:
        self.now += 1
        if self.run.state in OPEN and after is not None:
            self.run = after

    @rule(position=st.sampled_from(["b", "c", None]))
    def move(self, position: str | None) -> None:
        self.step(moved(self.run, position, self.now))

    @rule(awaits=st.sampled_from(["time", "event", "delivery", "approval"]), ms=st.integers(1, 99))
    def wait(self, awaits: Any, ms: int) -> None:
        self.step(waiting(self.run, awaits, self.now + ms))

    @rule()
    def wake(self) -> None:
        self.step(woken(self.run, self.now))

    @rule()
    def put_off(self) -> None:
        self.step(put_off(self.run, self.now + 5))

    @rule()
    def fail(self) -> None:
        self.step(failed(self.run, "refused", self.now))

    @rule()
    def stop(self) -> None:
        self.step(stopped(self.run, None, self.now))

    @rule()
    def cancel(self) -> None:
        assert (cancelled(self.run, self.now) is None) == (self.run.state not in OPEN)
        self.step(cancelled(self.run, self.now))

    @invariant()
    def is_consistent(self) -> None:
        run, is_open = self.run, self.run.state in OPEN
        assert is_open == (run.wake_at is not None) == (run.ended_at is None)
        assert (run.state == "waiting") == (run.awaits is not None)
        assert run.position is not None or not is_open
        assert (retried(run, self.now) is not None) == (run.state == "failed")


TestRuns = Runs.TestCase
TestRuns.settings = settings(max_examples=100, deadline=None)
