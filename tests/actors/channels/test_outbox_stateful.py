"""The Outbox beside a plain model of what is promised of replies: whatever happens, in any order, they agree.

The real actor runs over the real store, on a clock that this test moves. After every
step the rows must be what the model says: none lost, none held by two, order kept, every limit to the
millisecond. A pull is compared with the model's, reply by reply.
"""

from typing import Any

import hypothesis.strategies as st
import msgspec
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import (
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from svc.actors._core import ActorCrashed
from svc.actors.channels.outbox import Outbox
from svc.domain.channels.messages import HealthReport, StatusReport
from svc.domain.errors import Conflict
from svc.storage.channels import connections, messages, replies
from svc.storage.channels import tables as channel_tables
from svc.storage.channels.reply_batches import PulledBatch
from tests.channels import PERSON, a_reply
from tests.town import START
from tests.worlds import SEEDS, World, WorldMachine

MINUTE, HOUR = 60_000, 3_600_000
BACKOFF = 30_000
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


class Promises(WorldMachine):
    def __init__(self) -> None:
        super().__init__()
        self.model = Model()
        self.order: list[str] = []

    def take(self, most: int) -> PulledBatch:
        batch = self.world.do(Outbox(self.world.system, self.world.connection.id).pull, most)
        assert isinstance(batch, PulledBatch)
        return batch

    def rows(self) -> dict[str, Any]:
        return {row.id: row for row in self.world.do(self.world.here.rows, channel_tables.replies)}

    def chosen(self, number: int) -> str | None:
        return self.order[number % len(self.order)] if self.order else None

    @initialize(seed=SEEDS)
    def begin(self, seed: int) -> None:
        """Two of one conversation and one of another, so that there is something to lose from the start."""
        self.world = World(seed)
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
        batch = self.take(most)

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
        message_id = self.rows()[reply_id].message_id
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
            self.take(2)
        except ActorCrashed:
            rows = self.rows()
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
        rows = self.rows()
        assert promised == {
            row.id: (row.state, row.failure, row.attempts, row.lapses) for row in rows.values()
        }
        for reply_id, row in rows.items():
            held_until = self.model.replies[reply_id].held_until if row.state == "taken" else None
            assert held_until == row.lease_expires_at
            if row.state in {"waiting", "taken"}:
                assert self.model.replies[reply_id].expires_at == row.expires_at


@pytest.mark.fuzz
def test_the_outbox_keeps_what_is_promised():
    """No reply is lost or held by two, order is kept, and every limit is exact, in any order of events."""
    run_state_machine_as_test(
        Promises,
        settings=settings(max_examples=40, stateful_step_count=30, suppress_health_check=list(HealthCheck)),
    )
