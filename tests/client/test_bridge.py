"""Bridges that pull: what is brought in and what goes out, whatever happens at their two edges."""

import json

import pytest
import trio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from svc.client import (
    Delivery,
    Evidence,
    Identification,
    NotDelivered,
    Offline,
    Refused,
    Reply,
    StatusReport,
    run_bridge,
)
from svc.client.runner import DELIVERIES_MAX, DELIVERY_SECONDS
from svc.domain.channels.limits import LEASE_MS
from svc.domain.locale.times import SECOND_MS
from svc.storage.channels import connections
from svc.storage.channels import keys as channel_keys
from svc.storage.channels import tables as channel_tables
from tests import tables
from tests.channels import ChannelTown, channel_town
from tests.client.edges import Fault, Messenger, answering, bridged, channel_of, killed, message

LEASE_OF_SERVICE_SECONDS = LEASE_MS / SECOND_MS


async def states(here: ChannelTown) -> list[str]:
    """Of all replies, in the order in which they were written."""
    return [row.state for row in await here.rows(channel_tables.replies)]


async def stored(here: ChannelTown) -> list[str | None]:
    """The texts of the messages that came in, in order."""
    return [row.text for row in await here.rows(channel_tables.messages, direction="in")]


async def changes_of_health(here: ChannelTown) -> int:
    return await here.count(tables.events, type="connection.state")


# What goes right.


async def test_a_reply_goes_out_and_its_status_comes_back(autojump_clock):
    """At once, with the messenger's id of it, and then with each status that the messenger reports."""
    async with channel_town() as here, bridged(here) as bridge:
        written = await here.write_reply(text="It is ready.")
        await trio.sleep(1)
        sent = await states(here)
        for status in ("delivered", "read"):
            bridge.messenger.happens(StatusReport(reply_id=str(written.reply_id), status=status))
        await trio.sleep(1)

        [reply] = bridge.messenger.sent
        assert ("It is ready.", "chat-1", 1) == (reply.text, reply.conversation_id, reply.attempt)
        assert (["sent"], ["read"]) == (sent, await states(here))
        [row] = await here.rows(channel_tables.messages, direction="out")
        assert "there-1" == row.external_id


async def test_messages_come_in_with_their_senders(autojump_clock):
    """In the order of the messenger; the facts of a person find the contact."""
    async with channel_town() as here, bridged(here) as bridge:
        evidence = [Evidence(kind="email", value="ada@example.com")]
        bridge.messenger.happens(
            *(message(number) for number in range(1, 6)),
            Identification(conversation_id="chat-1", evidence=evidence, name="Ada"),
        )
        await trio.sleep(1)

        assert [f"Message {number}" for number in range(1, 6)] == await stored(here)
        [conversation] = await here.rows(channel_tables.conversations)
        assert conversation.contact_id is not None


async def test_a_delivery_that_is_more_than_sent(autojump_clock):
    """A status that the messenger knows at once is reported."""

    async def deliver(reply: Reply) -> Delivery:
        return Delivery(status="delivered")

    async with channel_town() as here, bridged(here) as bridge:
        bridge.messenger.on_deliver = deliver
        await here.write_reply()
        await trio.sleep(1)

        assert ["delivered"] == await states(here)


# The network between the bridge and the service.


async def test_a_report_that_is_lost_sends_nothing_twice(autojump_clock):
    """The service hands out the reply again, and gets the status of the first attempt."""
    async with channel_town() as here:
        await here.write_reply()
        # The state and the pull are answered; the report is not, in any of its attempts.
        async with bridged(here) as bridge:

            async def deliver(reply: Reply) -> None:
                bridge.wire.faults.extend(["refused"] * 12)

            bridge.messenger.on_deliver = deliver
            await trio.sleep(10 * LEASE_OF_SERVICE_SECONDS)

            assert 1 == len(bridge.messenger.sent)
            assert ["sent"] == await states(here)


async def test_replies_of_a_lost_answer_come_after_their_minute(autojump_clock):
    """They count as an attempt, though no bridge received them."""
    async with channel_town() as here:
        await here.write_reply()
        async with bridged(here, "lost", "lost", "lost") as bridge:
            await trio.sleep(LEASE_OF_SERVICE_SECONDS + 30)

            assert [2] == [reply.attempt for reply in bridge.messenger.sent]
            assert ["sent"] == await states(here)


async def test_order_is_kept_through_an_outage(autojump_clock):
    """A message that cannot be stored yet is waited for by those behind it, in both directions."""
    outage: list[Fault] = ["refused"] * 40
    async with channel_town() as here, bridged(here, *outage) as bridge:
        for number in range(1, 8):
            bridge.messenger.happens(message(number))
            await here.write_reply(text=f"Reply {number}")
        await trio.sleep(1_800)

        assert [f"Message {number}" for number in range(1, 8)] == await stored(here)
        assert [f"Reply {number}" for number in range(1, 8)] == bridge.messenger.texts
        assert ["sent"] * 7 == await states(here)


async def test_a_message_that_is_refused_holds_up_no_other(autojump_clock):
    """One that the service will never take is passed over, and said in the log."""
    async with channel_town() as here, bridged(here) as bridge:
        bridge.messenger.happens(message(1), message(2, text="x" * 64_001), message(3))
        await trio.sleep(1)

        assert ["Message 1", "Message 3"] == await stored(here)


async def test_a_service_that_answers_at_once_is_not_pressed(autojump_clock):
    """Empty answers without the wait that was asked for are followed by longer and longer rests."""
    nothing = {"ok": True, "replies": [], "more": False}
    async with channel_town() as here, bridged(here) as bridge:
        bridge.wire.faults.extend(answering(200, nothing) for _ in range(1_000))
        await trio.sleep(600)

        assert len(bridge.wire.asked) < 40


# The messenger.


async def test_what_the_messenger_never_takes_has_failed(autojump_clock):
    """Its author sees why, in words that fit."""

    async def deliver(reply: Reply) -> None:
        raise NotDelivered("blocked" * 50, "the user has blocked the bot. " * 100)

    async with channel_town() as here, bridged(here) as bridge:
        bridge.messenger.on_deliver = deliver
        await here.write_reply()
        await trio.sleep(1)

        assert (["failed"], 1) == (await states(here), len(bridge.messenger.sent))
        [row] = await here.rows(channel_tables.replies)
        error = json.loads(row.error)
        assert (100, 1_000) == (len(error["code"]), len(error["message"]))


async def test_a_slow_messenger_is_cut_off_before_its_lease_ends(autojump_clock):
    """So that no other bridge has the reply meanwhile; it comes again, with another attempt."""
    began: list[float] = []
    ended: list[float] = []

    async def deliver(reply: Reply) -> None:
        began.append(trio.current_time())
        try:
            await trio.sleep(1_000 if reply.attempt == 1 else DELIVERY_SECONDS - 1)
        finally:
            ended.append(trio.current_time())

    async with channel_town() as here, bridged(here) as bridge:
        bridge.messenger.on_deliver = deliver
        await here.write_reply()
        await trio.sleep(180)

        assert [1, 2] == [reply.attempt for reply in bridge.messenger.sent]
        assert [DELIVERY_SECONDS, DELIVERY_SECONDS - 1] == [
            pytest.approx(end - begin) for begin, end in zip(began, ended, strict=True)
        ]
        assert ["sent"] == await states(here)


async def test_a_slow_conversation_holds_up_no_other(autojump_clock):
    """Up to so many are delivered at once, and whichever ends makes room."""

    async def deliver(reply: Reply) -> None:
        await trio.sleep(45 if reply.conversation_id == "slow" else 1)

    async with channel_town() as here, bridged(here) as bridge:
        bridge.messenger.on_deliver = deliver
        await here.write_reply("slow")
        for number in range(3 * DELIVERIES_MAX):
            await here.write_reply(f"chat-{number}")
        await trio.sleep(10)

        assert {"sent": 3 * DELIVERIES_MAX, "taken": 1} == {
            state: (await states(here)).count(state) for state in ("sent", "taken")
        }


async def test_a_fault_of_the_bridge_is_tried_again(autojump_clock):
    """It is unknown whether it was sent: it is handed out again when its lease has ended."""

    async def deliver(reply: Reply) -> None:
        if reply.attempt == 1:
            raise RuntimeError("a fault")

    async with channel_town() as here, bridged(here) as bridge:
        bridge.messenger.on_deliver = deliver
        await here.write_reply()
        await trio.sleep(90)

        assert [1, 2] == [reply.attempt for reply in bridge.messenger.sent]
        assert ["sent"] == await states(here)


async def test_events_that_break_off_are_begun_again(autojump_clock):
    """After a rest; nothing that was yielded is lost."""
    async with channel_town() as here, bridged(here) as bridge:
        bridge.messenger.happens(message(1), RuntimeError("a fault"), message(2))
        await trio.sleep(5)

        assert ["Message 1", "Message 2"] == await stored(here)


async def test_an_offline_messenger_is_reported_probed_and_reported_again(autojump_clock):
    """Replies wait meanwhile: what was under way is sent within its lease, and counts once."""
    down = True

    def check() -> None:
        if down:
            raise Offline("token_revoked", "the bot was deleted")

    async def deliver(reply: Reply) -> None:
        check()

    async with channel_town() as here:
        messenger = Messenger()
        messenger.on_check, messenger.on_deliver = check, deliver
        async with bridged(here, messenger=messenger) as bridge:
            await trio.sleep(1)
            offline = await here.store.read(connections.get, here.organization.id, here.connection.id)
            await here.write_reply()
            await trio.sleep(300)
            held = list(bridge.messenger.sent)
            down = False
            await trio.sleep(61)

            assert offline.health is not None
            assert ("offline", "token_revoked", "the bot was deleted") == (
                offline.health.state,
                offline.health.reason,
                offline.health.detail,
            )
            assert [] == held
            assert (["sent"], [1]) == (
                await states(here),
                [reply.attempt for reply in bridge.messenger.sent],
            )
            assert messenger.checks < 20


async def test_a_short_outage_ends_within_the_lease(autojump_clock):
    """A reply that met one is sent after it by the same hand, not a minute later."""
    tries: list[float] = []

    async def deliver(reply: Reply) -> None:
        tries.append(trio.current_time())
        if len(tries) < 3:
            raise Offline("network")

    async with channel_town() as here, bridged(here) as bridge:
        bridge.messenger.on_deliver = deliver
        await here.write_reply()
        await trio.sleep(30)

        assert (3, {1}) == (len(tries), {reply.attempt for reply in bridge.messenger.sent})
        assert ["sent"] == await states(here)
        assert 2 <= tries[-1] - tries[0] <= 4


async def test_a_bridge_that_cannot_ask_how_it_is_finds_out(autojump_clock):
    """It assumes after a pause that all is well until the next failure, with growing pauses."""
    async with channel_town() as here, bridged(here) as bridge:
        bridge.messenger.happens(*[Offline("network")] * 6, message(1))
        await trio.sleep(70)

        assert ["Message 1"] == await stored(here)
        assert await changes_of_health(here) <= 14


async def test_a_state_that_another_program_reported_is_corrected(autojump_clock):
    """The old process may say that it stops after the new one has said that it is there."""
    async with channel_town() as here, bridged(here) as bridge:
        await trio.sleep(1)
        await here.answer("channel.connection.report", {"state": "offline"})
        await here.write_reply()
        await trio.sleep(660)

        assert (1, ["sent"]) == (len(bridge.messenger.sent), await states(here))


# Its end.


async def test_a_stop_finishes_what_is_under_way(autojump_clock):
    """What was begun is sent and reported, what is being stored is stored, and nothing new is taken."""

    async def deliver(reply: Reply) -> None:
        bridge.stop.set()
        await trio.sleep(1)
        bridge.messenger.happens(message(2))
        await trio.sleep(19)

    async with channel_town() as here:
        async with bridged(here) as bridge:
            bridge.messenger.on_deliver = deliver
            bridge.messenger.happens(message(1))
            await trio.sleep(1)
            await here.write_reply(text="The first")
            await here.write_reply(text="The second")
            await bridge.stop.wait()
        ended_at = trio.current_time()

        assert ["The first"] == bridge.messenger.texts
        assert ["sent", "waiting"] == await states(here)
        assert ["Message 1"] == await stored(here)
        assert pytest.approx(21) == ended_at


async def test_a_stop_waits_a_little_for_a_message_that_cannot_be_stored(autojump_clock):
    """Not for ever: the messenger has it still, if it is one that can be asked."""
    async with channel_town() as here:
        async with bridged(here) as bridge:
            await trio.sleep(1)
            bridge.wire.faults.extend(["refused"] * 1_000)
            bridge.messenger.happens(message(1))
            await trio.sleep(60)
        assert trio.current_time() <= 70
        assert [] == await stored(here)


async def test_a_stop_while_offline_does_not_wait(autojump_clock):
    """What waits for the messenger is offered again when the bridge is back."""

    async def deliver(reply: Reply) -> None:
        raise Offline("network")

    async with channel_town() as here:
        async with bridged(here) as bridge:
            bridge.messenger.on_deliver = deliver
            await here.write_reply()
            await trio.sleep(10)
        assert pytest.approx(10) == trio.current_time()
        assert ["taken"] == await states(here)


async def test_a_crash_between_sending_and_telling_can_be_seen(autojump_clock):
    """It is unknown whether it was sent: the next process gets it with a higher attempt."""
    async with channel_town() as here:
        await here.write_reply()

        async def crash(reply: Reply) -> None:
            first.wire.faults.extend(["refused"] * 100)

        async with killed(bridged(here)) as first:
            first.messenger.on_deliver = crash
            await trio.sleep(5)
            first.stop.set()
        async with bridged(here) as second:
            await trio.sleep(120)

        assert [[1], [2]] == [[reply.attempt for reply in one.messenger.sent] for one in (first, second)]
        assert ["sent"] == await states(here)


async def test_a_key_that_is_revoked_ends_it(autojump_clock):
    """With what the service said, and not in a group."""
    async with channel_town() as here, channel_of(here) as (channel, _):
        messenger = Messenger()
        async with trio.open_nursery() as nursery:

            async def revoke() -> None:
                await trio.sleep(3)
                [key] = await here.store.read(channel_keys.of_connection, here.connection.id)
                await here.store.write(channel_keys.revoke, here.connection.id, key.id)

            nursery.start_soon(revoke)
            with pytest.raises(Refused) as raised:
                await run_bridge(messenger, channel)
        messenger.close()

        assert (401, "unauthorized") == (raised.value.status, raised.value.code)
        assert trio.current_time() <= 24


async def test_a_connection_whose_replies_are_pushed_ends_it(autojump_clock):
    """It was made for a receiver, and pulling will never bring anything."""
    async with (
        channel_town(delivery="push", url="https://bridge.example/") as here,
        channel_of(here) as (channel, _),
    ):
        messenger = Messenger()
        with pytest.raises(Refused) as raised:
            await run_bridge(messenger, channel)
        messenger.close()

        assert (409, "conflict") == (raised.value.status, raised.value.code)


# All of it at once.

faults = st.lists(
    st.sampled_from([None, "refused", "lost", "hung", "restarting", "page"]), min_size=3, max_size=20
)


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(faults)
async def test_whatever_the_network_does(autojump_clock, bad: list[Fault]):
    """Each message is stored once and in order; each reply is sent once, in its conversation's order."""
    async with channel_town() as here, bridged(here, *bad) as bridge:
        for number in range(1, 4):
            bridge.messenger.happens(message(number))
            for conversation in ("a", "b"):
                await here.write_reply(conversation, f"{conversation}{number}")
        await trio.sleep(1_500)

        assert [f"Message {number}" for number in range(1, 4)] == await stored(here)
        sent = [str(text) for text in bridge.messenger.texts]
        if "failed" not in await states(here):  # five answers may be lost on the way, and that is the end
            assert ["a1", "a2", "a3"] == [text for text in sent if text[0] == "a"]
            assert ["b1", "b2", "b3"] == [text for text in sent if text[0] == "b"]
            assert ["sent"] * 6 == await states(here)
        assert len(sent) == len(set(sent))
