"""The bridge to Telegram, against a Bot API that is played as its documentation has it."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
import trio

from examples.bridges.telegram import POLL_SECONDS, TelegramBridge
from svc.client import run_bridge
from svc.storage.channels import connections
from svc.storage.channels import tables as channel_tables
from tests.channels import ChannelTown, channel_town
from tests.client.edges import channel_of

TOKEN = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw"
ADA = {"id": 42, "is_bot": False, "first_name": "Ada", "last_name": "Lovelace", "username": "ada"}
CHAT = {"id": 42, "type": "private", "first_name": "Ada"}


class BotApi(httpx.AsyncBaseTransport):
    """Answers as https://core.telegram.org/bots/api says, at an address of its own."""

    def __init__(self) -> None:
        self.updates: list[dict[str, Any]] = []
        self.sent: list[dict[str, Any]] = []
        self.refusals: list[dict[str, Any] | Exception] = []
        """What the next calls of sendMessage meet."""
        self.token = TOKEN
        self.offsets: list[int] = []
        self._news = trio.Event()

    def post(self, **message: Any) -> None:
        """Somebody writes to the bot."""
        number = len(self.updates) + 1
        said = {"message_id": number, "from": ADA, "chat": CHAT, "date": 1_789_689_600}
        self.updates.append({"update_id": 900 + number, "message": said | message})
        self._news.set()
        self._news = trio.Event()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await request.aread()
        assert "bots.test" == request.url.host
        _, bot, method = request.url.path.split("/")
        asked = json.loads(request.content)
        if bot != f"bot{self.token}":
            return refusal(401, "Unauthorized")
        methods = {"getMe": self._me, "getUpdates": self._updates_from, "sendMessage": self._send}
        answer = await methods[method](asked)
        return answer if isinstance(answer, httpx.Response) else result(answer)

    async def _me(self, asked: Any) -> Any:
        return {"id": 1, "is_bot": True}

    async def _updates_from(self, asked: Any) -> Any:
        self.offsets.append(asked["offset"])
        news = self._news
        if not (found := self._from(asked["offset"])):
            with trio.move_on_after(asked["timeout"]):
                await news.wait()
            found = self._from(asked["offset"])
        return found

    async def _send(self, asked: Any) -> Any:
        if self.refusals:
            met = self.refusals.pop(0)
            if isinstance(met, Exception):
                raise met
            return httpx.Response(met["error_code"], json={"ok": False} | met)
        self.sent.append(asked)
        return {"message_id": 700 + len(self.sent), "chat": CHAT}

    def _from(self, offset: int) -> list[dict[str, Any]]:
        return [one for one in self.updates if one["update_id"] >= offset]


def result(found: Any) -> httpx.Response:
    return httpx.Response(200, json={"ok": True, "result": found})


def refused(code: int, why: str, **parameters: int) -> dict[str, Any]:
    said = {"error_code": code, "description": why}
    return said | {"parameters": parameters} if parameters else said


def refusal(code: int, why: str) -> httpx.Response:
    return httpx.Response(code, json={"ok": False} | refused(code, why))


class Bot(ChannelTown):
    api: BotApi

    async def messages(self, direction: str) -> list[Any]:
        return await self.rows(channel_tables.messages, direction=direction)

    async def outcome(self) -> tuple[str, Any]:
        """The state of the only reply, and what the team reads of its failure."""
        [row] = await self.rows(channel_tables.replies)
        return row.state, row.error and json.loads(row.error)


@asynccontextmanager
async def bot() -> AsyncIterator[Bot]:
    async with channel_town() as here, channel_of(here) as (channel, _):
        one = Bot(here.store, here.clock, here.organization)
        vars(one).update(vars(here), api=BotApi())
        async with (
            httpx.AsyncClient(transport=one.api, timeout=60) as client,
            trio.open_nursery() as nursery,
        ):
            bridge = TelegramBridge(TOKEN, "https://bots.test/", client=client)
            nursery.start_soon(run_bridge, bridge, channel)
            yield one
            nursery.cancel_scope.cancel()


async def test_a_conversation(autojump_clock):
    """A message comes in with its sender, the reply goes out as an answer to it, under Telegram's ids."""
    async with bot() as here:
        here.api.post(text="Do you repair lamps?")
        await trio.sleep(1)
        [asked] = await here.messages("in")
        [conversation] = await here.rows(channel_tables.conversations)
        await here.write_reply("42", "We do.")
        await trio.sleep(1)
        [answered] = await here.messages("out")

        assert ("Do you repair lamps?", "1", 1_789_689_600_000) == (
            asked.text,
            asked.external_id,
            asked.sent_at,
        )
        assert {"id": "42", "name": "Ada Lovelace", "username": "ada"} == json.loads(asked.sender)
        assert ("42", "direct") == (conversation.external_id, conversation.kind)
        assert [{"chat_id": "42", "text": "We do."}] == here.api.sent
        assert ("701", ("sent", None)) == (answered.external_id, await here.outcome())


async def test_the_offset_follows_what_is_stored(autojump_clock):
    """An update is confirmed by the next call, and one that was not stored is not."""
    async with bot() as here:
        here.api.post(text="One")
        here.api.post(text="Two")
        await trio.sleep(POLL_SECONDS + 1)

        assert [0, 903, 903] == here.api.offsets[:3]
        assert ["One", "Two"] == [row.text for row in await here.messages("in")]


async def test_what_is_no_message_of_a_person_is_passed_over(autojump_clock):
    """A title that was changed says nothing."""
    async with bot() as here:
        here.api.post(new_chat_title="Lamps")
        here.api.post(text="Hello")
        await trio.sleep(1)

        assert ["Hello"] == [row.text for row in await here.messages("in")]


async def test_files_and_places_come_without_the_token(autojump_clock):
    """A link to a file of Telegram's contains the token, so only its id is passed on."""
    photo = [{"file_id": "small", "file_size": 10}, {"file_id": "large", "file_size": 1000}]
    async with bot() as here:
        here.api.post(photo=photo, caption="This one")
        here.api.post(location={"latitude": 53.8, "longitude": -1.5})
        await trio.sleep(1)
        image, place = await here.messages("in")

        assert "This one" == image.text
        assert [{"kind": "image", "size": 1000, "data": {"fileId": "large"}}] == json.loads(image.attachments)
        assert [{"kind": "location", "data": {"latitude": 53.8, "longitude": -1.5}}] == json.loads(
            place.attachments
        )


@pytest.mark.parametrize(("owner", "known"), [(42, True), (43, False)])
async def test_a_shared_number_identifies_the_customer(autojump_clock, owner: int, known: bool):
    """Their own, and not that of a friend whose card they send."""
    async with bot() as here:
        here.api.post(contact={"phone_number": "441632960001", "first_name": "Ada", "user_id": owner})
        await trio.sleep(1)
        [conversation] = await here.rows(channel_tables.conversations)

        assert known == (conversation.contact_id is not None)


async def test_a_limit_is_waited_out(autojump_clock):
    """For as long as Telegram says, within the same lease."""
    async with bot() as here:
        here.api.refusals = [refused(429, "Too Many Requests: retry after 20", retry_after=20)]
        await here.write_reply("42")
        await trio.sleep(19)
        before = len(here.api.sent)
        await trio.sleep(2)

        assert (0, 1, ("sent", None)) == (before, len(here.api.sent), await here.outcome())


@pytest.mark.parametrize(
    ("code", "why", "expected"),
    [
        (403, "Forbidden: bot was blocked by the user", "blocked"),
        (400, "Bad Request: message is too long", "refused"),
    ],
)
async def test_what_telegram_never_takes_has_failed(autojump_clock, code: int, why: str, expected: str):
    """The team reads Telegram's own words."""
    async with bot() as here:
        here.api.refusals = [refused(code, why)]
        await here.write_reply("42")
        await trio.sleep(1)

        assert ("failed", {"code": expected, "message": why}) == await here.outcome()


async def test_a_revoked_token_is_reported_until_it_is_good_again(autojump_clock):
    """The connection is offline for that reason, and replies wait; nothing has the token in it."""
    async with bot() as here:
        here.api.token = "another"
        await trio.sleep(POLL_SECONDS + 1)
        told = await here.store.read(connections.get, here.organization.id, here.connection.id)
        await here.write_reply("42")
        await trio.sleep(60)
        held = list(here.api.sent)
        here.api.token = TOKEN
        await trio.sleep(61)

        assert told.health is not None
        assert ("offline", "token_revoked", "Unauthorized") == (
            told.health.state,
            told.health.reason,
            told.health.detail,
        )
        assert ([], 1, ("sent", None)) == (held, len(here.api.sent), await here.outcome())


async def test_an_outage_never_shows_the_token(autojump_clock, caplog):
    """An HTTP library's errors have the address in them, which has the token."""
    async with bot() as here:
        here.api.refusals = [httpx.ReadError(f"reading https://bots.test/bot{TOKEN}/sendMessage")]
        await here.write_reply("42")
        await trio.sleep(30)
        [row] = await here.rows(channel_tables.connections)

        assert ("sent", None) == await here.outcome()
        assert TOKEN not in caplog.text
        assert TOKEN not in str(row)
