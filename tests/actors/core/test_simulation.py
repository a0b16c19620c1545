"""Random lives of a small system, each replayed from its seed, against what must always hold."""

from collections import Counter, defaultdict
from math import ceil
from random import Random
from typing import Any

import msgspec
import pytest
import trio
import trio.testing

from svc.actors._core import Actor, ActorCrashed, ActorError, ActorSystem, MailboxFull, Policy, turn
from svc.domain.errors import DomainError, NotFound
from tests.actors.core.lab import Elsewhere

KEYS = "abcdef"
SENDERS = 6
MESSAGES = 40
"""Messages of one sender."""

REFUSALS = (DomainError, ActorError)
DEEDS = {
    "return": 8,
    "sleep": 4,
    "refuse": 2,
    "crash": 1,
    "hang": 1,
    "ask": 5,
    "ask two": 2,
    "tell": 3,
    "arm": 2,
    "disarm": 1,
    "task": 2,
    "fail when cut": 1,
    "wait guarded": 2,
}
"""What turns do, and how often."""


class World(ActorSystem):
    """Records which turns run, which ran, and how each ended."""

    def __init__(self, seed: int) -> None:
        super().__init__([Subject])
        self.random = Random(seed)
        self.tickets = 0
        self.running: set[str] = set()
        self.loads: Counter[str] = Counter()
        self.taken: defaultdict[str, list[int]] = defaultdict(list)
        self.endings: dict[int, str] = {}
        """How a turn ended by itself, by its ticket."""
        self.asking: set[int] = set()
        self.answers: dict[int, object] = {}
        """What askers who did not leave have heard, by their ticket."""
        self.told: set[int] = set()
        self.guarded: Counter[str] = Counter()
        """Waits that are guarded now, by the key of who waits."""
        self.stood_still: Counter[str] = Counter()
        """For how long the time of the running turn stands still, in seconds."""
        self.crashed_loads = 0
        self.ended = False
        self.broken: list[str] = []
        """Rules that did not hold: an error raised in a turn would be one more crash."""

    def must(self, holds: bool, rule: str) -> None:
        if not holds:
            self.broken.append(f"{rule}, at {trio.current_time()}")

    def deed(self) -> str:
        return self.random.choices(list(DEEDS), list(DEEDS.values()))[0]

    def some_key(self) -> str:
        return self.random.choice(KEYS)

    def ticket(self) -> int:
        self.tickets += 1
        return self.tickets

    def depth(self, key: str) -> int:
        activation = self._supervisors[Subject].live.get(key)
        return len(activation.mailbox) if activation else 0

    async def ask(self, key: str, sender: str | None) -> None:
        """Ask *key* for a random deed, and write down the answer."""
        ticket, deed, depth = self.ticket(), self.deed(), self.depth(key)
        self.asking.add(ticket)
        try:
            answer: object = await Subject(self, key).act(ticket, deed)
        except MailboxFull as error:
            own_refusal = f"({key!r})" in str(error)
            full = depth >= Subject.policy.mailbox_max and sender != key
            self.must(full or not own_refusal, "refuses only when full")
            answer = error
        except REFUSALS as error:
            answer = error
        finally:
            self.asking.discard(ticket)
        self.answers[ticket] = answer

    def tell(self, key: str, sender: str | None) -> None:
        ticket, depth = self.ticket(), self.depth(key)
        try:
            Subject(self, key).act.tell(ticket, self.deed())
        except MailboxFull:
            self.must(depth >= Subject.policy.mailbox_max and sender != key, "refuses only when full")
        except ActorError:
            pass
        else:
            self.told.add(ticket)
            self.must(depth < Subject.policy.mailbox_max or sender == key, "refuses when full")


class Life(msgspec.Struct):
    load: int
    tickets: list[int] = []


class Subject(Actor[World, Life]):
    policy = Policy(
        mailbox_max=3,
        idle_seconds=4,
        turn_seconds=3,
        active_max=5,
        crashes_max=2,
        crash_window_seconds=10,
        quarantine_seconds=12,
    )

    async def load(self) -> Life:
        self.system.stood_still[self.key] = 0
        with Alone(self):
            self.system.must(not self.system.guarded[self.key], "loads when all is known")
            await self._maybe_sleep(1)
            match self.system.random.randrange(20):
                case 0:
                    raise NotFound
                case 1:
                    self.system.crashed_loads += 1
                    raise KeyError
                case 2:
                    self.tick.after(1)
                case 3:
                    self.start_soon(self._task)
            self.system.loads[self.key] += 1
            return Life(self.system.loads[self.key])

    async def flush(self) -> None:
        with Alone(self):
            await self._maybe_sleep(1)
            match self.system.random.randrange(20):
                case 0:
                    raise KeyError
                case 1:
                    self.system.tell(self.key, self.key)
                case 2:
                    self.tick.after(1)

    @turn
    async def act(self, ticket: int, deed: str) -> int:
        must, taken = self.system.must, self.system.taken[self.key]
        must(not taken or taken[-1] < ticket, "turns in order")
        taken.append(ticket)
        self.system.stood_still[self.key] = 0
        with Alone(self):
            mine = self.state
            must(self.system.loads[self.key] == mine.load, "a state of this life")
            mine.tickets.append(ticket)
            try:
                await self._do(deed)
            except Exception as error:
                faults = ExceptionGroup("", [error]).split(REFUSALS)[1]
                self.system.endings[ticket] = "crashed" if faults else "refused"
                raise
            must(self.state is mine and ticket == mine.tickets[-1], "a state to itself")
        self.system.endings[ticket] = "returned"
        return ticket

    @turn
    async def tick(self) -> None:
        with Alone(self):
            await self._maybe_sleep(1)

    async def _do(self, deed: str) -> None:
        world = self.system
        match deed:
            case "sleep":
                await trio.sleep(world.random.uniform(0, 2))
            case "refuse":
                raise NotFound
            case "crash":
                await self._maybe_sleep(1)
                raise KeyError
            case "hang":
                await trio.sleep_forever()
            case "ask":
                await world.ask(world.some_key(), self.key)
            case "ask two":
                async with trio.open_nursery() as nursery:
                    for _ in range(2):
                        nursery.start_soon(Subject(world, world.some_key()).tick)
            case "tell":
                world.tell(world.random.choice([self.key, world.some_key()]), self.key)
            case "arm":
                self.tick.after(world.random.uniform(0, 6))
            case "disarm":
                self.tick.disarm()
            case "task":
                self.start_soon(self._task)
            case _:
                await self._wait_specially(deed)

    async def _wait_specially(self, deed: str) -> None:
        if deed == "fail when cut":
            await self._fail_when_cut()
        elif deed == "wait guarded":
            await self._wait_guarded(self.system.random.uniform(0, 8))

    async def _wait_guarded(self, seconds: float) -> None:
        world, ends_at = self.system, trio.current_time() + seconds
        world.stood_still[self.key] += ceil(seconds)
        world.guarded[self.key] += 1
        try:
            await Elsewhere(seconds).wait_guarded()
        finally:
            world.guarded[self.key] -= 1
            world.must(world.ended or trio.current_time() >= ends_at, "a guarded wait is not cut")

    async def _task(self) -> None:
        if self.system.random.random() < 0.3:
            await self._wait_guarded(self.system.random.uniform(0, 8))
        if self.system.random.random() < 0.2:
            await self._fail_when_cut()
        await self._maybe_sleep(5)
        if self.system.random.random() < 0.3:
            raise KeyError
        if self.system.random.random() < 0.5:
            await self.system.ask(self.key, self.key)
        else:
            self.system.tell(self.system.some_key(), self.key)

    async def _fail_when_cut(self) -> None:
        """Wait in a nursery of which one task fails as it is cut off, by whomever."""
        async with trio.open_nursery() as nursery:
            for _ in range(2):
                nursery.start_soon(_sleep_and_fail)
            await trio.sleep(self.system.random.uniform(0, 6))
            if self.system.random.random() < 0.5:
                nursery.cancel_scope.cancel()

    async def _maybe_sleep(self, seconds: float) -> None:
        if self.system.random.random() < 0.5:
            await trio.sleep(self.system.random.uniform(0, seconds))


async def _sleep_and_fail() -> None:
    try:
        await trio.sleep(20)
    finally:
        raise KeyError


class Alone:
    """Holds that nothing else of *actor* runs meanwhile."""

    def __init__(self, actor: Subject) -> None:
        self.key, self.world = actor.key, actor.system

    def __enter__(self) -> None:
        self.world.must(self.key not in self.world.running, "one turn at a time")
        self.world.running.add(self.key)

    def __exit__(self, *_: object) -> None:
        self.world.running.remove(self.key)


async def _send(world: World) -> None:
    """Ask and tell, now patiently and now not."""
    for _ in range(MESSAGES):
        await trio.sleep(world.random.expovariate(2))
        if world.random.random() < 0.3:
            world.tell(world.some_key(), None)
            continue
        with trio.move_on_after(world.random.choice([0, 0.5, 2, 100])):
            await world.ask(world.some_key(), None)


async def _watch(world: World) -> None:
    """Look in from outside, now and then."""
    while True:
        await trio.sleep(0.5)
        for seen in world.actors():
            time = Subject.policy.turn_seconds + world.stood_still[seen.key]
            world.must((seen.turn_age_seconds or 0) <= time, "turns end in time")
            world.must((seen.turn is None) == (seen.phase != "running"), "turns run in their phase")
        [kind] = world.statistics().kinds
        world.must(kind.active <= Subject.policy.active_max, "no more actors than may live")
        world.must(kind.turns == sum(bucket.turns for bucket in kind.latency), "every turn is counted")


async def _live(seed: int, *, drains: bool) -> World:
    """One life of a world, ended in the middle of the traffic, with a drain or without."""
    world = World(seed)
    async with trio.open_nursery() as outside, world.live(), trio.open_nursery() as watching:
        watching.start_soon(_watch, world)
        for _ in range(SENDERS):
            outside.start_soon(_send, world)
        await trio.sleep(world.random.uniform(10, 30))
        if drains:
            late = await world.drain(100)
            await trio.testing.wait_all_tasks_blocked()
            [supervisor] = world._supervisors.values()
            world.must(not late and not supervisor._nursery.child_tasks, "a drain ends all")
        world.ended = True
        watching.cancel_scope.cancel()
    await trio.sleep(100)
    world.statistics()  # forgets what counts no more
    return world


def _check(world: World, lost: int) -> None:
    [supervisor] = world._supervisors.values()
    assert [] == world.broken
    assert ({}, {}, {}) == (supervisor.live, supervisor._crashed_at, supervisor._quarantines)
    assert (set(), set()) == (world.running, world.asking)
    taken = {ticket for tickets in world.taken.values() for ticket in tickets}
    assert len(world.told - taken) <= lost + world.crashed_loads
    for ticket, answer in world.answers.items():
        expected: dict[str | None, Any] = {
            "returned": int,
            "refused": REFUSALS,
            "crashed": ActorCrashed,
            None: ActorCrashed if ticket in taken else REFUSALS,
        }
        ending = world.endings.get(ticket)
        assert isinstance(answer, expected[ending]), (ticket, ending, answer)
        assert not isinstance(answer, int) or answer == ticket


@pytest.mark.parametrize("drains", [True, False], ids=["drains", "is cut off"])
@pytest.mark.parametrize("seed", range(25))
def test_whatever_happens_the_rules_hold(seed, drains, monkeypatch, logged):
    """Turns alone and in order, every asker answered once with its own, bounds kept, nothing left behind."""
    # The order in which Trio runs what is ready is random, and is replayed with all else.
    monkeypatch.setattr(trio._core._run, "_r", Random(seed))

    clock = trio.testing.MockClock(autojump_threshold=0)
    world = trio.run(lambda: _live(seed, drains=drains), clock=clock)

    _check(world, sum(entry["messages"] for entry in logged if entry["event"] == "messages lost"))
