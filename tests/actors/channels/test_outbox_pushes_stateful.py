"""The Outbox by push beside a plain model of what is promised: a 2xx is the end, whatever happens around it.

The real actor runs over the real store, as in `test_outbox_stateful`. After every step the rows must be what
the model says, and the receiver must have got just the pushes that the model made.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any, Literal

import hypothesis.strategies as st
import msgspec
import pytest
import trio
from hypothesis import HealthCheck, settings
from hypothesis.stateful import (
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from svc.actors.outbound.client import OutboundHttp, PostResult
from svc.actors.outbound.errors import NotSent
from svc.domain.channels.messages import HealthReport, StatusReport
from svc.domain.errors import Conflict
from svc.storage.channels import connections, messages, replies
from svc.storage.channels import tables as channel_tables
from tests.channels import PERSON, a_reply
from tests.town import START
from tests.worlds import SEEDS, World, WorldMachine

MINUTE, HOUR = 60_000, 3_600_000
PLAN = (5_000, 30_000, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE)
RETRY_AFTER = 90_000
RANKS = {"waiting": 0, "taken": 1, "sent": 2, "delivered": 3, "read": 4}

Mood = Literal["takes", "fails", "unreached", "later", "gone", "dies"]
"""What the receiver answers: 2xx, 500, nothing, 503 with `Retry-After`, 410; or this process dies."""

ANSWERS: dict[Mood, PostResult] = {
    "takes": PostResult(204),
    "fails": PostResult(500),
    "later": PostResult(503, RETRY_AFTER),
    "gone": PostResult(410),
}


class MoodyReceiver(OutboundHttp):
    """What is pushed to. It keeps the deliveries that it got, by reply."""

    def __init__(self) -> None:
        super().__init__()
        self.mood: Mood = "takes"
        self.got: dict[str, list[str]] = defaultdict(list)

    async def post(
        self, url: str, body: bytes, headers: Mapping[str, str], *, owner: str, seconds: float, now: int
    ) -> PostResult:
        data = msgspec.json.decode(body)["data"]
        assert (None, None) == (data["leaseId"], data["leaseExpiresAt"])
        self.got[data["replyId"]].append(headers["webhook-id"])
        if self.mood == "dies":
            await trio.sleep_forever()
        if self.mood == "unreached":
            raise NotSent("nobody is there")
        return ANSWERS[self.mood]


class Promised(msgspec.Struct):
    """A reply, as the model has it."""

    conversation: str
    expires_at: int
    offer_at: int
    state: str = "waiting"
    why: str | None = None
    attempts: int = 0
    failures: int = 0
    held_until: int | None = None

    @property
    def is_open(self) -> bool:
        """Whether it holds back those behind it."""
        return self.state == "waiting" or self.held_until is not None


class Model:
    """What is promised, in the words of the contract."""

    def __init__(self) -> None:
        self.now = START
        self.paused = False
        self.offline = False
        self.mood: Mood = "takes"
        self.replies: dict[str, Promised] = {}

    def due(self) -> list[Promised]:
        """What is to be pushed now: of each conversation only the first."""
        if self.paused or self.offline:
            return []
        first: dict[str, Promised] = {}
        for one in self.replies.values():
            if one.is_open:
                first.setdefault(one.conversation, one)
        return [one for one in first.values() if one.state == "waiting" and one.offer_at <= self.now]

    def go_on(self) -> None:
        """What follows at this moment."""
        for one in self.replies.values():
            if one.held_until is not None and one.held_until <= self.now:
                one.state, one.held_until = "waiting", None
            if one.state == "waiting" and not self.paused and one.expires_at <= self.now:
                one.state, one.why = "failed", "expired"
        while heads := self.due():
            for one in heads:
                self.push(one)

    def push(self, one: Promised) -> None:
        one.attempts += 1
        if self.mood == "takes":
            one.state = "taken"
        elif self.mood == "dies":
            one.state, one.held_until = "taken", self.now + MINUTE
        else:
            wait = PLAN[min(one.failures, 4)]
            one.offer_at = self.now + (max(wait, RETRY_AFTER) if self.mood == "later" else wait)
            one.failures += 1
            self.paused = self.paused or self.mood == "gone"

    def next_limit(self) -> int | None:
        """When time changes something next."""
        limits = [one.held_until for one in self.replies.values() if one.held_until is not None]
        for one in self.replies.values():
            if one.state == "waiting":
                limits += [] if self.paused else [one.expires_at]
                limits += [one.offer_at] if one.offer_at > self.now else []
        return min(limits, default=None)

    def report(self, reply_id: str, status: str) -> bool:
        one = self.replies[reply_id]
        if status == "failed":
            applies = one.state in {"waiting", "taken", "sent"}
        elif one.state in {"failed", "cancelled"}:
            applies = status in {"delivered", "read"}
        else:
            applies = RANKS[status] > RANKS[one.state]
        if applies:
            one.state, one.why, one.held_until = status, "reported" if status == "failed" else None, None
        return applies


class Promises(WorldMachine):
    def __init__(self) -> None:
        super().__init__()
        self.receiver = MoodyReceiver()
        self.model = Model()

    def rows(self) -> dict[str, Any]:
        return {row.id: row for row in self.world.do(self.world.here.rows, channel_tables.replies)}

    def chosen(self, number: int) -> str:
        return list(self.model.replies)[number % len(self.model.replies)]

    def mine(self) -> tuple[str, str]:
        return self.world.connection.organization_id, self.world.connection.id

    @initialize(seed=SEEDS)
    def begin(self, seed: int) -> None:
        """Something has reached its bridge from the start."""
        self.world = World(seed, self.receiver, delivery="push", url="https://bridge.example/hook")
        for conversation in "aab":
            self.write(conversation)

    @rule(conversation=st.sampled_from("abc"))
    def write(self, conversation: str) -> None:
        message = self.world.write(a_reply, self.world.connection, conversation)
        assert message.reply_id is not None
        now = self.model.now
        self.model.replies[message.reply_id] = Promised(conversation, now + HOUR, now)
        self.model.go_on()

    @rule(mood=st.sampled_from(["takes", "fails", "unreached", "later", "gone"]))
    def change_mood(self, mood: Mood) -> None:
        self.receiver.mood = self.model.mood = mood

    @rule(conversation=st.sampled_from("abc"))
    def die_during_a_push(self, conversation: str) -> None:
        """The bridge received it; the service does not know that."""
        mood = self.model.mood
        self.receiver.mood = self.model.mood = "dies"
        self.write(conversation)
        self.receiver.mood = self.model.mood = mood
        self.world.restart()
        self.model.go_on()

    @rule(number=st.integers(0, 50), status=st.sampled_from(["sent", "delivered", "read", "failed"]))
    def report(self, number: int, status: Any) -> None:
        report = StatusReport(reply_id=self.chosen(number), status=status)
        noted = self.world.write(messages.note_status, self.world.connection.id, report)

        assert self.model.report(report.reply_id, status) == noted.applied
        assert self.model.replies[report.reply_id].state == noted.status
        self.model.go_on()

    @rule(number=st.integers(0, 50))
    def cancel(self, number: int) -> None:
        reply_id = self.chosen(number)
        promised = self.model.replies[reply_id]
        try:
            self.world.write(replies.cancel, self.rows()[reply_id].message_id, source=PERSON)
        except Conflict:
            assert "waiting" != promised.state
        else:
            assert "waiting" == promised.state
            promised.state = "cancelled"
        self.model.go_on()

    @rule()
    def pause(self) -> None:
        self.world.write(connections.pause, *self.mine(), source=PERSON)
        self.model.paused = True

    @rule()
    def resume(self) -> None:
        self.world.write(connections.resume, *self.mine(), source=PERSON)
        if self.model.paused:
            self.model.paused = False
            for promised in self.model.replies.values():
                if promised.is_open:
                    promised.expires_at, promised.offer_at = self.model.now + HOUR, self.model.now
                    promised.failures = 0
        self.model.go_on()

    @rule(state=st.sampled_from(["online", "offline"]))
    def tell_health(self, state: Any) -> None:
        self.world.write(connections.note_health, *self.mine(), HealthReport(state=state))
        self.model.offline = state == "offline"
        self.model.go_on()

    @rule(ms=st.sampled_from([1, 4_999, 30_000, MINUTE, 10 * MINUTE, HOUR]))
    def pass_time(self, ms: int) -> None:
        """One limit after the other, to the millisecond."""
        until = self.model.now + ms
        while (limit := self.model.next_limit()) is not None and limit <= until:
            self.reach(limit)
        self.reach(until)

    @rule(before_ms=st.sampled_from([0, 1]))
    @precondition(lambda self: self.model.next_limit() is not None)
    def reach_limit(self, before_ms: int) -> None:
        limit = self.model.next_limit()
        assert limit is not None
        self.reach(max(self.model.now, limit - before_ms))

    @rule()
    def restart(self) -> None:
        self.world.restart()
        self.model.go_on()

    def reach(self, at: int) -> None:
        self.world.sleep(at - self.model.now)
        self.model.now = at
        self.model.go_on()

    @invariant()
    def rows_are_as_promised(self) -> None:
        assert {
            reply_id: (one.state, one.why, one.attempts, one.held_until, 0, None)
            for reply_id, one in self.model.replies.items()
        } == {
            row.id: (row.state, row.failure, row.attempts, row.lease_expires_at, row.lapses, row.lease_id)
            for row in self.rows().values()
        }

    @invariant()
    def just_so_much_was_pushed(self) -> None:
        """Each reply under one id, and after a 2xx never again."""
        pushed = {reply_id: one.attempts for reply_id, one in self.model.replies.items()}
        assert Counter(pushed) == Counter({one: len(got) for one, got in self.receiver.got.items()})
        assert all(1 == len(set(got)) for got in self.receiver.got.values())


@pytest.mark.fuzz
def test_a_2xx_is_the_end_whatever_happens():
    """No reply is pushed after a 2xx, none is lost, order is kept, and every limit is exact."""
    run_state_machine_as_test(
        Promises,
        settings=settings(max_examples=40, stateful_step_count=30, suppress_health_check=list(HealthCheck)),
    )
