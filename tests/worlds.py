"""Worlds for stateful tests of actors: a town in a thread of its own, whose chance follows from a seed.

A test draws the seed of its world, so that a failing example names it, and is replayed by it.
"""

import queue
import threading
from collections.abc import Awaitable, Callable
from functools import partial
from random import Random
from types import SimpleNamespace
from typing import Any, Final, TypeVar, cast

import hypothesis.strategies as st
import trio
import trio.testing
from hypothesis.stateful import RuleBasedStateMachine

from svc.actors.outbound.client import OutboundHttp
from svc.actors.system import System
from svc.domain.channels.connections import Connection
from svc.domain.locale.times import DAY_MS
from svc.storage.integrity import check
from svc.storage.store import Store
from tests.channels import a_connection
from tests.replay import seeded_scheduling
from tests.town import Town, town

T = TypeVar("T")

SEEDS: Final = st.integers(0, 2**32 - 1)
WRITES_MAX: Final = 100
"""Of an actor for one thing that happens; one that goes round and round has more."""
LATER_SECONDS: Final = 1e-8
"""More than a float's last digit after a year, and so little that thousands of them are no millisecond."""
HISTORY_MS: Final = 3_650 * DAY_MS
"""For ever: a model has all that ever happened."""
PATIENCE_SECONDS: Final = 60
"""For what happens at once: a world that has ended by a fault of its own does not answer."""


class Faulty:
    """The store, which may commit a unit whose caller crashes, and which wears out."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.dies = False
        self.left = WRITES_MAX

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def of(self, owner: str) -> Any:
        units = self._store.of(owner)
        return SimpleNamespace(
            read=units.read, write=partial(self._write, units.write), write_behind=units.write_behind
        )

    async def _write(self, write: Any, *args: Any) -> Any:
        self.left -= 1
        assert self.left, "it goes round and round"
        result = await write(*args)
        if self.dies:
            self.dies = False
            raise RuntimeError("the machine died after the commit")
        return result


class World:
    """A town in a thread of its own, whose system runs commands, is killed, and is started again."""

    here: Town
    system: System
    connection: Connection

    def __init__(self, seed: int, outbound_http: OutboundHttp | None = None, **asked: Any) -> None:
        """The connection is as *asked*; what its system sends goes through *outbound_http*."""
        self.clock = trio.testing.MockClock()
        self._seed = seed
        self._outbound_http = outbound_http
        self._asked = asked
        self._ready: queue.Queue[trio.lowlevel.TrioToken] = queue.Queue()
        self._slept_ms = self._sleeps = 0
        self._lives = True
        self._thread = threading.Thread(target=self._start)
        self._thread.start()
        self._token = self._wait_ready()

    def _start(self) -> None:
        with seeded_scheduling(self._seed):
            trio.run(self._run, clock=self.clock)

    async def _run(self) -> None:
        async with town(random=Random(self._seed).randbytes) as self.here:
            self.here.outbound_http = self._outbound_http
            self.here.event_life_ms = HISTORY_MS
            self.connection = await self.here.store.write(
                a_connection, self.here.organization.id, **self._asked
            )
            while self._lives:
                async with self.here.live_system() as self.system:
                    self.store = Faulty(self.here.store)
                    self.system.store = cast("Store", self.store)
                    self._burn = trio.Event()
                    await trio.testing.wait_all_tasks_blocked()
                    self._ready.put(trio.lowlevel.current_trio_token())
                    await self._burn.wait()

    def restart(self) -> None:
        """Let the system burn down as it stands, and build it again."""
        self._token.run_sync_soon(self._burn.set)
        self._wait_ready()

    def close(self) -> None:
        """End it, and wait for the end: the next one's order of tasks must not depend on this one's."""
        self._lives = False
        self._token.run_sync_soon(self._burn.set)
        self._thread.join(PATIENCE_SECONDS)
        assert not self._thread.is_alive()

    def _wait_ready(self) -> trio.lowlevel.TrioToken:
        return self._ready.get(timeout=PATIENCE_SECONDS)

    def sleep(self, ms: int) -> None:
        """Let *ms* pass. What is due by then happens, however time got there.

        A sum of seconds may be less by its last digit than the time that a timer was armed for. So each sleep
        ends a little later than its millisecond, and later than the one before.
        """
        self._slept_ms += ms
        self._sleeps += 1
        self.do(self._wait_until, self._slept_ms / 1_000 + self._sleeps * LATER_SECONDS)

    async def _wait_until(self, at: float) -> None:
        self.clock.jump(at - trio.current_time())

    def do(self, fn: Callable[..., Awaitable[T]], *args: Any, **kwargs: Any) -> T:
        """Run *fn* there, and let everything happen that follows from it."""
        results: list[T] = []
        self.store.left = WRITES_MAX

        async def done() -> None:
            results.append(await fn(*args, **kwargs))
            await trio.testing.wait_all_tasks_blocked()

        trio.from_thread.run(done, trio_token=self._token)
        return results[0]

    def write(self, fn: Callable[..., T], *args: Any, **kwargs: Any) -> T:
        result: T = self.do(self.here.store.write, fn, *args, **kwargs)
        return result


class WorldMachine(RuleBasedStateMachine):
    """A stateful test whose first rule makes its `world` from a seed of `SEEDS`."""

    world: World

    def teardown(self) -> None:
        """End the world, whose data keep every promise: what is broken stays so, and one look is enough."""
        if "world" in vars(self):  # the example may have ended before that rule
            found = self.world.do(self.world.here.store.read, lambda conn: list(check(conn)))
            self.world.close()
            assert [] == [one for one in found if one.broken]
