"""Desks: a connection with its bridge, and people at their screens."""

from typing import Any

from tests.tooling import ToolTown
from tests.tools.channels.connecting import SHOP, bridge, clerk, connect


class Desk:
    """A connection, and its bridge."""

    def __init__(self, here: ToolTown, connection: Any) -> None:
        self.here = here
        self.connection = connection

    async def say(self, chat: str = "chat-1", message: str = "m-1", **told: Any) -> Any:
        """A message comes in."""
        said = {"conversationId": chat, "messageId": message, "direction": "in", "text": "Hi"} | told
        status, answer = await bridge(
            self.here, self.connection["channelKey"], "channel.message.receive", said
        )
        assert 200 == status, answer
        return answer

    async def identify(self, conversation: str = "chat-1", **evidence: str) -> None:
        asked = {
            "conversationId": conversation,
            "evidence": [{"kind": kind, "value": value} for kind, value in evidence.items()],
        }
        status, _ = await bridge(
            self.here, self.connection["channelKey"], "channel.conversation.identify", asked
        )
        assert 200 == status

    async def pull(self) -> Any:
        _, answer = await bridge(self.here, self.connection["channelKey"], "channel.outbox.pull", {})
        return answer["replies"]

    async def report(self, reply_id: str, status: str) -> None:
        """The bridge tells what became of a reply."""
        told = {"replyId": reply_id, "status": status}
        answered, _ = await bridge(self.here, self.connection["channelKey"], "channel.message.status", told)
        assert 200 == answered

    async def conversation(self) -> Any:
        """The only conversation."""
        [found] = (await self.here.answer("conversation.list"))["conversations"]
        return found


async def desk(here: ToolTown, **changes: Any) -> Desk:
    return Desk(here, await connect(here, SHOP | changes))


class Colleague:
    """A member at a screen."""

    def __init__(self, here: ToolTown, id_: str, csrf: str, cookies: dict[str, str]) -> None:
        self.id, self.csrf, self.cookies = id_, csrf, cookies
        self._here = here

    async def call(self, tool: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """What they are answered."""
        self._here.client.cookies.clear()
        self._here.client.cookies.update(self.cookies)
        answer = await self._here.call_as_person(tool, body, csrf=self.csrf, **headers)
        return answer.status_code, answer.json()

    async def answer(self, tool: str, body: Any = None) -> Any:
        """What they are answered, where the call has to succeed."""
        status, answer = await self.call(tool, body)
        assert 200 == status, answer
        return answer

    async def ids(self, **asked: Any) -> list[str]:
        """The conversations of a list, in its order."""
        return [one["id"] for one in (await self.answer("conversation.list", asked))["conversations"]]


async def owner(here: ToolTown) -> Colleague:
    """The Owner at a screen."""
    return await _at_screen(here, here.owner.id, "owner@example.com")


async def colleague(here: ToolTown, email: str = "clerk@example.com") -> Colleague:
    """A member who answers conversations, at a screen."""
    return await _at_screen(here, (await clerk(here, email)).id, email)


async def _at_screen(here: ToolTown, id_: str, email: str) -> Colleague:
    here.client.cookies.clear()
    csrf = await here.sign_in(email)
    return Colleague(here, id_, csrf, dict(here.client.cookies))
