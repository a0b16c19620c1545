"""`conversation.counts`: what is new for a member."""

from svc.domain.locale.times import HOUR_MS, rfc3339
from svc.storage.inbox import unread
from tests.tooling import tool_town
from tests.tools.inbox.desks import Colleague, colleague, desk, owner


async def unread_of(one: Colleague) -> int:
    counted: int = (await one.answer("conversation.counts"))["unread"]
    return counted


async def test_what_is_new_is_counted_for_who_looks_after_it(autojump_clock):
    """For all where nobody does; not what is snoozed, closed, a colleague's, or only ours."""
    async with tool_town() as here:
        shop = await desk(here)
        chats = [(await shop.say(f"chat-{number}"))["conversation"] for number in range(5)]
        await shop.say("chat-ours", direction="out")
        ada, clerk = await owner(here), await colleague(here)
        at_first = [await unread_of(one) for one in (ada, clerk)]
        read, snoozed, closed, assigned, _ = chats
        await ada.answer("conversation.mark_read", {"id": read})
        until = rfc3339(here.clock.now() + HOUR_MS)
        await ada.answer("conversation.snooze", {"id": snoozed, "until": until})
        await ada.answer("conversation.close", {"id": closed})
        await ada.answer("conversation.assign", {"id": assigned, "memberId": clerk.id})

        assert [5, 5] == at_first
        assert [1, 3] == [await unread_of(one) for one in (ada, clerk)]
        assert 0 == (await here.answer("conversation.counts"))["unread"]


async def test_it_counts_those_whose_line_says_that_something_is_unread(autojump_clock):
    """What one has read counts again with the next message, and not with an answer."""
    async with tool_town() as here:
        shop = await desk(here)
        chat = (await shop.say())["conversation"]
        ada = await owner(here)
        counted = [await unread_of(ada)]
        await ada.answer("conversation.mark_read", {"id": chat})
        counted.append(await unread_of(ada))
        await ada.answer("message.reply", {"conversationId": chat, "text": "Yes"})
        counted.append(await unread_of(ada))
        await shop.say(message="m-2")
        counted.append(await unread_of(ada))
        [line] = (await ada.answer("conversation.list"))["conversations"]

        assert [1, 0, 0, 1] == counted
        assert 1 == line["unread"]


async def test_another_organization_s_are_none_of_ours(autojump_clock):
    """Though nobody looks after them either."""
    async with tool_town() as here:
        await (await desk(here)).say()
        ada = await owner(here)

        theirs = await here.store.read(lambda conn: unread.count(conn, "org_other", ada.id, here.clock.now()))

        assert 0 == theirs
        assert 1 == await unread_of(ada)
