"""The demo messenger: chats in memory, and their bridge to the service."""

from collections import OrderedDict
from collections.abc import AsyncGenerator
from typing import Final, Literal

import msgspec
import trio

from svc.client import (
    Bridge,
    Conversation,
    Delivery,
    Event,
    Evidence,
    Identification,
    Message,
    Reply,
    Sender,
    StatusReport,
)
from svc.clock import Clock
from svc.domain.locale.times import rfc3339

CHATS_MAX: Final = 100
BUBBLES_MAX: Final = 200
"""The bubbles of a chat; beyond, the oldest are dropped."""
EVENTS_MAX: Final = 1_000
"""Events that may wait to be stored by the service."""

BubbleState = Literal["sending", "arrived", "new", "delivered", "read"]
"""Of the customer's own: `sending`, then `arrived`. Of a reply: `new`, `delivered` to a page, then `read`."""


class Bubble(msgspec.Struct, rename="camel"):
    """A message, as the page shows it."""

    id: str
    mine: bool
    text: str
    at: str
    state: BubbleState
    author: str | None = None


class Chat:
    """The chat of one browser with the organization."""

    def __init__(self, chat_id: str) -> None:
        self.id = chat_id
        self.version = 0
        self.bubbles: list[Bubble] = []
        self.pages = 0
        """The number of pages that show it."""
        self._changed = trio.Event()

    def change(self) -> None:
        """Notify the pages of a change."""
        self.version += 1
        del self.bubbles[:-BUBBLES_MAX]
        self._changed.set()
        self._changed = trio.Event()

    async def wait_changed(self, seen: int, seconds: float) -> None:
        """Wait until the version is not *seen*, for at most *seconds*."""
        self.pages += 1
        try:
            with trio.move_on_after(seconds):
                while self.version == seen:
                    await self._changed.wait()
        finally:
            self.pages -= 1


class DemoMessenger(Bridge):
    """All chats, and the bridge between them and the service."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._chats: OrderedDict[str, Chat] = OrderedDict()
        self._numbers = 0
        self._sender, self._receiver = trio.open_memory_channel[tuple[Event, Chat, Bubble | None]](EVENTS_MAX)

    def chat(self, chat_id: str) -> Chat:
        """The chat with that id, created if new; then the least recently used one may be dropped."""
        chat = self._chats.setdefault(chat_id, Chat(chat_id))
        self._chats.move_to_end(chat_id)
        while len(self._chats) > CHATS_MAX:
            self._chats.popitem(last=False)
        return chat

    def say(self, chat: Chat, name: str, text: str) -> None:
        """Send a customer's message. Raises `trio.WouldBlock` if too many events wait for the service."""
        bubble = Bubble(
            id=self._new_id(), mine=True, text=text, at=rfc3339(self._clock.now()), state="sending"
        )
        message = Message(
            conversation_id=chat.id,
            message_id=bubble.id,
            direction="in",
            sent_at=bubble.at,
            sender=Sender(id=chat.id, name=name or None),
            conversation=Conversation(kind="direct"),
            text=text,
        )
        self._sender.send_nowait((message, chat, bubble))
        chat.bubbles.append(bubble)
        chat.change()

    def share_number(self, chat: Chat, name: str, number: str) -> None:
        """Send a customer's phone number. Raises `trio.WouldBlock`."""
        evidence = [Evidence(kind="phone", value=number)]
        identification = Identification(conversation_id=chat.id, evidence=evidence, name=name or None)
        self._sender.send_nowait((identification, chat, None))

    def show(self, chat: Chat, *, seen: bool) -> None:
        """Note that a page shows the chat, and whether its user has *seen* it. Raises `trio.WouldBlock`."""
        state: Literal["delivered", "read"] = "read" if seen else "delivered"
        earlier = {"new"} if state == "delivered" else {"new", "delivered"}
        for bubble in chat.bubbles:
            if not bubble.mine and bubble.state in earlier:
                self._sender.send_nowait((StatusReport(reply_id=bubble.id, status=state), chat, None))
                bubble.state = state

    async def deliver(self, reply: Reply) -> Delivery:
        """Add the reply to its chat, which open pages show, or the next that opens."""
        chat = self.chat(reply.conversation_id)
        if all(bubble.id != reply.reply_id for bubble in chat.bubbles):
            chat.bubbles.append(
                Bubble(
                    id=reply.reply_id,
                    mine=False,
                    text=reply.text or "",
                    at=rfc3339(self._clock.now()),
                    state="new",
                    author=reply.author.name if reply.author else None,
                )
            )
            chat.change()
        return Delivery(messenger_message_id=reply.reply_id)

    async def events(self) -> AsyncGenerator[Event, None]:
        """The events of all chats."""
        while True:
            event, chat, bubble = await self._receiver.receive()
            yield event
            if bubble is not None:
                bubble.state = "arrived"
                chat.change()

    def _new_id(self) -> str:
        self._numbers += 1
        return f"{self._clock.now()}-{self._numbers}"
