"""`POST /app/api/presence`: who else has a conversation open, and who is told."""

from typing import Any

import pytest
import trio

from svc.domain.identity.limits import SESSION_SEEN_NOTED_MS
from svc.domain.locale.times import SECOND_MS
from svc.http.inbox.door import PATH
from tests import tables
from tests.channels import a_connection, a_message
from tests.http.screens.live import opened, over_http1, over_http2
from tests.http.screens.screen import screens
from tests.http.serving import in_memory
from tests.tooling import ToolTown, tool_town
from tests.tools.inbox.desks import Colleague, colleague, desk, owner


async def says(here: ToolTown, one: Colleague, chat: str, activity: str | None, **more: Any) -> Any:
    """What somebody's page is answered that says what they do."""
    here.client.cookies.clear()
    here.client.cookies.update(one.cookies)
    answer = await here.client.post(
        PATH,
        json={"conversationId": chat, "activity": activity} | more,
        headers={"x-csrf-token": one.csrf},
    )
    return answer.status_code, answer.json()


async def test_two_who_have_it_open_see_each_other(autojump_clock):
    """By name, and that they look or write; never themselves."""
    async with tool_town() as here:
        chat = (await (await desk(here)).say())["conversation"]
        ada, clerk = await owner(here), await colleague(here)
        first = await says(here, ada, chat, "looks")
        second = await says(here, clerk, chat, "writes")
        third = await says(here, ada, chat, "looks")
        await says(here, clerk, chat, None)
        fourth = await says(here, ada, chat, "looks")

        assert (200, {"people": []}) == first == fourth
        assert {"people": [{"id": ada.id, "name": "Owner", "activity": "looks"}]} == second[1]
        assert {"people": [{"id": clerk.id, "name": "Clerk", "activity": "writes"}]} == third[1]


async def test_it_is_for_who_may_read_conversations(autojump_clock):
    """And for conversations of the organization; nothing else is remembered."""
    async with tool_town() as here:
        chat = (await (await desk(here)).say())["conversation"]
        csrf = await here.sign_in()
        role = await here.answer_to_person(
            "role.create", {"name": "Reader", "permissions": ["records.read"]}, csrf=csrf
        )
        await here.member("reader@example.com", role["id"])
        here.client.cookies.clear()
        reader_csrf = await here.sign_in("reader@example.com")
        reader = Colleague(here, "", reader_csrf, dict(here.client.cookies))
        ada = await owner(here)
        refused = await says(here, reader, chat, "looks")
        nowhere = await says(here, ada, "cnv_nowhere", "looks")
        wrong = await says(here, ada, chat, "sleeps", text="secret")
        here.client.cookies.clear()
        stranger = await here.client.post(PATH, json={"conversationId": chat, "activity": "looks"})

        assert (403, 404, 422, 401) == (refused[0], nowhere[0], wrong[0], stranger.status_code)
        assert 0 == here.system.presences.statistics()


async def test_a_page_that_is_left_open_is_no_use_of_its_session(autojump_clock):
    """It says by itself that somebody looks; a session that nobody uses ends."""
    async with tool_town() as here:
        chat = (await (await desk(here)).say())["conversation"]
        ada = await owner(here)
        used = [row.seen_at for row in await here.rows(tables.sessions)]
        await trio.sleep(SESSION_SEEN_NOTED_MS / SECOND_MS + 1)
        status, _ = await says(here, ada, chat, "looks")
        after = [row.seen_at for row in await here.rows(tables.sessions)]
        await ada.answer("conversation.get", {"id": chat})

        assert 200 == status
        assert used == after
        assert used != [row.seen_at for row in await here.rows(tables.sessions)]


@pytest.mark.parametrize("connect", [over_http1, over_http2])
async def test_an_open_page_hears_of_others_and_of_messages_within_half_a_second(autojump_clock, connect):
    """By a hint that names the conversation, and nobody and nothing that was said."""
    async with screens() as here, in_memory(here.app) as server:
        csrf = await here.sign_in()
        connection = await here.store.write(a_connection, here.organization.id)
        async with opened(server, here, connect=connect) as page:
            begun = trio.current_time()
            received = await here.store.write(a_message, connection, text="Is it ready?")
            heard = await page.changed()
            message_took = trio.current_time() - begun
            begun = trio.current_time()
            await here.client.post(
                PATH,
                json={"conversationId": received.conversation, "activity": "writes"},
                headers={"x-csrf-token": csrf},
            )
            told = await page.changed()
            presence_took = trio.current_time() - begun

        assert ("conversation", received.conversation) == heard
        assert ("presence", received.conversation) == told
        assert b"ready" not in page.body
        assert max(message_took, presence_took) <= 0.5
