"""The Outbox by push: what is sent, the plan of retries, its end with a 2xx, and how much goes at once."""

from typing import Any, cast

import pytest
import trio

from svc.actors.outbound.client import PostResult
from svc.actors.outbound.errors import NoPlace, NotSent
from svc.domain.attempts import AttemptOutcome
from svc.domain.channels.limits import PUSH_HOLD_MS, PUSHES_AT_ONCE_MAX, REPLY_LIFE_MS
from svc.domain.crypto.signatures import Signer
from svc.domain.errors import Conflict, Unavailable
from svc.domain.limits import SIGNING_OVERLAP_MS
from svc.domain.locale.times import SECOND_MS
from svc.storage.channels import connections, deliveries, outboxes, replies, signing_secrets
from svc.storage.channels import tables as channel_tables
from svc.storage.integrity import check
from svc.storage.store import Store, Units
from tests.channels import PERSON, Receiver, a_connection, a_reply, channel_town, push_town
from tests.town import town

LIFE_SECONDS = REPLY_LIFE_MS / SECOND_MS
PUSHES = {"delivery": "push", "url": "https://bridge.example/hook"}
UNREACHED = NotSent("no connection")
PLAN_SECONDS = [0, 5, 35, 155, 455, 1055, 1655, 2255, 2855, 3455]


async def test_a_reply_is_pushed_as_soon_as_it_is_written(autojump_clock):
    """To the bridge's address, with the same words that a pull has, and without a lease."""
    async with push_town() as (here, receiver):
        message = await here.write_reply(text="It is ready.")
        await trio.sleep(1)

        [(_, url, _, headers)] = receiver.got
        [body] = receiver.bodies
        assert ("https://bridge.example/hook", "message.outbound") == (url, body["type"])
        assert ("2026-09-18T00:00:00.000Z", message.reply_id) == (body["timestamp"], body["data"]["replyId"])
        assert ("It is ready.", 1, None, None) == tuple(
            body["data"][name] for name in ("text", "attempt", "leaseId", "leaseExpiresAt")
        )
        assert ("message.outbound", "2026-09", "application/json") == tuple(
            headers[name] for name in ("X-Service-Event", "X-Service-Contract", "Content-Type")
        )
        assert ["taken"] == [row.state for row in await here.rows(channel_tables.replies)]
        assert {"ok": True, "applied": True, "status": "sent"} == await here.report(body["data"], "sent")


async def test_pushes_that_fail_follow_the_plan(autojump_clock):
    """Again after 5 s, 30 s, 2 min, 5 min and then every 10 min, until the hour is over."""
    answers: list[PostResult | NotSent] = [UNREACHED, PostResult(500), PostResult(302)]
    async with push_town(*answers * 5) as (here, receiver):
        await here.write_reply()
        await trio.sleep(LIFE_SECONDS + 1)

        [row] = await here.rows(channel_tables.replies)
        assert PLAN_SECONDS == receiver.seconds
        assert ("failed", "expired", 0) == (row.state, row.failure, row.lapses)


async def test_a_push_without_a_place_was_no_attempt(autojump_clock):
    """Others hold all places: it is tried again soon, as often as it takes, and the plan does not go on."""
    crowded = NoPlace("too many requests are under way")
    async with push_town(*[crowded] * 4, UNREACHED) as (here, receiver):
        await here.write_reply()
        await trio.sleep(50)

        assert [0, 10, 20, 30, 40, 45] == receiver.seconds
        assert [1] * 5 + [2] == [body["data"]["attempt"] for body in receiver.bodies]
        [delivery] = await here.rows(channel_tables.deliveries)
        assert (2, 200) == (delivery.attempts, delivery.status_code)


async def test_a_ping_without_a_place_was_no_attempt(autojump_clock):
    """It is sent as soon as there is a place."""
    async with push_town(NoPlace("too many requests are under way")) as (here, receiver):
        await here.store.write(outboxes.send_test, here.organization.id, here.connection.id)
        await trio.sleep(11)

        assert [0, 10] == receiver.seconds
        [delivery] = await here.rows(channel_tables.deliveries)
        assert (1, 200, None) == (delivery.attempts, delivery.status_code, delivery.error)


async def test_a_retry_is_known_by_its_delivery(autojump_clock):
    """The id stays; the timestamp and the signature are those of the attempt."""
    async with push_town(UNREACHED) as (here, receiver):
        await here.write_reply()
        await trio.sleep(10)

        first, second = (headers for *_, headers in receiver.got)
        assert first["X-Service-Delivery"] == second["X-Service-Delivery"] == second["webhook-id"]
        assert 5 == int(second["X-Service-Timestamp"]) - int(first["X-Service-Timestamp"])
        assert first["X-Service-Signature"] != second["X-Service-Signature"]
        assert [1, 2] == [body["data"]["attempt"] for body in receiver.bodies]


async def test_retry_after_is_honoured(autojump_clock):
    """Where it asks for more than the plan, and within the hour."""
    answers = [PostResult(429, 90_000), PostResult(503, 1_000), PostResult(503, 10**12)]
    async with push_town(*answers) as (here, receiver):
        await here.write_reply()
        await trio.sleep(LIFE_SECONDS + 1)

        assert [0, 90, 120] == receiver.seconds
        assert ["failed"] == [row.state for row in await here.rows(channel_tables.replies)]


async def test_an_address_that_is_gone_pauses_the_connection(autojump_clock):
    """Nothing is lost: with Resume it is pushed again, with all its time and the whole plan."""
    async with push_town(PostResult(410), UNREACHED) as (here, receiver):
        await here.write_reply()
        await trio.sleep(2 * LIFE_SECONDS)
        gone = await here.store.read(connections.find, here.connection.id)
        await here.store.write(connections.resume, here.organization.id, here.connection.id, source=PERSON)
        await trio.sleep(6)

        assert ("paused", "gone") == (gone.status, gone.pause_reason)
        assert [0, 7200, 7205] == receiver.seconds
        assert ["taken"] == [row.state for row in await here.rows(channel_tables.replies)]


async def test_a_2xx_is_the_end(autojump_clock):
    """A receiver that answers 200 and never reports gets the words once, and the next of the conversation.

    Nothing ends the reply but a report, however late.
    """
    async with push_town() as (here, receiver):
        await here.write_reply("a", "1")
        await trio.sleep(1)
        await here.write_reply("a", "2")
        await trio.sleep(3 * LIFE_SECONDS)
        async with here.live_system():  # a new process looks at everything anew
            await trio.sleep(LIFE_SECONDS)

        assert ["1", "2"] == [body["data"]["text"] for body in receiver.bodies]
        assert [("taken", None, 0, 1)] * 2 == [
            (row.state, row.lease_expires_at, row.lapses, row.attempts)
            for row in await here.rows(channel_tables.replies)
        ]
        assert [] == [one for one in await here.store.read(lambda conn: list(check(conn))) if one.broken]
        assert (await here.report(receiver.bodies[0]["data"], "sent"))["applied"]
        assert (await here.report(receiver.bodies[1]["data"], "failed"))["applied"]


async def test_a_2xx_ends_it_after_failed_pushes_too(autojump_clock):
    """Also where the connection is paused and resumed after it."""
    async with push_town(UNREACHED, PostResult(500), PostResult(202)) as (here, receiver):
        await here.write_reply()
        await trio.sleep(40)
        await here.store.write(connections.pause, here.organization.id, here.connection.id, source=PERSON)
        await here.store.write(connections.resume, here.organization.id, here.connection.id, source=PERSON)
        await trio.sleep(2 * LIFE_SECONDS)

        assert PLAN_SECONDS[:3] == receiver.seconds
        assert ["taken"] == [row.state for row in await here.rows(channel_tables.replies)]


async def test_a_2xx_is_kept_when_the_store_was_overloaded(autojump_clock):
    """It is tried again, so that nothing is pushed twice for it."""
    async with push_town() as (here, receiver):
        overloaded = Overloaded(here.system.store, refusals=5)
        here.system.store = cast("Store", overloaded)
        await here.write_reply()
        await trio.sleep(2 * LIFE_SECONDS)

        assert (0, 1) == (overloaded.refusals, len(receiver.got))
        assert [("taken", None)] == [
            (row.state, row.lease_expires_at) for row in await here.rows(channel_tables.replies)
        ]


async def test_a_2xx_that_could_not_be_stored_is_pushed_again_as_the_same_delivery(autojump_clock):
    """A crash between the answer and keeping it: once the push counts as cut off, and that is no lapse."""
    async with push_town() as (here, receiver):
        here.system.store = cast("Store", Overloaded(here.system.store, refusals=31))
        await here.write_reply()
        await trio.sleep(2 * LIFE_SECONDS)

        [first, again] = [headers["webhook-id"] for *_, headers in receiver.got]
        assert first == again
        assert [1, 2] == [body["data"]["attempt"] for body in receiver.bodies]
        assert PUSH_HOLD_MS / SECOND_MS <= receiver.seconds[1] < PUSH_HOLD_MS / SECOND_MS + 3
        assert [("taken", 0)] == [(row.state, row.lapses) for row in await here.rows(channel_tables.replies)]


async def test_a_2xx_of_an_earlier_push_ends_the_later_one(autojump_clock):
    """The bridge has it, whatever becomes of the push that a new process began meanwhile."""
    async with town() as here:
        pushed = await here.store.write(a_connection, here.organization.id, **PUSHES)
        await here.store.write(a_reply, pushed)
        [first] = (await here.store.write(outboxes.load, pushed.id, 8)).pushes
        here.clock.jump(PUSH_HOLD_MS)
        [second] = (await here.store.write(outboxes.load, pushed.id, 8)).pushes
        await here.store.write(outboxes.note_push, pushed.id, first, AttemptOutcome(status_code=200))
        await here.store.write(outboxes.note_push, pushed.id, second, AttemptOutcome(error="cut off"))

        [row] = await here.rows(channel_tables.replies)
        assert ("taken", None, 2) == (row.state, row.lease_expires_at, row.attempts)
        assert [] == [one for one in await here.store.read(lambda conn: list(check(conn))) if one.broken]


async def test_what_has_reached_its_bridge_is_not_on_its_way(autojump_clock, monkeypatch):
    """A bridge that never reports may be sent more replies than may be on their way at once."""
    monkeypatch.setattr(replies, "REPLIES_OPEN_MAX", 3)
    async with push_town() as (here, receiver):
        for number in range(10):
            await here.write_reply(f"chat-{number}")
            await trio.sleep(1)

        assert 10 == len(receiver.got)


async def test_only_so_many_are_under_way(autojump_clock):
    """Eight at once; the next begins when one has ended."""
    async with push_town() as (here, receiver):
        receiver.takes_seconds = 3
        for number in range(20):
            await here.write_reply(f"chat-{number}")
        await trio.sleep(10)

        assert PUSHES_AT_ONCE_MAX == receiver.at_once_max
        assert [0] * 8 + [3] * 8 + [6] * 4 == receiver.seconds


async def test_pushes_keep_the_order_of_a_conversation(autojump_clock):
    """The next one goes when the one before has reached the bridge; a push that fails holds it back."""
    async with push_town(UNREACHED) as (here, receiver):
        for text in ("1", "2"):
            await here.write_reply("a", text)
        await trio.sleep(1)
        await here.write_reply("b", "1")
        await trio.sleep(5)
        pushed_texts = [body["data"]["conversationId"] + body["data"]["text"] for body in receiver.bodies]

        assert ["a1", "b1", "a1", "a2"] == pushed_texts


async def test_a_status_may_come_before_the_answer(autojump_clock):
    """A bridge that reports first and answers then, or never, has sent it all the same."""
    async with push_town(NotSent("no answer within 10 seconds")) as (here, receiver):
        receiver.takes_seconds = 10
        await here.write_reply()
        await trio.sleep(1)
        await here.report(receiver.bodies[0]["data"], "sent")
        await trio.sleep(LIFE_SECONDS)

        assert 1 == len(receiver.got)
        assert ["sent"] == [row.state for row in await here.rows(channel_tables.replies)]


async def test_nothing_is_pushed_to_a_paused_connection_or_an_offline_bridge(autojump_clock):
    """What waits goes out when it is over."""
    async with push_town() as (here, receiver):
        await here.answer("channel.connection.report", {"state": "offline", "reason": "network"})
        await here.write_reply("a")
        await trio.sleep(60)
        offline = len(receiver.got)
        await here.store.write(connections.pause, here.organization.id, here.connection.id, source=PERSON)
        await here.answer("channel.connection.report", {"state": "online"})
        await trio.sleep(60)
        paused = len(receiver.got)
        await here.store.write(connections.resume, here.organization.id, here.connection.id, source=PERSON)
        await trio.sleep(1)

        assert (0, 0, 1) == (offline, paused, len(receiver.got))


async def test_both_secrets_sign_for_a_day(autojump_clock):
    """After New signing secret, the bridge may know either; then only the new one."""
    async with push_town() as (here, receiver):
        new, until = await here.store.write(signing_secrets.rotate, here.organization.id, here.connection.id)
        await here.write_reply("a")
        await trio.sleep(1)
        here.clock.jump(SIGNING_OVERLAP_MS)
        await here.write_reply("b")
        await trio.sleep(1)

        both, one = [headers["X-Service-Signature"] for *_, headers in receiver.got]
        assert SIGNING_OVERLAP_MS == until - here.connection.created_at
        at, _, body, headers = receiver.got[0]
        assert Signer([new, here.secret or ""]).sign(headers["webhook-id"], at // 1_000, body) == both
        assert (2, 1) == (len(both.split()), len(one.split()))


async def test_send_test_pushes_a_ping(autojump_clock):
    """Once, signed like everything else; how it went can be seen."""
    async with push_town(PostResult(500)) as (here, receiver):
        test = await here.store.write(outboxes.send_test, here.organization.id, here.connection.id)
        with pytest.raises(Conflict):
            await here.store.write(outboxes.send_test, here.organization.id, here.connection.id)
        await trio.sleep(60)

        [body] = receiver.bodies
        seen = await here.store.read(deliveries.last_test, here.connection.id)
        assert ("ping", {"connectionId": here.connection.id}) == (body["type"], body["data"])
        assert "ping" == receiver.got[0][3]["X-Service-Event"]
        assert seen is not None
        assert (test, 500, 1) == (seen.id, seen.status_code, seen.attempts)


async def test_no_test_is_sent_where_the_bridge_pulls(autojump_clock):
    """There is no address."""
    async with channel_town() as here:
        with pytest.raises(Conflict):
            await here.store.write(outboxes.send_test, here.organization.id, here.connection.id)


async def test_pushes_of_an_earlier_life_are_gone_on_with(autojump_clock):
    """What was under way when the process died is pushed by the next one, a minute after it began."""
    receiver = Receiver()
    async with town() as here:
        pushed = await here.store.write(a_connection, here.organization.id, **PUSHES)
        await here.store.write(a_reply, pushed)
        await here.store.write(outboxes.load, pushed.id, 8)
        here.outbound_http = receiver
        async with here.live_system():
            await trio.sleep(59)
            early = len(receiver.got)
            await trio.sleep(2)

        assert (0, [2]) == (early, [body["data"]["attempt"] for body in receiver.bodies])


class Overloaded:
    """The store, which refuses so many times to keep how a push went."""

    def __init__(self, store: Store, refusals: int) -> None:
        self._store = store
        self.refusals = refusals

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def of(self, owner: str) -> Any:
        return OverloadedUnits(self, self._store.of(owner))


class OverloadedUnits:
    """What is refused of one owner's units."""

    def __init__(self, overloaded: Overloaded, units: Units) -> None:
        self._overloaded = overloaded
        self._units = units

    def __getattr__(self, name: str) -> Any:
        return getattr(self._units, name)

    async def write(self, fn: Any, *args: Any) -> Any:
        if fn is outboxes.note_push and self._overloaded.refusals:
            self._overloaded.refusals -= 1
            raise Unavailable("too much waits for the disk")
        return await self._units.write(fn, *args)
