"""The Webhook beside a plain model of what is promised of deliveries: whatever happens, they agree.

After every step each delivery must be where the model has it: none lost, each attempted at the very
millisecond of its plan, those of one subject one after the other, and its body always the same bytes.
"""

from collections import defaultdict
from collections.abc import Mapping
from math import inf
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

from svc.actors import event_dispatcher
from svc.actors._core import Policy
from svc.actors.outbound.client import OutboundHttp, PostResult
from svc.actors.outbound.errors import NotSent
from svc.actors.webhooks.webhook import Webhook
from svc.domain.errors import Conflict
from svc.storage import tables as root_tables
from svc.storage.webhooks import deliveries, redelivery, tables, webhooks
from svc.storage.webhooks.webhooks import WebhookChanges
from tests.town import START
from tests.webhooks import a_webhook, happen
from tests.worlds import SEEDS, World, WorldMachine

SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000
PLAN = (5 * SECOND, 5 * MINUTE, 30 * MINUTE, *(hours * HOUR for hours in (2, 5, 10, 14, 20, 24)))
RETRY_AFTER = 7 * HOUR
"""More than a subscription is held for, and more than the first waits of the plan."""

Mood = Literal["takes", "fails", "unreached", "later", "busy", "gone", "dies"]
"""What the receiver answers: 2xx, 500, nothing, 503 with `Retry-After`, 429, 410; or this process dies."""
ANSWERS: dict[Mood, PostResult] = {
    "takes": PostResult(204),
    "fails": PostResult(500),
    "later": PostResult(503, RETRY_AFTER),
    "busy": PostResult(429),
    "gone": PostResult(410),
}
WANTED: dict[str, list[str | None]] = {
    "dead": ["dead"],
    "missed": [None],
    "all": ["dead", "delivered", None],
}
"""States of the deliveries that a range redelivers; None for an event that has none."""
SUBJECTS = ("rec_a", "rec_b", "rec_c")


class MoodyReceiver(OutboundHttp):
    """What is sent to. It keeps what it got, by subject, and the bodies, by delivery."""

    def __init__(self) -> None:
        super().__init__()
        self.mood: Mood = "takes"
        self.got: dict[str, list[str]] = defaultdict(list)
        self.bodies: dict[str, set[bytes]] = defaultdict(set)

    async def post(
        self, url: str, body: bytes, headers: Mapping[str, str], *, owner: str, seconds: float, now: int
    ) -> PostResult:
        data = msgspec.json.decode(body)["data"]
        self.got[data.get("recordId", "")].append(headers["webhook-id"])
        self.bodies[headers["webhook-id"]].add(body)
        if self.mood == "dies":
            await trio.sleep_forever()
        if self.mood == "unreached":
            raise NotSent("nothing listens there")
        return ANSWERS[self.mood]


class Promised(msgspec.Struct):
    """A delivery, as the model has it."""

    id: str
    subject: str
    place: int
    next_at: float
    """When it is due. A retry's is at the edges of what the spread allows, until the row has told."""
    latest: float = 0
    state: str = "waiting"
    attempts: int = 0
    failures: int = 0
    replayed: bool = False

    @property
    def waits(self) -> bool:
        return self.state == "waiting"


class Model:
    """What is promised, in the words of the contract."""

    def __init__(self) -> None:
        self.now = START
        self.mood: Mood = "takes"
        self.active = True
        self.why: str | None = None
        self.failing_since: int | None = None
        self.held_until = 0
        self.last: list[bool] = []
        self.events: list[tuple[str, Promised | None]] = []
        """The subject of each event, and its delivery."""
        self.sent: dict[str, list[str]] = defaultdict(list)

    @property
    def deliveries(self) -> list[Promised]:
        return [one for _, one in self.events if one is not None]

    def waiting(self, subject: str | None = None) -> list[Promised]:
        return [one for one in self.deliveries if one.waits and subject in {None, one.subject}]

    def first(self) -> list[Promised]:
        """Of each subject the earliest that waits."""
        first: dict[str, Promised] = {}
        for one in self.waiting():
            first.setdefault(one.subject, one)
        return list(first.values())

    def due(self) -> list[Promised]:
        """What is to be attempted now, as many as may be at once."""
        if not self.active or self.held_until > self.now:
            return []
        due = [one for one in self.first() if one.next_at <= self.now]
        due.sort(key=lambda one: (one.replayed, one.next_at, one.id))
        dead = len(self.last) == 10 and not any(self.last)
        return due[: 1 if dead else 8]

    def go_on(self) -> None:
        """What follows at this moment."""
        while heads := self.due():
            for one in heads:
                self.sent[one.subject].append(one.id)
                if self.mood != "dies":
                    self.attempt(one)
            if self.mood == "dies":
                return

    def attempt(self, one: Promised) -> None:
        one.attempts += 1
        reached = self.mood == "takes"
        self.last = [*self.last, reached][-10:]
        if one.waits:
            self.plan(one, reached=reached)
        self.failing_since = None if reached else (self.failing_since or self.now)
        if self.mood in {"later", "busy"}:
            self.held_until = self.now + (MINUTE if self.mood == "busy" else HOUR)
        if not self.active or self.failing_since is None:
            return
        if self.mood == "gone":
            self.disable("gone")
        elif self.now - self.failing_since >= 5 * DAY:
            self.disable("failing")

    def plan(self, one: Promised, *, reached: bool) -> None:
        if reached:
            self.end(one, "delivered")
            return
        one.failures += 1
        if one.failures == 10:
            self.end(one, "dead")
            return
        wait = PLAN[one.failures - 1]
        least = RETRY_AFTER if self.mood == "later" else 0
        one.next_at = self.now + max(0.9 * wait - 1, least)
        one.latest = self.now + max(1.1 * wait + 1, least)

    def end(self, one: Promised, state: str) -> None:
        one.state, one.replayed = state, False

    def hurry(self) -> None:
        """What holds up a live delivery of its subject is not behind live ones any more."""
        for one in self.waiting():
            if any(one.place < live.place for live in self.waiting(one.subject) if not live.replayed):
                one.replayed = False

    def disable(self, why: str | None) -> None:
        self.active, self.why = False, why
        for one in self.waiting():
            self.end(one, "dead")

    def restart(self) -> None:
        """How the last attempts went is forgotten, save that the last one failed."""
        self.last = [] if self.failing_since is None else [False] * 10

    def next_limit(self) -> float:
        """When time changes something next."""
        if not self.active:
            return inf
        return min((max(one.next_at, self.held_until) for one in self.first()), default=inf)


class Promises(WorldMachine):
    def __init__(self) -> None:
        super().__init__()
        self.receiver = MoodyReceiver()
        self.model = Model()

    def mine(self) -> tuple[str, str]:
        return self.organization_id, self.webhook.id

    def rows(self) -> dict[str, Any]:
        return {row.id: row for row in self.world.do(self.world.here.rows, tables.webhook_deliveries)}

    def follow(self) -> None:
        """Let the model go on, and tell it the random parts of the plan, which must be within bounds."""
        self.model.go_on()
        rows = self.rows()
        for one in self.model.waiting():
            if one.latest:
                assert one.next_at <= rows[one.id].next_attempt_at <= one.latest, one
                one.next_at, one.latest = rows[one.id].next_attempt_at, 0

    @initialize(seed=SEEDS)
    def begin(self, seed: int) -> None:
        """Something has happened from the start."""
        self.world = World(seed, self.receiver)
        self.organization_id = self.world.here.organization.id
        self.webhook = self.world.write(a_webhook, self.organization_id)
        self.happen(["rec_a", "rec_a", "rec_b"])

    @rule(subjects=st.lists(st.sampled_from(SUBJECTS), min_size=1, max_size=3))
    def happen(self, subjects: list[str]) -> None:
        known = self.rows().keys()
        self.world.write(happen, self.organization_id, *subjects)
        new = sorted(self.rows().keys() - known)
        assert len(subjects) * self.model.active == len(new)
        for number, subject in enumerate(subjects):
            made = None
            if self.model.active:
                made = Promised(new[number], subject, len(self.model.events), self.model.now)
            self.model.events.append((subject, made))
        self.model.hurry()
        self.follow()

    @rule(mood=st.sampled_from(["takes", "fails", "unreached", "later", "busy", "gone"]))
    def change_mood(self, mood: Mood) -> None:
        self.receiver.mood = self.model.mood = mood

    @rule(mood=st.sampled_from(["takes", "fails", "unreached"]))
    def stay_in_a_mood(self, mood: Mood) -> None:
        """Those of which more follows than of the others."""
        self.change_mood(mood)

    @rule(subjects=st.lists(st.sampled_from(SUBJECTS), min_size=1, max_size=3))
    def die_during_an_attempt(self, subjects: list[str]) -> None:
        """The receiver got it; the service does not know that."""
        mood = self.model.mood
        self.receiver.mood = self.model.mood = "dies"
        self.happen(subjects)
        self.receiver.mood = self.model.mood = mood
        self.restart()

    @rule()
    def restart(self) -> None:
        self.world.restart()
        self.model.restart()
        self.world.sleep(0)
        self.follow()

    @rule(number=st.integers(0, 50))
    @precondition(lambda self: self.model.deliveries)
    def redeliver(self, number: int) -> None:
        """One delivery, in whatever state."""
        known = self.model.deliveries
        one = known[number % len(known)]
        if not self.model.active:
            with pytest.raises(Conflict):
                self.world.write(redelivery.redeliver, self.organization_id, one.id)
            return
        self.world.write(redelivery.redeliver, self.organization_id, one.id)
        one.state, one.next_at, one.failures, one.replayed = "waiting", self.model.now, 0, False
        self.model.hurry()
        self.follow()

    @rule(which=st.sampled_from(["dead", "missed", "all"]), since=st.sampled_from([0, HOUR, DAY]))
    def replay(self, which: Any, since: int) -> None:
        """What happened in a range of time."""
        if not self.model.active or any(one.replayed for one in self.model.waiting()):
            with pytest.raises(Conflict):
                self.world.write(redelivery.redeliver_range, *self.mine(), since=0, which=which)
            return
        rows, started = self.rows(), self.model.now - since
        happened = [row.at >= started for row in self.world.do(self.world.here.rows, root_tables.events)]
        states = WANTED[which]
        again: list[tuple[int, Promised]] = []
        missed: list[int] = []
        for place, (subject, one) in enumerate(self.model.events):
            if not happened[place] or (None if one is None else one.state) not in states:
                continue
            if one is None:
                missed.append(place)
                one = Promised("", subject, place, self.model.now)
            one.state, one.next_at, one.failures, one.replayed = "waiting", self.model.now, 0, True
            again.append((place, one))

        queued = self.world.write(redelivery.redeliver_range, *self.mine(), since=started, which=which)

        assert len(again) == queued.queued
        new = iter(sorted(self.rows().keys() - rows.keys()))
        for place, one in again:
            if place in missed:
                one.id = next(new)
            self.model.events[place] = (one.subject, one)
        self.model.hurry()
        self.follow()

    @rule(active=st.booleans())
    def switch(self, active: bool) -> None:
        """By a person."""
        self.world.write(webhooks.update, *self.mine(), WebhookChanges(active=active))
        if active and not self.model.active:
            self.model.active, self.model.why = True, None
            self.model.failing_since, self.model.held_until = None, 0
            self.model.last = self.model.last if any(self.model.last) else []
        elif not active:
            self.model.disable(self.model.why)
        self.follow()

    @rule()
    def ping(self) -> None:
        """A test is in nothing's way."""
        if self.model.active and self.model.held_until <= self.model.now and self.model.mood == "takes":
            before = len(self.receiver.got[""])
            self.world.write(deliveries.queue_test, *self.mine())
            assert before + 1 == len(self.receiver.got[""])
            self.model.last = [*self.model.last, True][-10:]
            self.model.failing_since = None

    @rule(ms=st.sampled_from([1, 4_500, MINUTE, HOUR, 9 * HOUR, DAY, 6 * DAY]))
    def pass_time(self, ms: int) -> None:
        """One limit after the other, to the millisecond."""
        until = self.model.now + ms
        while (limit := self.model.next_limit()) <= until:
            self.reach(int(limit))
        self.reach(until)

    @rule(before_ms=st.sampled_from([0, 1]))
    @precondition(lambda self: self.model.next_limit() < inf)
    def reach_limit(self, before_ms: int) -> None:
        self.reach(max(self.model.now, int(self.model.next_limit()) - before_ms))

    def reach(self, at: int) -> None:
        self.world.sleep(at - self.model.now)
        self.model.now = at
        self.follow()

    @invariant()
    def deliveries_are_as_promised(self) -> None:
        """Of several attempts that end at once, any may be the one that disables: then failures differ."""
        rows = self.rows()
        assert {
            one.id: (
                one.state,
                one.attempts,
                one.replayed,
                (one.failures, one.next_at) if one.waits else None,
            )
            for one in self.model.deliveries
        } == {
            row.id: (
                row.state,
                row.attempts,
                row.replayed,
                None if row.next_attempt_at is None else (row.failures, row.next_attempt_at),
            )
            for row in rows.values()
            if row.event_id is not None
        }

    @invariant()
    def subjects_were_sent_in_this_order(self) -> None:
        got = {subject: sent for subject, sent in self.receiver.got.items() if subject}
        assert dict(self.model.sent) == got
        assert all(1 == len(bodies) for bodies in self.receiver.bodies.values())

    @invariant()
    def the_subscription_is_as_promised(self) -> None:
        [row] = self.world.do(self.world.here.rows, tables.webhooks)
        assert (self.model.active, self.model.why) == (row.active, row.disabled_reason)
        assert self.model.failing_since == row.failing_since


@pytest.mark.fuzz
def test_deliveries_are_as_promised_whatever_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    """No event is lost, each subject keeps its order, and every attempt is made when it was planned."""
    monkeypatch.setattr(event_dispatcher, "REST_MS", 0)
    monkeypatch.setattr(Webhook, "policy", Policy(mailbox_max=256, idle_seconds=inf))
    run_state_machine_as_test(
        Promises,
        settings=settings(max_examples=25, stateful_step_count=30, suppress_health_check=list(HealthCheck)),
    )
