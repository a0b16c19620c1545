"""The organization's side of a chat, as its tools show it."""

from typing import Any, Final

import msgspec

from svc.client import Tools

CONVERSATIONS_LOOKED_AT: Final = 200
MESSAGES_SHOWN: Final = 100


class _Conversation(msgspec.Struct, rename="camel"):
    id: str
    external_id: str
    contact_id: str | None = None
    held_reason: str | None = None


class _Conversations(msgspec.Struct):
    conversations: list[_Conversation]


class Team:
    """Those who answer, with the tools and the demo's key."""

    def __init__(self, tools: Tools, connection_id: str) -> None:
        self._tools = tools
        self._connection_id = connection_id
        self._ids: dict[str, str] = {}

    async def look(self, chat_id: str) -> dict[str, Any]:
        """What is known of the chat: its messages, the oldest first, and who it is with."""
        conversation = await self._find(chat_id)
        if conversation is None:
            return {"messages": [], "contact": None, "held": None}
        said = await self._tools.call(
            "message.list", {"conversationId": conversation.id, "limit": MESSAGES_SHOWN}
        )
        shown = ("id", "direction", "text", "author", "status", "createdAt")
        messages = [{name: one[name] for name in shown} for one in reversed(said["messages"])]
        contact = None
        if conversation.contact_id is not None:
            asked = {"objectType": "contact", "id": conversation.contact_id}
            contact = (await self._tools.call("record.get", asked))["properties"].get("name")
        return {"messages": messages, "contact": contact, "held": conversation.held_reason}

    async def reply(self, chat_id: str, text: str) -> bool:
        """Write a reply; False where the chat has not begun."""
        conversation = await self._find(chat_id)
        if conversation is None:
            return False
        await self._tools.call("message.reply", {"conversationId": conversation.id, "text": text})
        return True

    async def _find(self, chat_id: str) -> _Conversation | None:
        known = self._ids.get(chat_id)
        if known is not None:
            return await self._tools.call("conversation.get", {"id": known}, answer=_Conversation)
        asked = {"connectionId": self._connection_id, "limit": CONVERSATIONS_LOOKED_AT}
        found = await self._tools.call("conversation.list", asked, answer=_Conversations)
        self._ids = {one.external_id: one.id for one in found.conversations}
        return next((one for one in found.conversations if one.external_id == chat_id), None)
