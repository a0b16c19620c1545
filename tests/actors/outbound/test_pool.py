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
from svc.domain.limits import OUTGOING_KEPT_SECONDS, OUTGOING_WAIT_SECONDS

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
async def place(places: Places, shares: str) -> AsyncIterator[None]:
    await places.acquire(*shares.split())
    try:
        yield
    finally:
        places.release(*shares.split())


@asynccontextmanager
async def holders(places: Places, *origins: str) -> AsyncIterator[list[str]]:
    """Tasks that want a place each, and hold it. Gives what became of them, in order."""
    outcomes: list[str] = []

    async def hold(origin: str) -> None:
        try:
            async with place(places, origin):
                outcomes.append(origin)
                await trio.sleep_forever()
        except NoPlace:
            outcomes.append(f"no {origin}")

    async with trio.open_nursery() as nursery:
        for origin in origins:
            nursery.start_soon(hold, origin)
            await wait_all_tasks_blocked()
        yield outcomes
        nursery.cancel_scope.cancel()


FEW = PoolLimits(connections_max=3, connections_per_origin_max=2, waiting_max=2)


async def test_an_origin_does_not_take_all_places(mock_clock: MockClock):
    """Those that wait for it take none either."""
    places = Places(FEW)
    async with holders(places, "a", "a", "a", "b") as outcomes:
        assert ["a", "a", "b"] == outcomes
        assert (3, 1) == (places.taken, places.waiting)


async def test_an_organization_does_not_take_all_places(mock_clock: MockClock):
    """However many origins it has. What its requests wait with, they give back."""
    places = Places(FEW)
    async with holders(places, "org_1 a", "org_1 b", "org_1 c", "org_2 d") as outcomes:
        assert ["org_1 a", "org_1 b", "org_2 d"] == outcomes
        assert (3, 1) == (places.taken, places.waiting)
        mock_clock.jump(OUTGOING_WAIT_SECONDS)
        await wait_all_tasks_blocked()
        assert "no org_1 c" == outcomes[3]
    async with holders(places, "org_1 c", "org_1 c") as outcomes:
        assert ["org_1 c"] * 2 == outcomes
    assert 0 == places.taken


async def test_waiting_too_long_gives_no_place(mock_clock: MockClock):
    """For the origin's places, or for one of all; and that is told from an attempt."""
    places = Places(FEW)
    async with holders(places, "a", "a", "b", "a", "c") as outcomes:
        assert ["a", "a", "b"] == outcomes
        mock_clock.jump(OUTGOING_WAIT_SECONDS)
        await wait_all_tasks_blocked()

        assert ["no a", "no c"] == sorted(outcomes[3:])
        assert (3, 0) == (places.taken, places.waiting)
    assert (0, 0) == (places.taken, places.waiting)
    assert issubclass(NoPlace, NotSent)


async def test_so_many_may_wait(mock_clock: MockClock):
    """The next is refused at once."""
    places = Places(FEW)
    async with holders(places, "a", "a", "b", "a", "c", "d") as outcomes:
        assert ["a", "a", "b", "no d"] == outcomes


async def test_places_are_given_in_turn(mock_clock: MockClock):
    """A waiter that is cancelled leaves nothing taken."""
    places = Places(FEW)
    order: list[str] = []

    async def take(name: str) -> None:
        async with place(places, "a"):
            order.append(name)

    async with place(places, "b"), holders(places, "a"):
        with trio.CancelScope() as cancelled:
            async with trio.open_nursery() as nursery:
                async with place(places, "c"):
                    nursery.start_soon(take, "1")
                    await wait_all_tasks_blocked()
                    nursery.start_soon(take, "2")
                    await wait_all_tasks_blocked()
                    assert [] == order
                await wait_all_tasks_blocked()
                assert ["1", "2"] == order
                async with place(places, "c"):
                    nursery.start_soon(take, "3")
                    await wait_all_tasks_blocked()
                    cancelled.cancel()
        assert ["1", "2"] == order
        assert (2, 0) == (places.taken, places.waiting)
        await take("4")

    assert ["1", "2", "4"] == order
    assert (0, 0) == (places.taken, places.waiting)
