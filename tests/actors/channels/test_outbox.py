"""The Outbox by pull: leases, lapses, the hour, order within a conversation, and waiting."""

import pytest
import trio

from svc.actors.channels.outbox import Outbox
from svc.actors.stream_places import StreamPlaces
from svc.domain.channels.limits import LAPSES_MAX, LEASE_MS, PULLS_WAITING_MAX, REPLY_LIFE_MS
from svc.domain.errors import Conflict
from svc.domain.locale.times import SECOND_MS
from svc.storage.channels import connections, messages, replies
from svc.storage.channels import tables as channel_tables
from svc.storage.channels.reply_batches import PulledBatch
from tests import tables
from tests.channels import PERSON, ChannelTown, channel_town

LEASE_SECONDS = LEASE_MS / SECOND_MS
LIFE_SECONDS = REPLY_LIFE_MS / SECOND_MS


async def state_of(here: ChannelTown) -> tuple[str, str | None]:
    """The state of the only reply, as it is stored, and why it failed."""
    [row] = await here.rows(channel_tables.replies)
    return row.state, row.failure


async def test_a_reply_is_handed_out_once(autojump_clock):
    """The next pull gets nothing while the lease runs."""
    async with channel_town() as here:
        message = await here.write_reply(text="It is ready.")
        [reply] = await here.pull()
        again = await here.pull()

        assert [] == again
        assert {
            "replyId": message.reply_id,
            "attempt": 1,
            "conversationId": "chat-1",
            "text": "It is ready.",
            "attachments": [],
            "replyTo": None,
            "author": {"kind": "member", "name": "Ada"},
            "createdAt": "2026-09-18T00:00:00.000Z",
            "expiresAt": "2026-09-18T01:00:00.000Z",
            "leaseExpiresAt": "2026-09-18T00:01:00.000Z",
        } == {name: value for name, value in reply.items() if name != "leaseId"}


async def test_an_unreported_reply_is_offered_again(autojump_clock):
    """A taken reply comes back when its 60 seconds are over, and not a millisecond before."""
    async with channel_town() as here:
        await here.write_reply()
        [first] = await here.pull()
        await trio.sleep(LEASE_SECONDS - 0.001)
        early = await here.pull()
        await trio.sleep(0.001)
        [again] = await here.pull()

        assert [] == early
        assert (first["replyId"], 2) == (again["replyId"], again["attempt"])
        assert first["leaseId"] != again["leaseId"]


async def test_the_fifth_lapse_is_the_last(autojump_clock):
    """Then it has failed, without a pull that notices it."""
    async with channel_town() as here:
        await here.write_reply()
        for number in range(LAPSES_MAX):
            [reply] = await here.pull()
            assert number + 1 == reply["attempt"]
            await trio.sleep(LEASE_SECONDS)
        await trio.sleep(0.01)

        assert ("failed", "lapsed") == await state_of(here)
        assert [] == await here.pull()
        assert "message.status" == (await here.rows(tables.events))[-1].type


async def test_a_reply_that_is_not_pulled_fails_after_an_hour(autojump_clock):
    """It is found out by the Outbox itself."""
    async with channel_town() as here:
        await here.write_reply()
        await trio.sleep(LIFE_SECONDS - 0.001)
        before = await state_of(here)
        await trio.sleep(0.1)

        assert ("waiting", None) == before
        assert ("failed", "expired") == await state_of(here)


async def test_a_lease_outlasts_the_hour(autojump_clock):
    """What is taken does not expire; when the lease ends without a word, it does."""
    async with channel_town() as here:
        await here.write_reply()
        await trio.sleep(LIFE_SECONDS - 1)
        [reply] = await here.pull()
        await trio.sleep(2)
        taken = await state_of(here)
        await trio.sleep(LEASE_SECONDS)

        assert ("taken", None) == taken
        assert ("failed", "expired") == await state_of(here)
        assert {"ok": True, "applied": False, "status": "failed"} == await here.report(reply, "sent")
        assert {"ok": True, "applied": True, "status": "delivered"} == await here.report(reply, "delivered")


async def test_a_paused_connection_keeps_what_waits(autojump_clock):
    """Nothing is handed out, nothing expires, and with Resume the hour starts again."""
    async with channel_town() as here:
        await here.write_reply()
        await here.store.write(connections.pause, here.organization.id, here.connection.id, source=PERSON)
        paused = await here.pull()
        await trio.sleep(2 * LIFE_SECONDS)
        kept = await state_of(here)
        await here.store.write(connections.resume, here.organization.id, here.connection.id, source=PERSON)
        await trio.sleep(LIFE_SECONDS - 0.001)
        late = await here.pull()

        assert ([], ("waiting", None)) == (paused, kept)
        assert 1 == len(late)


async def test_a_lease_ends_in_a_paused_connection_too(autojump_clock):
    """It was taken before, and lapses; what it says meanwhile counts."""
    async with channel_town() as here:
        await here.write_reply("chat-1")
        await here.write_reply("chat-2")
        first, second = await here.pull()
        await here.store.write(connections.pause, here.organization.id, here.connection.id, source=PERSON)
        reported = await here.report(first, "sent")
        await trio.sleep(LEASE_SECONDS + 1)

        rows = await here.rows(channel_tables.replies)
        assert reported["applied"]
        assert [("sent", 0), ("waiting", 1)] == [(row.state, row.lapses) for row in rows]
        assert second["replyId"] == rows[1].id


async def test_order_is_kept_within_a_conversation(autojump_clock):
    """A later reply waits until the earlier one has come to something; other conversations do not wait."""
    async with channel_town() as here:
        for conversation, text in (("a", "1"), ("a", "2"), ("b", "1"), ("a", "3")):
            await here.write_reply(conversation, text)

        def texts(found: list[dict[str, str]]) -> list[str]:
            return [one["conversationId"] + one["text"] for one in found]

        first = await here.pull()
        nothing = await here.pull()
        await here.report(first[0], "sent")
        second = await here.pull()
        await here.report(second[0], "failed", error={"code": "blocked", "message": "by the customer"})
        third = await here.pull()

        assert [["a1", "b1"], [], ["a2"], ["a3"]] == [texts(one) for one in (first, nothing, second, third)]


async def test_a_pull_says_whether_there_is_more(autojump_clock):
    """More that could be had at once; what waits for an earlier one does not count."""
    async with channel_town() as here:
        for conversation in ("a", "a", "b", "c"):
            await here.write_reply(conversation)
        first = await here.answer("channel.outbox.pull", {"limit": 2})
        second = await here.answer("channel.outbox.pull", {"limit": 2})

        assert [(2, True), (1, False)] == [(len(one["replies"]), one["more"]) for one in (first, second)]


async def test_reports_go_forward_only(autojump_clock):
    """A late one is answered, and changes nothing."""
    async with channel_town() as here:
        await here.write_reply()
        [reply] = await here.pull()
        answers = [
            await here.report(reply, status) for status in ("sent", "read", "delivered", "failed", "read")
        ]

        assert [(True, "sent"), (True, "read"), (False, "read"), (False, "read"), (False, "read")] == [
            (one["applied"], one["status"]) for one in answers
        ]


async def test_an_older_lease_does_not_count(autojump_clock):
    """Once the reply was handed out again, only reports under the current lease count."""
    async with channel_town() as here:
        await here.write_reply()
        [first] = await here.pull()
        await trio.sleep(LEASE_SECONDS)
        [second] = await here.pull()
        older = await here.report(first, "sent", leaseId=first["leaseId"])
        newer = await here.report(second, "sent", leaseId=second["leaseId"])

        assert [(False, "taken"), (True, "sent")] == [
            (one["applied"], one["status"]) for one in (older, newer)
        ]


async def test_a_lease_that_ended_counts_until_the_next(autojump_clock):
    """What the bridge sent before it was late is not sent twice."""
    async with channel_town() as here:
        await here.write_reply()
        [reply] = await here.pull()
        await trio.sleep(LEASE_SECONDS + 1)
        late = await here.report(reply, "sent", leaseId=reply["leaseId"])

        assert {"ok": True, "applied": True, "status": "sent"} == late
        assert [] == await here.pull()


async def test_a_copy_of_our_own_reply_is_no_second_message(autojump_clock):
    """Whether it is known by our id or by the messenger's, and whichever came first."""
    async with channel_town() as here:
        for conversation in ("a", "b", "c"):
            await here.write_reply(conversation)
        by_ours, by_theirs, copy_first = await here.pull()

        def copy(reply: dict[str, str], **more: str) -> dict[str, str]:
            said = {"direction": "out", "conversationId": reply["conversationId"]}
            return said | {"messageId": "m-" + reply["conversationId"], "text": reply["text"]} | more

        ours = await here.answer("channel.message.receive", copy(by_ours, replyId=by_ours["replyId"]))
        await here.report(by_theirs, "sent", messengerMessageId="m-b")
        theirs = await here.answer("channel.message.receive", copy(by_theirs))
        early = await here.answer("channel.message.receive", copy(copy_first))
        await here.report(copy_first, "sent", messengerMessageId="m-c")
        again = await here.answer("channel.message.receive", copy(copy_first))

        assert [True, True, False, True] == [one["duplicate"] for one in (ours, theirs, early, again)]
        rows = await here.rows(channel_tables.messages)
        assert ["m-a", "m-b", "m-c"] == [row.external_id for row in rows]
        assert ["sent"] * 3 == [row.state for row in await here.rows(channel_tables.replies)]


async def test_a_cancelled_reply_does_not_go_out(autojump_clock):
    """As long as it waits; what the bridge has is not taken back."""
    async with channel_town() as here:
        first, second = await here.write_reply("a"), await here.write_reply("b")
        await here.store.write(replies.cancel, first.id, source=PERSON)
        [pulled] = await here.pull()
        with pytest.raises(Conflict):
            await here.store.write(replies.cancel, second.id, source=PERSON)

        assert second.reply_id == pulled["replyId"]


async def test_a_waiting_pull_is_answered_at_once(autojump_clock):
    """As soon as there is a reply, and not when its time is over."""
    async with channel_town() as here, trio.open_nursery() as nursery:
        answered: list[tuple[float, int]] = []

        async def wait() -> None:
            found = await here.pull(waitSeconds=20)
            answered.append((trio.current_time(), len(found)))

        began = trio.current_time()
        nursery.start_soon(wait)
        await trio.sleep(7)
        await here.write_reply()
        await trio.testing.wait_all_tasks_blocked()

        assert [(began + 7, 1)] == answered


async def test_a_waiting_pull_hears_of_everything(autojump_clock):
    """Of a lease that ends, a resumed connection, a bridge that is back, an earlier reply that is done."""
    async with channel_town() as here, trio.open_nursery() as nursery:
        found: list[str] = []

        async def wait() -> None:
            for _ in range(4):
                [reply] = await here.pull(waitSeconds=20)
                found.append(reply["text"])
                await here.report(reply, "sent")

        await here.write_reply("a", "lapsed")
        await here.pull()
        await trio.sleep(LEASE_SECONDS - 10)
        nursery.start_soon(wait)
        await trio.sleep(11)
        assert ["lapsed"] == found
        await here.store.write(connections.pause, here.organization.id, here.connection.id, source=PERSON)
        await here.write_reply("a", "paused")
        await trio.sleep(1)
        await here.store.write(connections.resume, here.organization.id, here.connection.id, source=PERSON)
        await trio.sleep(1)
        assert ["lapsed", "paused"] == found
        await here.answer("channel.connection.report", {"state": "offline"})
        await here.write_reply("a", "offline")
        await trio.sleep(1)
        await here.answer("channel.connection.report", {"state": "online"})
        await trio.sleep(1)
        assert ["lapsed", "paused", "offline"] == found
        await here.write_reply("a", "last")
        await trio.sleep(1)

        assert ["lapsed", "paused", "offline", "last"] == found


async def test_a_pull_ends_when_its_time_is_over(autojump_clock):
    """With nothing, which is an answer too."""
    async with channel_town() as here:
        began = trio.current_time()
        nothing = await here.answer("channel.outbox.pull", {"waitSeconds": 12.5})

        assert {"ok": True, "replies": [], "more": False} == nothing
        assert began + 12.5 == trio.current_time()


async def test_only_so_many_pulls_wait(autojump_clock):
    """One more is answered without waiting; the others are not disturbed."""
    async with channel_town() as here, trio.open_nursery() as nursery:
        for _ in range(PULLS_WAITING_MAX):
            nursery.start_soon(here.pull)
            nursery.start_soon(lambda: here.pull(waitSeconds=20))
        await trio.testing.wait_all_tasks_blocked()
        began = trio.current_time()
        await here.pull(waitSeconds=20)

        assert began == trio.current_time()
        assert PULLS_WAITING_MAX == here.system.wakeups.waiting(here.connection.id)


async def test_pulls_wait_only_while_there_are_places(autojump_clock):
    """Where streams have taken all that the organization may have, a pull is answered without waiting."""
    async with channel_town() as here:
        here.system.stream_places = StreamPlaces(4)
        began = trio.current_time()
        places = here.system.stream_places
        with places.gateway.hold(here.organization.id), places.screens.hold(here.organization.id):
            await here.pull(waitSeconds=20)
        assert began == trio.current_time()
        await here.pull(waitSeconds=20)

        assert began + 20 == trio.current_time()
        assert 0 == here.system.stream_places.statistics().open


async def test_waiting_pulls_end_with_the_service(autojump_clock):
    """A pull that only waits does not delay a stop."""
    async with channel_town() as here, trio.open_nursery() as nursery:
        nursery.start_soon(lambda: here.pull(waitSeconds=20))
        await trio.testing.wait_all_tasks_blocked()
        began = trio.current_time()
        here.system.wakeups.close()
        await trio.testing.wait_all_tasks_blocked()

        assert 0 == here.system.wakeups.waiting(here.connection.id)
        assert began == trio.current_time()


async def test_nothing_is_pulled_where_replies_are_pushed(autojump_clock):
    """How replies reach the bridge is fixed."""
    async with channel_town(delivery="push", url="https://bridge.example/hook") as here:
        refused = await here.ask("channel.outbox.pull")

        assert (409, "conflict") == (refused.status_code, refused.json()["code"])


async def test_a_restart_keeps_every_promise(autojump_clock):
    """Leases, lapses and the hour are rows: a system that is built anew goes on where the last one stood."""
    async with channel_town() as here:
        await here.write_reply("a")
        await here.write_reply("b")
        first, second = await here.pull()
        async with here.live_system() as rebuilt:
            outbox = Outbox(rebuilt, here.connection.id)
            too_early = await outbox.pull(50)
            here.clock.jump(LEASE_MS)
            again = await outbox.pull(50)

            assert isinstance(too_early, PulledBatch)
            assert isinstance(again, PulledBatch)
            assert () == too_early.replies
            assert [first["replyId"], second["replyId"]] == [one.reply_id for one in again.replies]
            await trio.sleep(LEASE_SECONDS + 61)

        rows = await here.rows(channel_tables.replies)
        assert [("waiting", 2)] * 2 == [(row.state, row.lapses) for row in rows]


async def test_a_message_is_listed_with_what_became_of_it(autojump_clock):
    """Status, failure and error are the reply's."""
    async with channel_town() as here:
        message = await here.write_reply()
        [reply] = await here.pull()
        await here.report(reply, "failed", error={"code": "403"})

        [listed] = await here.store.read(messages.latest, message.conversation_id, 1)
        assert (message.id, "failed", "reported") == (listed.id, listed.status, listed.failure)
        assert listed.error is not None
        assert "403" == listed.error.code
