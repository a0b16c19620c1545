"""The limit on how many work for the same key at once, and the pace at which they begin."""

import pytest
import trio
import trio.testing
from trio.testing import MockClock

from svc.actors import concurrency_limits
from svc.actors.concurrency_limits import ACTIVE_SECONDS, ActiveKeys, KeyedLimiter, KeyedPace
from svc.domain.errors import Unavailable
from tests.workers import Workers


async def test_a_key_has_so_many_places_and_others_have_their_own() -> None:
    """A further task waits; another key does not wait for that."""
    async with trio.open_nursery() as nursery:
        workers = Workers(KeyedLimiter(2, 10), nursery)
        await workers.come("a1", "a2", "a3", "b1")

        assert ["a1", "a2", "b1"] == workers.at_work
        nursery.cancel_scope.cancel()


async def test_places_go_to_the_longest_waiter() -> None:
    """A place is handed over, so that no later task gets it first."""
    async with trio.open_nursery() as nursery:
        workers = Workers(KeyedLimiter(1, 10), nursery)
        await workers.come("a1", "a2", "a3")
        await workers.go("a1")
        await workers.come("a4")
        assert ["a2"] == workers.at_work

        await workers.go("a2")
        assert ["a3"] == workers.at_work
        nursery.cancel_scope.cancel()


async def test_a_waiter_that_leaves_is_skipped() -> None:
    """A waiting task that is cancelled takes no place, and leaves none taken."""
    async with trio.open_nursery() as nursery:
        limiter = KeyedLimiter(1, 10)
        workers = Workers(limiter, nursery)
        await workers.come("a1", "a2", "a3")
        await workers.go("a2", "a1")
        assert ["a3"] == workers.at_work

        await workers.go("a3")
        assert 0 == len(limiter)


async def test_few_wait() -> None:
    """A task that finds too many waiting is refused at once."""
    async with trio.open_nursery() as nursery:
        limiter = KeyedLimiter(1, 2)
        workers = Workers(limiter, nursery)
        await workers.come("a1", "a2", "a3")

        with pytest.raises(Unavailable):
            await limiter.acquire("a")
        await limiter.acquire("b")
        limiter.release("b")
        nursery.cancel_scope.cancel()
    assert 0 == len(limiter)


async def test_a_lone_key_has_no_limit() -> None:
    """Without other keys to protect, no task waits."""
    async with trio.open_nursery() as nursery:
        workers = Workers(KeyedLimiter(1, 10, ActiveKeys()), nursery)
        await workers.come("a1", "a2", "a3")

        assert ["a1", "a2", "a3"] == workers.at_work
        nursery.cancel_scope.cancel()


async def test_the_limit_holds_from_the_moment_that_another_comes() -> None:
    """Tasks beyond the limit finish; no other begins before there is room."""
    async with trio.open_nursery() as nursery:
        workers = Workers(KeyedLimiter(1, 10, ActiveKeys()), nursery)
        await workers.come("a1", "a2", "b1", "a3")
        assert ["a1", "a2", "b1"] == workers.at_work

        await workers.go("a1")
        assert ["a2", "b1"] == workers.at_work
        await workers.go("a2")
        assert ["b1", "a3"] == workers.at_work
        nursery.cancel_scope.cancel()


async def test_a_key_that_is_alone_again_is_let_go(mock_clock: MockClock) -> None:
    """A minute after the other key was seen; but no task overtakes those that wait already."""
    async with trio.open_nursery() as nursery:
        workers = Workers(KeyedLimiter(1, 10, ActiveKeys()), nursery)
        await workers.come("b1", "a1", "a2")
        mock_clock.jump(ACTIVE_SECONDS)
        await workers.come("a3")
        assert ["b1", "a1"] == workers.at_work

        await workers.go("a1", "a2")
        await workers.come("a4", "a5")
        assert ["b1", "a3", "a4", "a5"] == workers.at_work
        nursery.cancel_scope.cancel()


async def test_limiters_in_one_active_keys_hear_of_each_others_keys() -> None:
    """That another is there is known wherever it was seen."""
    async with trio.open_nursery() as nursery:
        active_keys = ActiveKeys()
        posts = KeyedLimiter(1, 10, active_keys)
        workers = Workers(KeyedLimiter(1, 10, active_keys), nursery)
        async with posts.of("b"):
            await workers.come("a1", "a2")

        assert ["a1"] == workers.at_work
        nursery.cancel_scope.cancel()


async def test_a_pace_spaces_out_one_key(autojump_clock):
    """The first goes at once, further ones in their order; another key does not wait for them."""
    pace = KeyedPace(1.0)
    begun: list[tuple[str, float]] = []

    async def begin(key: str) -> None:
        await pace.wait(key)
        begun.append((key, trio.current_time()))

    start = trio.current_time()
    async with trio.open_nursery() as nursery:
        for key in ("a", "a", "b", "a"):
            nursery.start_soon(begin, key)
            await trio.testing.wait_all_tasks_blocked()
    await trio.sleep(10)
    await begin("a")

    assert [("a", 0), ("b", 0), ("a", 1), ("a", 2), ("a", 12)] == [(key, at - start) for key, at in begun]


async def test_a_pace_forgets_keys_whose_turn_is_over(autojump_clock, monkeypatch):
    """So that it does not grow with the number of organizations."""
    monkeypatch.setattr(concurrency_limits, "PACED_KEYS_MAX", 2)
    pace = KeyedPace(1.0)
    for key in "abcdef":
        await pace.wait(key)
        await trio.sleep(2)

    assert 2 >= len(pace._next)
