"""`conversation.list`, `.get` and `.mark_read`: what a list tells, to whom, and what is found."""

from typing import Any

import pytest
import trio

from svc.domain.inbox.limits import LAST_WORDS_CHARS_MAX, UNREAD_MAX
from tests import tables
from tests.tooling import tool_town
from tests.tools.inbox.desks import Desk, colleague, desk, owner


async def talk(shop: Desk, chat: str, **told: Any) -> str:
    """A conversation with one message; its id."""
    await trio.sleep(1)  # none of two came up at once
    answer = await shop.say(chat, f"{chat}-first", **told)
    found: str = answer["conversation"]
    return found


async def test_a_line_tells_whom_by_which_messenger_and_what_was_said_last(autojump_clock):
    """In one call: names, the messenger, the beginning of the last message and its author."""
    async with tool_town() as here:
        shop = await desk(here)
        ada = await talk(shop, "chat-1", sender={"name": "Ada", "phone": "+442079460123"}, text="x" * 300)
        at = (await here.answer("conversation.get", {"id": ada}))["lastMessageAt"]
        clerk = await colleague(here)
        before = (await clerk.answer("conversation.list"))["conversations"]
        await clerk.answer("message.reply", {"conversationId": ada, "text": "Good morning"})
        [after] = (await clerk.answer("conversation.list"))["conversations"]

        assert [("Ada", "Shop", "telegram", None)] == [
            (one["contactName"], one["connectionName"], one["messenger"], one["snoozedUntil"])
            for one in before
        ]
        assert {
            "direction": "in",
            "text": "x" * LAST_WORDS_CHARS_MAX,
            "hasAttachments": False,
            "at": at,
            "author": "Ada",
        } == before[0]["last"]
        assert ("out", "Good morning", "Clerk") == tuple(
            after["last"][name] for name in ("direction", "text", "author")
        )


async def test_unread_is_what_came_in_since_one_opened_it(autojump_clock):
    """For each member alone; a key has read everything."""
    async with tool_town() as here:
        shop = await desk(here)
        chat = await talk(shop, "chat-1")
        ada, clerk = await owner(here), await colleague(here)
        await shop.say(message="m-2")
        await ada.answer("conversation.mark_read", {"id": chat})
        await shop.say(message="m-3")
        await shop.say(message="m-4", direction="out")

        assert (1, 3, 0) == (
            (await ada.answer("conversation.get", {"id": chat}))["unread"],
            (await clerk.answer("conversation.get", {"id": chat}))["unread"],
            (await here.answer("conversation.get", {"id": chat}))["unread"],
        )
        assert "conversation.mark_read" not in [row.action for row in await here.rows(tables.audit)]


async def test_unread_messages_are_counted_up_to_a_limit(autojump_clock, monkeypatch):
    """So that a line of a list costs the same, however much was missed."""
    async with tool_town() as here:
        shop = await desk(here)
        for number in range(UNREAD_MAX + 2):
            await shop.say(message=f"m-{number}")
        ada = await owner(here)

        [line] = (await ada.answer("conversation.list"))["conversations"]
        assert UNREAD_MAX == line["unread"]


async def test_a_list_is_of_mine_of_nobody_s_or_of_what_is_to_identify(autojump_clock):
    """Each view of an inbox is a filter; all that is given must hold."""
    async with tool_town() as here:
        shop = await desk(here)
        for properties in ({"email": "ada@example.com"}, {"phone": "+442079460123"}):
            await here.answer("record.create", {"objectType": "contact", "properties": properties})
        unclear = await talk(shop, "unclear", sender={"email": "ada@example.com", "phone": "+442079460123"})
        own, free, closed = [await talk(shop, chat) for chat in ("own", "free", "closed")]
        clerk, ada = await colleague(here), await owner(here)
        await ada.answer("conversation.assign", {"id": own, "memberId": clerk.id})
        await ada.answer("conversation.close", {"id": closed})

        assert [own] == await clerk.ids(mine=True)
        assert [] == await ada.ids(mine=True)
        assert [free, unclear] == await clerk.ids(assigned=False, status="open")
        assert [unclear] == await clerk.ids(held=True)
        assert [closed] == await clerk.ids(status="closed")
        assert [free, own, unclear] == await clerk.ids(status="open")
        counted = await clerk.answer("conversation.list", {"status": "open", "limit": 1, "total": True})
        assert {"count": 3, "exact": True} == counted["total"]


@pytest.mark.parametrize(
    "words",
    ["lovelace", "ADA Love", "ada@exa", "7946 0123", "Größe", "GRÖSSE lampe", "ladya", "Neighb"],
)
async def test_a_search_finds_people_and_words(autojump_clock, words):
    """Names, addresses and titles as the messenger has them, the contact's, and words of messages."""
    async with tool_town() as here:
        shop = await desk(here)
        await here.answer(
            "record.create",
            {"objectType": "contact", "properties": {"name": "Ada Lovelace", "email": "ada@example.com"}},
        )
        await talk(shop, "other", text="Nothing of it")
        found = await talk(
            shop,
            "chat-1",
            sender={
                "name": "Countess",
                "username": "ladyada",
                "email": "ada@example.com",
                "phone": "+44 20 7946 0123",
            },
            conversation={"kind": "direct", "title": "Neighbours"},
            text="Welche Größe hat die Lampe?",
        )
        ada = await owner(here)

        assert [found] == await ada.ids(search=words)


@pytest.mark.parametrize("words", ["name", "lovelace", "100%", "evidence", '"', "phone"])
async def test_a_search_finds_no_words_that_nobody_wrote(autojump_clock, words):
    """Not the names of members of what is stored; and signs of patterns stand for themselves."""
    async with tool_town() as here:
        shop = await desk(here)
        await talk(shop, "chat-1", sender={"name": "Ada", "phone": "+442079460123"}, text="100 lamps")
        ada = await owner(here)

        assert 200 == (await ada.call("conversation.list", {"search": words * 2}))[0]
        assert [] == await ada.ids(search=words * 2)


async def test_contacts_are_found_and_named_for_those_who_may_read_them(autojump_clock):
    """Others see what the messenger tells, and find by it alone."""
    async with tool_town() as here:
        shop = await desk(here)
        ada = {"objectType": "contact", "properties": {"name": "Ada Lovelace", "email": "ada@example.com"}}
        await here.answer("record.create", ada)
        await talk(shop, "chat-1", sender={"name": "Countess", "email": "ada@example.com"})
        role = await here.answer("role.list")
        assert role
        csrf = await here.sign_in()
        made = await here.answer_to_person(
            "role.create", {"name": "Operator", "permissions": ["conversations"]}, csrf=csrf
        )
        key = await here.mint(role_id=made["id"])
        [line] = (await here.answer("conversation.list", key=key))["conversations"]
        by_contact = await here.answer("conversation.list", {"search": "lovelace"}, key=key)
        by_sender = await here.answer("conversation.list", {"search": "countess"}, key=key)

        assert None is line["contactName"]
        assert [] == by_contact["conversations"]
        assert [line["id"]] == [one["id"] for one in by_sender["conversations"]]


async def test_a_page_goes_on_where_the_one_before_ended(autojump_clock):
    """In the order in which conversations came up, which a message in between does not disturb."""
    async with tool_town() as here:
        shop = await desk(here)
        chats = [await talk(shop, f"chat-{number}") for number in range(5)]
        first = await here.answer("conversation.list", {"limit": 2})
        await talk(shop, "later")
        second = await here.answer("conversation.list", {"limit": 2, "cursor": first["nextCursor"]})

        assert chats[:0:-1] == [one["id"] for page in (first, second) for one in page["conversations"]]
