"""Places for requests in progress, and the connections that are kept between them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import cast

import pytest
import trio
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from trio.testing import MockClock, wait_all_tasks_blocked

from svc.actors.outbound.connection import Connection
from svc.actors.outbound.errors import NoPlace, NotSent
from svc.actors.outbound.pool import KeptConnections, Places, PoolLimits
from svc.domain.net.limits import OUTGOING_KEPT_SECONDS, OUTGOING_WAIT_SECONDS

HERE, THERE = "http://here.example:80", "http://there.example:80"


class FakeConnection:
    """A connection without a socket."""

    def __init__(self, origin: str = HERE) -> None:
        self.origin = origin
        self.readable = False
        self.closed = False

    def is_readable(self) -> bool:
        assert not self.closed
        return self.readable

    def close(self) -> None:
        assert not self.closed
        self.closed = True


def put(kept: KeptConnections, origin: str = HERE) -> FakeConnection:
    connection = FakeConnection(origin)
    kept.put(cast("Connection", connection))
    return connection


def take(kept: KeptConnections, origin: str = HERE) -> FakeConnection | None:
    return cast("FakeConnection | None", kept.take(origin))


async def test_the_connection_used_last_is_taken_first(autojump_clock):
    """Of the same origin alone, and each once."""
    kept = KeptConnections()
    first, second, other = put(kept), put(kept), put(kept, THERE)

    assert [second, first, None] == [take(kept) for _ in range(3)]
    assert [other, None] == [take(kept, THERE) for _ in range(2)]
    assert [False] * 3 == [one.closed for one in (first, second, other)]


async def test_a_connection_on_which_something_came_is_not_taken(autojump_clock):
    """It is closed: that is the end of it, or data that no request asked for."""
    kept = KeptConnections()
    good, bad = put(kept), put(kept)
    bad.readable = True

    assert good is take(kept)
    assert bad.closed


async def test_connections_are_closed_when_their_time_is_over(autojump_clock):
    """Each on time, whether or not another request comes."""
    kept = KeptConnections()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(kept.expire)
        first = put(kept)
        await trio.sleep(OUTGOING_KEPT_SECONDS - 1)
        second = put(kept)
        assert (False, False) == (first.closed, second.closed)
        await trio.sleep(2)
        assert (True, False) == (first.closed, second.closed)
        await trio.sleep(OUTGOING_KEPT_SECONDS)
        assert second.closed
        third = put(kept)
        await trio.sleep(OUTGOING_KEPT_SECONDS + 1)
        assert third.closed
        nursery.cancel_scope.cancel()


async def test_an_expired_connection_is_never_taken(autojump_clock):
    """Nor where nothing closes them on time."""
    kept = KeptConnections()
    connection = put(kept)
    await trio.sleep(OUTGOING_KEPT_SECONDS)

    assert take(kept) is None
    assert connection.closed


async def test_so_many_are_kept(autojump_clock):
    """In all and of each origin; the longest idle make room."""
    kept = KeptConnections(PoolLimits(kept_max=3, kept_per_origin_max=2))
    connections = [put(kept, origin) for origin in (THERE, HERE, HERE, HERE, THERE)]

    assert [True, True, False, False, False] == [one.closed for one in connections]
    assert 3 == len(kept)
    kept.close()
    assert all(one.closed for one in connections)
    assert 0 == len(kept)


class KeptMachine(RuleBasedStateMachine):
    """Connections come, are taken, break and expire in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.kept = KeptConnections(PoolLimits(kept_max=5, kept_per_origin_max=3))
        self.model: list[tuple[FakeConnection, float]] = []
        """The connections that are kept, with their expiries, the longest idle first."""
        self.gone: list[FakeConnection] = []
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(trio, "current_time", lambda: self.now)

    def teardown(self) -> None:
        self.patch.undo()

    @rule(origin=st.sampled_from("abc"))
    def put(self, origin: str) -> None:
        connection = put(self.kept, origin)
        self.model.append((connection, self.now + OUTGOING_KEPT_SECONDS))
        of_origin = [one for one in self.model if one[0].origin == origin]
        if len(of_origin) > 3:
            self._remove(of_origin[0])
        elif len(self.model) > 5:
            self._remove(self.model[0])

    @rule(origin=st.sampled_from("abc"))
    def take(self, origin: str) -> None:
        for one in [one for one in self.model if one[1] <= self.now]:
            self._remove(one)
        taken = take(self.kept, origin)
        for one in reversed([one for one in self.model if one[0].origin == origin]):
            if one[0].readable:
                self._remove(one)
                continue
            self.model.remove(one)
            assert one[0] is taken
            assert not one[0].closed
            return
        assert taken is None

    @rule(at=st.integers(0, 4))
    def break_one(self, at: int) -> None:
        if at < len(self.model):
            self.model[at][0].readable = True

    @rule(seconds=st.floats(0, OUTGOING_KEPT_SECONDS))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @invariant()
    def as_in_the_model(self) -> None:
        assert len(self.model) == len(self.kept)
        assert not any(one.closed for one, _ in self.model)
        assert all(one.closed for one in self.gone)

    def _remove(self, one: tuple[FakeConnection, float]) -> None:
        self.model.remove(one)
        self.gone.append(one[0])


KeptMachine.TestCase.settings = settings(max_examples=50, stateful_step_count=40, deadline=None)
TestKept = KeptMachine.TestCase


@asynccontextmanager
async def place(places: Places, request: str) -> AsyncIterator[None]:
    """A place for a *request*: an organization and an origin."""
    owner, origin = request.split()
    await places.acquire(owner, origin)
    try:
        yield
    finally:
        places.release(owner, origin)


@asynccontextmanager
async def holders(places: Places, *requests: str) -> AsyncIterator[list[str]]:
    """Tasks that want a place each, and hold it. Gives what became of them, in order."""
    outcomes: list[str] = []

    async def hold(request: str) -> None:
        try:
            async with place(places, request):
                outcomes.append(request)
                await trio.sleep_forever()
        except NoPlace:
            outcomes.append(f"no {request}")

    async with trio.open_nursery() as nursery:
        for request in requests:
            nursery.start_soon(hold, request)
            await wait_all_tasks_blocked()
        yield outcomes
        nursery.cancel_scope.cancel()


FEW = PoolLimits(connections_max=6, connections_per_origin_max=2, waiting_max=4)


async def test_an_origin_does_not_take_all_places(mock_clock: MockClock):
    """Those that wait for it take none either."""
    places = Places(FEW)
    async with holders(places, "org_1 a", "org_2 a", "org_3 a", "org_3 b") as outcomes:
        assert ["org_1 a", "org_2 a", "org_3 b"] == outcomes
        assert (3, 1) == (places.taken, places.waiting)


async def test_an_organization_does_not_take_all_places_of_an_origin(mock_clock: MockClock):
    """Of 250 it gets half at a host that is slow, so that another is answered there as before."""
    places = Places()
    async with holders(places, *["org_1 slow"] * 200, "org_2 slow") as outcomes:
        assert ["org_1 slow"] * 125 + ["org_2 slow"] == outcomes
        assert (126, 75) == (places.taken, places.waiting)


async def test_an_organization_does_not_take_all_places(mock_clock: MockClock):
    """However many origins it has. What its requests wait with, they give back."""
    places = Places(FEW)
    async with holders(places, "org_1 a", "org_1 b", "org_1 c", "org_1 d", "org_2 e") as outcomes:
        assert ["org_1 a", "org_1 b", "org_1 c", "org_2 e"] == outcomes
        assert (4, 1) == (places.taken, places.waiting)
        mock_clock.jump(OUTGOING_WAIT_SECONDS)
        await wait_all_tasks_blocked()
        assert "no org_1 d" == outcomes[4]
    async with holders(places, "org_1 d", "org_2 d") as outcomes:
        assert ["org_1 d", "org_2 d"] == outcomes
    assert 0 == places.taken


async def test_waiting_too_long_gives_no_place(mock_clock: MockClock):
    """For the origin's places, or for one of all; and that is told from an attempt."""
    places = Places(FEW)
    async with holders(places, "org_1 a", "org_1 a", "org_1 b", "org_1 c", "org_1 d") as outcomes:
        assert ["org_1 a", "org_1 b", "org_1 c"] == outcomes
        mock_clock.jump(OUTGOING_WAIT_SECONDS)
        await wait_all_tasks_blocked()

        assert ["no org_1 a", "no org_1 d"] == sorted(outcomes[3:])
        assert (3, 0) == (places.taken, places.waiting)
    assert (0, 0) == (places.taken, places.waiting)
    assert issubclass(NoPlace, NotSent)


async def test_an_organization_is_crowded_by_its_own_requests_alone(mock_clock: MockClock):
    """By many in progress, or by one that waits."""
    places = Places(PoolLimits(connections_max=12, connections_per_origin_max=4))
    async with holders(places, "org_1 a", "org_1 a", "org_2 a"):
        assert [False, False] == [places.is_crowded(one) for one in ("org_1", "org_2")]
        async with holders(places, "org_1 a"):
            assert [True, False] == [places.is_crowded(one) for one in ("org_1", "org_2")]
        async with holders(places, "org_2 b", "org_2 c"):
            assert [False, True] == [places.is_crowded(one) for one in ("org_1", "org_2")]


async def test_so_many_may_wait(mock_clock: MockClock):
    """The next is refused at once; of those that may wait, too, an organization has half."""
    places = Places(FEW)
    async with holders(places, *["org_1 a"] * 4, *["org_2 a"] * 3) as outcomes:
        assert ["org_1 a", "no org_1 a", "org_2 a", "no org_2 a"] == outcomes


async def test_organizations_that_wait_at_an_origin_take_turns(mock_clock: MockClock):
    """One whose hundred requests came before waits no less than one with a single one."""
    places = Places(PoolLimits(connections_per_origin_max=2))
    order: list[str] = []

    async def take(request: str) -> None:
        async with place(places, request):
            order.append(request)

    async with trio.open_nursery() as nursery, place(places, "org_1 a"), place(places, "org_2 a"):
        for request in [*["org_1 a"] * 100, "org_3 a"]:
            nursery.start_soon(take, request)
            await wait_all_tasks_blocked()
        assert [] == order

    assert 1 >= order.index("org_3 a")
    assert (101, 0, 0, {}) == (len(order), places.taken, places.waiting, places._at_origins)


async def test_a_waiter_that_is_cancelled_leaves_nothing_taken(mock_clock: MockClock):
    """Whatever it waited for: the next one gets it."""
    places = Places(FEW)
    async with holders(places, "org_1 a"):
        async with holders(places, "org_1 a", "org_1 b", "org_1 c", "org_1 d"):
            assert (3, 2) == (places.taken, places.waiting)
        assert (1, 0) == (places.taken, places.waiting)
        async with holders(places, "org_2 a", "org_1 d") as outcomes:
            assert ["org_2 a", "org_1 d"] == outcomes
    assert (0, 0, {}) == (places.taken, places.waiting, places._at_origins)
