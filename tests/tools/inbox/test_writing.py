"""`conversation.draft`, `.note` and `.snooze`, and what sending and receiving does to them."""

import pytest
import trio

from svc.domain.inbox.limits import DRAFT_LIFE_MS, MENTIONS_MAX
from svc.domain.locale.times import DAY_MS, HOUR_MS, SECOND_MS, rfc3339
from svc.storage.channels import conversations
from svc.storage.channels import tables as conversation_tables
from svc.storage.channels.conversations import WAKES_MAX
from svc.storage.identity import members
from svc.storage.identity.members import MemberChanges
from svc.storage.inbox import tables as inbox_tables
from tests import tables
from tests.people import call_of
from tests.pruning import prune
from tests.tooling import tool_town
from tests.tools.inbox.desks import colleague, desk, owner


async def test_a_draft_is_one_s_own_and_goes_with_the_reply(autojump_clock):
    """Whatever a colleague sends, or a program with one's key, it stays; one's own reply takes it."""
    async with tool_town() as here:
        shop = await desk(here)
        chat = (await shop.say())["conversation"]
        ada, clerk = await owner(here), await colleague(here)
        saved = await ada.answer("conversation.draft", {"id": chat, "text": "It will be"})
        await clerk.answer("message.reply", {"conversationId": chat, "text": "Soon"})
        await here.answer("message.reply", {"conversationId": chat, "text": "By a program"})
        seen_by_ada = (await ada.answer("conversation.get", {"id": chat}))["draft"]
        seen_by_clerk = (await clerk.answer("conversation.get", {"id": chat}))["draft"]
        seen_by_key = (await here.answer("conversation.get", {"id": chat}))["draft"]
        await ada.answer("message.reply", {"conversationId": chat, "text": "It will be Friday"})

        assert saved["draft"] == seen_by_ada
        assert "It will be" == seen_by_ada["text"]
        assert (None, None) == (seen_by_clerk, seen_by_key)
        assert None is (await ada.answer("conversation.get", {"id": chat}))["draft"]
        assert "conversation.draft" not in [row.action for row in await here.rows(tables.audit)]


async def test_a_reply_that_is_refused_leaves_the_draft(autojump_clock):
    """Both are one transaction."""
    async with tool_town() as here:
        shop = await desk(here)
        said = await shop.say()
        chat = said["conversation"]
        ada = await owner(here)
        await ada.answer("conversation.draft", {"id": chat, "text": "It will be"})
        await here.answer("message.reply", {"conversationId": chat, "text": "Answered"})
        status, problem = await ada.call(
            "message.reply",
            {"conversationId": chat, "text": "It will be Friday", "unlessAnsweredSince": said["message"]},
        )

        assert (409, "conflict") == (status, problem["code"])
        assert "It will be" == (await ada.answer("conversation.get", {"id": chat}))["draft"]["text"]


async def test_a_repeated_call_takes_no_newer_draft(autojump_clock):
    """A reply whose answer was lost is sent again under its key, and nothing happens twice."""
    async with tool_town() as here:
        shop = await desk(here)
        chat = (await shop.say())["conversation"]
        ada = await owner(here)
        reply = {"conversationId": chat, "text": "Friday"}
        first = await ada.call("message.reply", reply, idempotency_key="once")
        await ada.answer("conversation.draft", {"id": chat, "text": "And besides"})
        again = await ada.call("message.reply", reply, idempotency_key="once")

        assert first == again
        assert ["Friday"] == [one["text"] for one in await shop.pull()]
        assert "And besides" == (await ada.answer("conversation.get", {"id": chat}))["draft"]["text"]


async def test_of_two_who_answer_at_once_one_does(autojump_clock):
    """The other is told, and may send what was written after all."""
    async with tool_town() as here:
        shop = await desk(here)
        said = await shop.say()
        ada, clerk = await owner(here), await colleague(here)
        reply = {"conversationId": said["conversation"], "unlessAnsweredSince": said["message"]}
        statuses = [
            (await one.call("message.reply", reply | {"text": f"Yes, says {place}"}))[0]
            for place, one in enumerate((ada, clerk))
        ]
        await shop.say(message="m-2")

        assert [200, 409] == statuses
        assert ["Yes, says 0"] == [one["text"] for one in await shop.pull()]


async def test_a_draft_is_deleted_a_month_after_it_was_saved(autojump_clock):
    """Or with null, or an empty text."""
    async with tool_town() as here:
        shop = await desk(here)
        chats = [(await shop.say(f"chat-{number}"))["conversation"] for number in range(3)]
        ada = await owner(here)
        for chat in chats:
            await ada.answer("conversation.draft", {"id": chat, "text": "It will be"})
        await ada.answer("conversation.draft", {"id": chats[0], "text": None})
        await ada.answer("conversation.draft", {"id": chats[1], "text": ""})
        drafts = [(await ada.answer("conversation.get", {"id": chat}))["draft"] for chat in chats]
        before = await here.count(inbox_tables.conversation_drafts)
        await here.store.write(lambda tx: prune(tx.at(tx.now + DRAFT_LIFE_MS)))

        assert [None, None, "It will be"] == [draft and draft["text"] for draft in drafts]
        assert (1, 0) == (before, await here.count(inbox_tables.conversation_drafts))


async def test_a_note_stands_among_the_messages_and_leaves_nowhere(autojump_clock):
    """Members read it in its place; the bridge does not, nor is it a last message or unread."""
    async with tool_town() as here:
        shop = await desk(here)
        chat = (await shop.say(text="Is it ready?"))["conversation"]
        ada, clerk = await owner(here), await colleague(here)
        note = await ada.answer("conversation.note", {"id": chat, "text": "Olga knows", "mentions": []})
        await clerk.answer("message.reply", {"conversationId": chat, "text": "Yes"})
        first = await clerk.answer("message.list", {"conversationId": chat, "limit": 2})
        second = await clerk.answer(
            "message.list", {"conversationId": chat, "limit": 2, "cursor": first["nextCursor"]}
        )
        [line] = (await clerk.answer("conversation.list"))["conversations"]

        assert [("out", "Yes"), ("note", "Olga knows"), ("in", "Is it ready?")] == [
            (one["direction"], one["text"]) for page in (first, second) for one in page["messages"]
        ]
        assert note == first["messages"][1]
        assert {"kind": "member", "id": ada.id, "name": "Owner"} == note["author"]
        assert ("Yes", 1) == (line["last"]["text"], line["unread"])
        assert ["Yes"] == [one["text"] for one in await shop.pull()]
        assert 404 == (await ada.call("message.cancel", {"id": note["id"]}))[0]


async def test_who_is_mentioned_sees_it_until_they_open_the_conversation(autojump_clock):
    """Nobody else does."""
    async with tool_town() as here:
        shop = await desk(here)
        chat = (await shop.say())["conversation"]
        ada, clerk = await owner(here), await colleague(here)
        await clerk.answer("conversation.mark_read", {"id": chat})
        await ada.answer("conversation.note", {"id": chat, "text": "Look", "mentions": [clerk.id, clerk.id]})
        seen = [(await one.answer("conversation.list"))["conversations"][0] for one in (ada, clerk)]
        await clerk.answer("conversation.mark_read", {"id": chat})

        assert [False, True] == [line["mentioned"] for line in seen]
        assert not (await clerk.answer("conversation.get", {"id": chat}))["mentioned"]
        [note, *_] = (await ada.answer("message.list", {"conversationId": chat}))["messages"]
        assert [clerk.id] == note["mentions"]


async def test_only_members_who_read_conversations_are_mentioned(autojump_clock):
    """Every one who may not is told, with what is wrong; nothing is written."""
    async with tool_town() as here:
        shop = await desk(here)
        chat = (await shop.say())["conversation"]
        ada, clerk = await owner(here), await colleague(here)
        csrf = await here.sign_in()
        reader = await here.answer_to_person(
            "role.create", {"name": "Reader", "permissions": ["records.read"]}, csrf=csrf
        )
        reads_records = await here.member("reader@example.com", reader["id"])
        await here.store.write(members.update, call_of(here.owner), clerk.id, MemberChanges(status="frozen"))
        mentions = [ada.id, reads_records.id, clerk.id, "usr_nobody"]
        status, problem = await ada.call(
            "conversation.note", {"id": chat, "text": "Look", "mentions": mentions}
        )
        too_many = await ada.call(
            "conversation.note", {"id": chat, "text": "Look", "mentions": [ada.id] * (MENTIONS_MAX + 1)}
        )

        assert 422 == status
        assert ["/mentions/1", "/mentions/2", "/mentions/3"] == [
            error["pointer"] for error in problem["errors"]
        ]
        assert 422 == too_many[0]
        assert 0 == await here.count(inbox_tables.conversation_notes)


async def test_a_snoozed_conversation_is_out_of_the_way_and_comes_up_again(autojump_clock):
    """At its time it stands first, within a minute, whatever came meanwhile."""
    async with tool_town() as here:
        shop = await desk(here)
        first, second = [(await shop.say(f"chat-{n}"))["conversation"] for n in range(2)]
        ada = await owner(here)
        until = rfc3339(here.clock.now() + HOUR_MS)
        snoozed = await ada.answer("conversation.snooze", {"id": first, "until": until})
        await trio.sleep(1)
        await shop.say("chat-1", "later")
        during = [await ada.ids(snoozed=wanted) for wanted in (True, False)]
        await trio.sleep(HOUR_MS / SECOND_MS + 61)
        after = await ada.answer("conversation.list")

        assert until == snoozed["snoozedUntil"]
        assert [[first], [second]] == during
        assert [(first, None), (second, None)] == [
            (one["id"], one["snoozedUntil"]) for one in after["conversations"]
        ]
        assert [] == await ada.ids(snoozed=True)


async def test_however_many_snoozes_end_at_once_all_come_up(autojump_clock):
    """A few in each unit, until none is left."""
    async with tool_town() as here:
        shop = await desk(here)
        chats = [(await shop.say(f"chat-{number}"))["conversation"] for number in range(WAKES_MAX + 1)]
        until = here.clock.now() + HOUR_MS
        for chat in chats:
            await here.store.write(conversations.snooze, here.organization.id, chat, until)
        await trio.sleep(HOUR_MS / SECOND_MS + 61)
        waking = await here.store.read(conversations.organizations_waking, here.clock.now())
        rows = await here.rows(conversation_tables.conversations)

        assert [] == waking
        assert {None} == {row.snoozed_until for row in rows}
        assert all(row.active_at >= until for row in rows)


@pytest.mark.parametrize(
    ("direction", "left"), [("in", []), ("out", ["chat"])], ids=["incoming", "copy of ours"]
)
async def test_a_message_that_comes_in_ends_a_snooze(autojump_clock, direction, left):
    """What our side wrote does not: one waits for an answer to it."""
    async with tool_town() as here:
        shop = await desk(here)
        chat = (await shop.say())["conversation"]
        ada = await owner(here)
        until = rfc3339(here.clock.now() + DAY_MS)
        await ada.answer("conversation.snooze", {"id": chat, "until": until})
        await shop.say(message="m-2", direction=direction)

        assert [chat for _ in left] == await ada.ids(snoozed=True)


async def test_a_snooze_is_ended_by_hand_and_by_closing(autojump_clock):
    """A closed one is not snoozed, and no snooze is of the past or beyond a year."""
    async with tool_town() as here:
        shop = await desk(here)
        chat = (await shop.say())["conversation"]
        ada = await owner(here)
        until = rfc3339(here.clock.now() + DAY_MS)
        await ada.answer("conversation.snooze", {"id": chat, "until": until})
        ended = await ada.answer("conversation.snooze", {"id": chat, "until": None})
        await ada.answer("conversation.snooze", {"id": chat, "until": until})
        closed = await ada.answer("conversation.close", {"id": chat})
        refused = await ada.call("conversation.snooze", {"id": chat, "until": until})
        faults = [
            (await ada.call("conversation.snooze", {"id": chat, "until": rfc3339(at)}))[1]["errors"][0]
            for at in (here.clock.now(), here.clock.now() + 367 * DAY_MS)
        ]

        assert (None, None) == (ended["snoozedUntil"], closed["snoozedUntil"])
        assert 409 == refused[0]
        assert ["/until"] * 2 == [fault["pointer"] for fault in faults]


async def test_a_failed_reply_is_sent_again_once(autojump_clock):
    """As a new one for its bridge, which may ignore what it knows; the first refers to it."""
    async with tool_town() as here:
        shop = await desk(here)
        chat = (await shop.say())["conversation"]
        ada = await owner(here)
        first = await ada.answer("message.reply", {"conversationId": chat, "text": "Friday"})
        waiting = await ada.call("message.send_again", {"id": first["id"]})
        [offered] = await shop.pull()
        await shop.report(offered["replyId"], "failed")
        second = await ada.answer("message.send_again", {"id": first["id"]})
        twice = await ada.call("message.send_again", {"id": first["id"]})
        [offered_again] = await shop.pull()
        shown = (await ada.answer("message.list", {"conversationId": chat}))["messages"]

        assert (409, 409) == (waiting[0], twice[0])
        assert ("Friday", "Friday") == (offered["text"], offered_again["text"])
        assert offered["replyId"] != offered_again["replyId"]
        assert [(second["id"], "taken", None), (first["id"], "failed", second["id"])] == [
            (one["id"], one["status"], one["sentAgainAs"]) for one in shown[:2]
        ]
