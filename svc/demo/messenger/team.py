"""The organization's side of a chat, through the Tool API."""

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
    silence: dict[str, Any] | None = None


class _Conversations(msgspec.Struct):
    conversations: list[_Conversation]


class Team:
    """The team that answers the customers."""

    def __init__(self, tools: Tools, connection_id: str) -> None:
        self._tools = tools
        self._connection_id = connection_id
        self._ids: dict[str, str] = {}

    async def look(self, chat_id: str) -> dict[str, Any]:
        """The chat as the service has it: messages, the oldest first; the contact; why an agent is silent."""
        conversation = await self._find(chat_id)
        if conversation is None:
            return {"messages": [], "contact": None, "held": None, "silence": None}
        listed = await self._tools.call(
            "message.list", {"conversationId": conversation.id, "limit": MESSAGES_SHOWN}
        )
        shown = ("id", "direction", "text", "author", "status", "createdAt")
        messages = [{name: message[name] for name in shown} for message in reversed(listed["messages"])]
        contact = None
        if conversation.contact_id is not None:
            body = {"objectType": "contact", "id": conversation.contact_id}
            contact = (await self._tools.call("record.get", body))["properties"].get("name")
        return {
            "messages": messages,
            "contact": contact,
            "held": conversation.held_reason,
            "silence": conversation.silence,
        }

    async def reply(self, chat_id: str, text: str) -> bool:
        """Write a reply. Returns False if the service has no such conversation yet."""
        conversation = await self._find(chat_id)
        if conversation is None:
            return False
        await self._tools.call("message.reply", {"conversationId": conversation.id, "text": text})
        return True

    async def _find(self, chat_id: str) -> _Conversation | None:
        known = self._ids.get(chat_id)
        if known is not None:
            return await self._tools.call("conversation.get", {"id": known}, answer=_Conversation)
        body = {"connectionId": self._connection_id, "limit": CONVERSATIONS_LOOKED_AT}
        listed = await self._tools.call("conversation.list", body, answer=_Conversations)
        self._ids = {conversation.external_id: conversation.id for conversation in listed.conversations}
        return next(
            (conversation for conversation in listed.conversations if conversation.external_id == chat_id),
            None,
        )
