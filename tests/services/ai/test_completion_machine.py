"""The gateway's money over lives of its process: whatever happens, and wherever, the plain model agrees."""

from typing import Any, Final

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from svc.domain.locale.times import DAY_MS
from tests.services.ai.gateway_lives import DEEDS, MODELS, AskedCall, Cut, Deed, live
from tests.services.ai.gateway_model import World
from tests.services.ai.provider_scripts import FINISH, SAID

STEPS_LEAST, STEPS_MAX = 8, 100
"""Between these is the number of checkpoints of a call."""

ANSWERS: Final = st.sampled_from(["an answer", "an answer", "500", *SAID])
CUTS: Final = st.builds(Cut, st.integers(1, 24), st.sampled_from(DEEDS))


class Money(RuleBasedStateMachine):
    """Grants, providers, months; and lives with calls."""

    @initialize(amount=st.integers(0, 2_000))
    def begin(self, amount: int) -> None:
        self.world = World()
        self.world.grant(amount + 1)

    @rule(amount=st.integers(1, 1_000))
    def grant(self, amount: int) -> None:
        self.world.grant(amount)

    @rule(falls_back=st.booleans())
    def set_own(self, *, falls_back: bool) -> None:
        self.world.set_own(falls_back=falls_back)

    @rule()
    def remove_own(self) -> None:
        self.world.remove_own()

    @rule()
    def next_month(self) -> None:
        self.world.now += 31 * DAY_MS
        self.world.used.clear()

    @rule(
        calls=st.lists(
            st.builds(
                AskedCall,
                st.sampled_from(["plain", "budgeted"]),
                st.tuples(ANSWERS, ANSWERS, ANSWERS),
                st.booleans(),
                st.sampled_from([0, 0.1, 1]),
                st.none() | CUTS,
                st.sampled_from([0, 0.2]),
            ),
            min_size=1,
            max_size=len(MODELS),
        ),
        seed=st.integers(0, 1_000),
    )
    def live(self, calls: list[Any], seed: int) -> None:
        self.world.live(*(one._replace(key=self.world.keys[one.key]) for one in calls), seed=seed)


CALLS: Final = ((("500", "an answer", "500"), False), (("garbage", "429", "pieces"), True))
"""Calls, whole and streamed, that go on from the own provider to credits, so that each is reserved twice."""
ENDS: Final[dict[Deed, set[str]]] = {
    "the client leaves": {"left", "answered"},
    "the key is revoked": {"refused", "revoked", "answered"},
    "a stop": {"stopped", "answered"},
    "a full disk": {"unanswered", "answered"},
    "a broken disk": {"unanswered", "lost"},
    "a crash": {"lost"},
}
"""Ends that are seen, each, when that happens at one step or another."""


@pytest.mark.fuzz
@pytest.mark.parametrize("deed", DEEDS)
def test_a_call_may_be_cut_at_every_step(deed: Deed) -> None:
    """At each checkpoint, once; whatever that leads to, the sums are right, and no reservation is left."""
    world = World()
    world.grant(10**6)
    world.set_own(falls_back=True)
    for said, stream in CALLS:
        for steps in range(1, STEPS_MAX):
            call = AskedCall(world.keys["budgeted"], said, stream, cut=Cut(steps, deed))
            life = world.live(call)
            if deed not in life.deeds:
                break
        assert STEPS_LEAST < steps < STEPS_MAX - 1

    assert ENDS[deed] <= set(world.ends)


@pytest.mark.fuzz
@pytest.mark.parametrize(
    ("said", "estimated"),
    [("an answer", False), ("usage too late", True), ("usage after too much", True)],
)
def test_who_leaves_after_the_finish_pays_what_was_used(said: str, *, estimated: bool):
    """The provider is listened to for it, for 10 seconds and 64 KB; else the estimate counts."""
    world = World()
    world.grant(10**6)
    left = []
    for steps in range(1, STEPS_MAX):
        life = world.live(
            AskedCall(world.keys["plain"], (said, said, said), cut=Cut(steps, "the client leaves"))
        )
        [made] = life.calls
        if not life.deeds:
            break
        came = made.attempts[-1].came if made.attempts else b""
        if FINISH in came and world.last.ended == "left":
            left.append(world.last.estimated)

    assert estimated == left[0]


def test_an_own_provider_that_rests_takes_no_credits_in_the_end() -> None:
    """It is asked last, after those for which credits were reserved: these are given back as a whole."""
    world = World()
    world.grant(10**6)
    world.set_own(falls_back=True)
    key = world.keys["plain"]
    life = world.live(
        AskedCall(key, ("500", "an answer", "500")),
        AskedCall(key, ("an answer", "500", "500"), starts_at=1),
    )

    asked = [[one.candidate.payer for one in call.attempts] for call in life.calls]
    assert [["organization", "credits"], ["credits", "credits", "organization"]] == asked
    assert 120 == world.charged


def test_a_life_is_replayed() -> None:
    """The order of tasks, the ids and the times follow from the seed, so a failure can be seen again."""
    world = World()
    world.grant(1_000)
    calls = [
        AskedCall(world.keys[key], (said, said, said), stream, cut=cut)
        for key, said, stream, cut in (
            ("plain", "pieces", True, Cut(9, "the client leaves")),
            ("budgeted", "an answer", False, None),
            ("plain", "a break", True, Cut(30, "a crash")),
        )
    ]
    [first, again] = [live(world.image, world.now, world.owner, calls, seed=7) for _ in range(2)]

    assert first.image == again.image
    assert [one.outcome for one in first.calls] == [one.outcome for one in again.calls]


@pytest.mark.fuzz
def test_credits_are_exact_whatever_happens() -> None:
    """The sum is what was granted less what each exit is charged; each reservation has one settlement."""
    run_state_machine_as_test(
        Money, settings=settings(max_examples=20, stateful_step_count=10, deadline=None)
    )
