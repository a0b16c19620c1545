"""The Outbox beside a plain model of what is promised of replies: whatever happens, in any order, they agree.

The real actor runs over the real store in a thread of its own, on a clock that this test moves. After every
step the rows must be what the model says: none lost, none held by two, order kept, every limit to the
millisecond. A pull is compared with the model's, reply by reply.
"""

import queue
import threading
from collections.abc import Awaitable, Callable
from functools import partial
from types import SimpleNamespace
from typing import Any, TypeVar, cast

import hypothesis.strategies as st
import msgspec
import trio
import trio.testing
from hypothesis import HealthCheck, settings
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from svc.actors._core import ActorCrashed
from svc.actors.channels.outbox import Outbox
from svc.actors.outbound.client import OutboundHttp
from svc.actors.system import System
from svc.domain.channels.connections import Connection
from svc.domain.channels.messages import HealthReport, StatusReport
from svc.domain.errors import Conflict
from svc.storage.channels import connections, messages, replies
from svc.storage.channels import tables as channel_tables
from svc.storage.channels.reply_batches import PulledBatch
from svc.storage.store import Store
from tests.channels import PERSON, a_connection, a_reply
from tests.town import START, Town, town

T = TypeVar("T")

MINUTE, HOUR = 60_000, 3_600_000
BACKOFF = 30_000
WRITES_MAX = 100
"""Of an Outbox for one thing that happens; one that goes round and round has more."""
RANKS = {"waiting": 0, "taken": 1, "sent": 2, "delivered": 3, "read": 4}


class Promised(msgspec.Struct):
    """A reply, as the model has it."""

    conversation: str
    expires_at: int
    state: str = "waiting"
    why: str | None = None
    attempts: int = 0
    lapses: int = 0
    held_until: int = 0
    lease: str | None = None
    older: list[str] = []

    @property
    def is_open(self) -> bool:
        return self.state in {"waiting", "taken"}


class Model:
    """What is promised, in the words of the contract."""

    def __init__(self) -> None:
        self.now = START
        self.paused = False
        self.offline = False
        self.replies: dict[str, Promised] = {}

    def advance(self, ms: int) -> None:
        """Let time pass, one event after the other."""
        until = self.now + ms
        while (at := self.next_limit()) is not None and at <= until:
            self.now = at
            for one in self.replies.values():
                if one.state == "taken" and one.held_until == at:
                    one.lapses += 1
                    one.state, one.why = ("failed", "lapsed") if one.lapses == 5 else ("waiting", None)
                if one.state == "waiting" and not self.paused and one.expires_at <= at:
                    one.state, one.why = "failed", "expired"
        self.now = until

    def next_limit(self) -> int | None:
        """When time changes something next."""
        return min((at for one in self.replies.values() if (at := self.due(one))), default=None)

    def due(self, one: Promised) -> int | None:
        if one.state == "taken":
            return one.held_until
        return one.expires_at if one.state == "waiting" and not self.paused else None

    def heads(self) -> list[str]:
        """What a pull would be given, without its limit."""
        if self.paused or self.offline:
            return []
        first: dict[str, str] = {}
        for reply_id, one in self.replies.items():
            if one.is_open:
                first.setdefault(one.conversation, reply_id)
        return [reply_id for reply_id in first.values() if self.replies[reply_id].state == "waiting"]

    def take(self, reply_id: str, lease: str | None) -> None:
        one = self.replies[reply_id]
        if one.lease is not None:
            one.older.append(one.lease)
        one.state, one.held_until, one.lease = "taken", self.now + MINUTE, lease
        one.attempts += 1

    def report(self, reply_id: str, status: str, lease: str | None) -> bool:
        one = self.replies[reply_id]
        if lease is not None and lease != one.lease:
            return False
        if status == "failed":
            applies = one.state in {"waiting", "taken", "sent"}
        elif one.state in {"failed", "cancelled"}:
            applies = status in {"delivered", "read"}
        else:
            applies = RANKS[status] > RANKS[one.state]
        if applies:
            one.state, one.why = status, "reported" if status == "failed" else None
        return applies


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

    def __init__(self, outbound_http: OutboundHttp | None = None, **asked: Any) -> None:
        """The connection is as *asked*; what its system sends goes through *outbound_http*."""
        self.clock = trio.testing.MockClock()
        self._outbound_http = outbound_http
        self._asked = asked
        self._ready: queue.Queue[trio.lowlevel.TrioToken] = queue.Queue()
        self._lives = True
        threading.Thread(target=self._start).start()
        self._token = self._ready.get()

    def _start(self) -> None:
        trio.run(self._run, clock=self.clock)

    async def _run(self) -> None:
        async with town() as self.here:
            self.here.outbound_http = self._outbound_http
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
        self._ready.get()

    def close(self) -> None:
        self._lives = False
        self._token.run_sync_soon(self._burn.set)

    def sleep(self, ms: int) -> None:
        self.do(self._sleep, ms)

    async def _sleep(self, ms: int) -> None:
        self.clock.jump(ms / 1_000)

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

    def pull(self, most: int) -> PulledBatch:
        batch = self.do(Outbox(self.system, self.connection.id).pull, most)
        assert isinstance(batch, PulledBatch)
        return batch

    def rows(self) -> dict[str, Any]:
        return {row.id: row for row in self.do(self.here.rows, channel_tables.replies)}


class Promises(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.world = World()
        self.model = Model()
        self.order: list[str] = []

    def teardown(self) -> None:
        self.world.close()

    def chosen(self, number: int) -> str | None:
        return self.order[number % len(self.order)] if self.order else None

    @initialize()
    def begin(self) -> None:
        """Two of one conversation and one of another, so that there is something to lose from the start."""
        for conversation in "aab":
            self.write(conversation=conversation)

    @rule(conversation=st.sampled_from("abc"))
    def write(self, conversation: str) -> None:
        message = self.world.write(a_reply, self.world.connection, conversation)
        assert message.reply_id is not None
        self.order.append(message.reply_id)
        self.model.replies[message.reply_id] = Promised(conversation, self.model.now + HOUR)

    @rule(most=st.integers(1, 4))
    def pull(self, most: int) -> None:
        batch = self.world.pull(most)

        heads = self.model.heads()
        assert heads[:most] == [one.reply_id for one in batch.replies]
        assert (len(heads) > most) == batch.more
        for one in batch.replies:
            self.model.take(one.reply_id, one.lease_id)
            assert self.model.replies[one.reply_id].attempts == one.attempt

    @rule(
        number=st.integers(0, 50),
        status=st.sampled_from(["sent", "delivered", "read", "failed"]),
        under=st.sampled_from(["none", "current", "older"]),
    )
    def report(self, number: int, status: Any, under: str) -> None:
        reply_id = self.chosen(number)
        if reply_id is None:
            return
        promised = self.model.replies[reply_id]
        lease = promised.lease if under == "current" else None
        if under == "older":
            lease = promised.older[-1] if promised.older else "lse_never"
        report = StatusReport(reply_id=reply_id, status=status, lease_id=lease)
        noted = self.world.write(messages.note_status, self.world.connection.id, report)

        assert self.model.report(reply_id, status, lease) == noted.applied
        assert self.model.replies[reply_id].state == noted.status

    @rule(number=st.integers(0, 50))
    def cancel(self, number: int) -> None:
        reply_id = self.chosen(number)
        if reply_id is None:
            return
        promised = self.model.replies[reply_id]
        message_id = self.world.rows()[reply_id].message_id
        try:
            self.world.write(replies.cancel, message_id, source=PERSON)
        except Conflict:
            assert "waiting" != promised.state
        else:
            assert "waiting" == promised.state
            promised.state = "cancelled"

    @rule()
    def pause(self) -> None:
        self.world.write(connections.pause, *self.mine(), source=PERSON)
        self.model.paused = True

    @rule()
    def resume(self) -> None:
        self.world.write(connections.resume, *self.mine(), source=PERSON)
        if self.model.paused:
            for promised in self.model.replies.values():
                if promised.is_open:
                    promised.expires_at = self.model.now + HOUR
        self.model.paused = False

    @rule(state=st.sampled_from(["online", "offline"]))
    def tell_health(self, state: Any) -> None:
        self.world.write(connections.note_health, *self.mine(), HealthReport(state=state))
        self.model.offline = state == "offline"

    @rule(
        ms=st.sampled_from([1, 999, 30_000, MINUTE - 1, MINUTE, 10 * MINUTE, HOUR - MINUTE, HOUR - 1, HOUR])
    )
    def pass_time(self, ms: int) -> None:
        self.world.sleep(ms)
        self.model.advance(ms)

    @rule(before_ms=st.sampled_from([0, 1]))
    @precondition(lambda self: self.model.next_limit() is not None)
    def reach_limit(self, before_ms: int) -> None:
        """The next lease or hour ends, or is about to."""
        limit = self.model.next_limit()
        assert limit is not None
        self.pass_time(max(0, limit - before_ms - self.model.now))

    @rule(times=st.sampled_from([1, 4, 5, 6]))
    def say_nothing(self, times: int) -> None:
        """A bridge that takes what there is, again and again, and never reports."""
        for _ in range(times):
            self.pull(4)
            self.pass_time(MINUTE)

    @rule()
    def restart(self) -> None:
        self.world.restart()

    @rule()
    @precondition(lambda self: self.model.heads())
    def die_while_handing_out(self) -> None:
        """Leased replies stay leased, though no bridge received them: only the rows know the leases."""
        heads = self.model.heads()
        self.world.store.dies = True
        try:
            self.world.pull(2)
        except ActorCrashed:
            rows = self.world.rows()
            for reply_id in heads[:2]:
                self.model.take(reply_id, rows[reply_id].lease_id)
        else:
            raise AssertionError("it lived on")
        self.world.sleep(BACKOFF)  # until it is back
        self.model.advance(BACKOFF)

    def mine(self) -> tuple[str, str]:
        return self.world.connection.organization_id, self.world.connection.id

    @invariant()
    def rows_are_as_promised(self) -> None:
        promised = {
            reply_id: (one.state, one.why, one.attempts, one.lapses)
            for reply_id, one in self.model.replies.items()
        }
        rows = self.world.rows()
        assert promised == {
            row.id: (row.state, row.failure, row.attempts, row.lapses) for row in rows.values()
        }
        for reply_id, row in rows.items():
            held_until = self.model.replies[reply_id].held_until if row.state == "taken" else None
            assert held_until == row.lease_expires_at
            if row.state in {"waiting", "taken"}:
                assert self.model.replies[reply_id].expires_at == row.expires_at


def test_the_outbox_keeps_what_is_promised():
    """No reply is lost or held by two, order is kept, and every limit is exact, in any order of events."""
    run_state_machine_as_test(
        Promises,
        settings=settings(max_examples=40, stateful_step_count=30, suppress_health_check=list(HealthCheck)),
    )
