"""`home.get`: conversations that wait for an answer."""

from svc.domain.locale.times import HOUR_MS, rfc3339
from tests.tooling import tool_town
from tests.tools.inbox.desks import Colleague, colleague, desk, owner


async def waits(one: Colleague) -> int:
    """How many conversations wait for somebody."""
    waiting = (await one.answer("home.get"))["waiting"]
    return sum(things["count"] for things in waiting if things["kind"] == "unanswered")


async def test_what_the_other_side_said_last_waits_for_who_looks_after_it(autojump_clock):
    """For all where nobody does; not what is answered, snoozed, closed or a colleague's."""
    async with tool_town() as here:
        shop = await desk(here)
        chats = [(await shop.say(f"chat-{number}"))["conversation"] for number in range(5)]
        ada, clerk = await owner(here), await colleague(here)
        at_first = [await waits(one) for one in (ada, clerk)]
        answered, snoozed, closed, assigned, free = chats
        await ada.answer("message.reply", {"conversationId": answered, "text": "Yes"})
        until = rfc3339(here.clock.now() + HOUR_MS)
        await ada.answer("conversation.snooze", {"id": snoozed, "until": until})
        await ada.answer("conversation.close", {"id": closed})
        await ada.answer("conversation.assign", {"id": assigned, "memberId": clerk.id})
        await ada.answer("conversation.note", {"id": free, "text": "Who knows?"})
        [things] = [one for one in (await clerk.answer("home.get"))["waiting"] if one["kind"] == "unanswered"]
        oldest = await ada.answer("conversation.get", {"id": assigned})

        assert [5, 5] == at_first
        assert [1, 2] == [await waits(one) for one in (ada, clerk)]
        assert ("/app/inbox", oldest["lastMessageAt"]) == (things["path"], things["oldestAt"])
