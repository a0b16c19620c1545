"""The places of requests that stay open: each kind's, an organization's, and those of all."""

from contextlib import ExitStack

import msgspec
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from svc.actors.stream_places import PlacesOfKind, StreamPlaces
from svc.domain.errors import Unavailable

KINDS = ("screens", "gateway", "polls")


def _fill(places: PlacesOfKind, stack: ExitStack, organization_id: str) -> int:
    """How many places the organization gets until there are none."""
    count = 0
    while places.has_room(organization_id):
        stack.enter_context(places.hold(organization_id))
        count += 1
    with pytest.raises(Unavailable), places.hold(organization_id):
        pass
    return count


@pytest.mark.parametrize(("kind", "expected"), [("screens", 333), ("gateway", 500), ("polls", 750)])
def test_a_kind_has_its_share(kind: str, expected: int) -> None:
    """Screens a third of the connections, the gateway half, all together three quarters."""
    places = StreamPlaces(1_000)
    with ExitStack() as stack:
        taken = sum(_fill(getattr(places, kind), stack, f"org_{number}") for number in range(20))
        assert (expected, 750) == (taken, places.polls.statistics().limit)
        assert (taken, 750) == msgspec.structs.astuple(places.statistics())

    assert (0, 750) == msgspec.structs.astuple(places.statistics())


@pytest.mark.parametrize(("kind", "expected"), [("screens", 167), ("gateway", 250), ("polls", 375)])
def test_an_organization_has_half(kind: str, expected: int) -> None:
    """However many it asks for."""
    with ExitStack() as stack:
        assert expected == _fill(getattr(StreamPlaces(1_000), kind), stack, "org_a")


def test_several_greedy_organizations_leave_places_to_another() -> None:
    """Each has half of what the ones before it have left."""
    places = StreamPlaces(1_000)
    with ExitStack() as stack:
        assert [250, 125, 63, 31] == [_fill(places.gateway, stack, one) for one in "abcd"]
        assert places.gateway.has_room("e")


def test_kinds_share_what_there_is() -> None:
    """Where the others have taken the rest, a kind has less than its share."""
    places = StreamPlaces(1_000)
    with ExitStack() as stack:
        gateway = sum(_fill(places.gateway, stack, f"org_{number}") for number in range(20))
        screens = sum(_fill(places.screens, stack, f"person_{number}") for number in range(20))

        assert (500, 250) == (gateway, screens)
        assert not places.polls.has_room("org_e")


def test_a_block_that_fails_holds_no_place() -> None:
    """Whatever ends it."""
    places = StreamPlaces(4)
    with pytest.raises(ValueError, match="ended"), places.gateway.hold("org_a"):
        raise ValueError("ended")

    assert 0 == places.statistics().open


class PlacesMachine(RuleBasedStateMachine):
    """Requests of all kinds and organizations come and end in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.places = StreamPlaces(16)
        self.open: list[tuple[str, str, ExitStack]] = []

    @rule(kind=st.sampled_from(KINDS), organization_id=st.sampled_from("abc"))
    def come(self, kind: str, organization_id: str) -> None:
        limits = {"screens": 5, "gateway": 8, "polls": 12}
        of_kind = [one for one in self.open if kind in ("polls", one[0])]
        fits = all(
            sum(one[1] == organization_id for one in held) < limit - len(held)
            for held, limit in ((of_kind, limits[kind]), (self.open, 12))
        )
        stack = ExitStack()
        try:
            stack.enter_context(getattr(self.places, kind).hold(organization_id))
        except Unavailable:
            assert not fits
        else:
            assert fits
            self.open.append((kind, organization_id, stack))

    @rule(at=st.integers(0, 11))
    def end(self, at: int) -> None:
        if at < len(self.open):
            self.open.pop(at)[2].close()

    @invariant()
    def as_in_the_model(self) -> None:
        assert len(self.open) == self.places.statistics().open


PlacesMachine.TestCase.settings = settings(max_examples=50, stateful_step_count=40, deadline=None)
TestPlaces = PlacesMachine.TestCase
