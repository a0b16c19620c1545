"""A bridge to Telegram, by its Bot API (https://core.telegram.org/bots/api).

    export SVC_URL=https://svc.example.com SVC_CHANNEL_KEY=ck_live_… TELEGRAM_TOKEN=…
    python telegram.py

The Bot API takes no id from its senders: a reply whose answer was lost is sent again, and may be there twice.
It tells neither *delivered* nor *read*.
"""

import argparse
import logging
import os
from collections.abc import AsyncGenerator
from datetime import UTC, datetime
from typing import Any, Final

import anyio
import httpx

from svc.client import (
    Attachment,
    Bridge,
    Conversation,
    Delivery,
    Event,
    Evidence,
    Identification,
    Message,
    NotDelivered,
    Offline,
    Reply,
    Sender,
    run_as_program,
)

API: Final = "https://api.telegram.org"
POLL_SECONDS: Final = 25
"""How long getUpdates waits for one."""
ANSWER_SECONDS: Final = POLL_SECONDS + 10.0
PATIENCE_SECONDS: Final = 30
"""How long a `retry_after` is waited out rather than told as being offline."""
FILES: Final = {"photo": "image", "video": "video", "audio": "audio", "voice": "voice", "document": "file"}


class TelegramBridge(Bridge):
    """The bot of *token*."""

    def __init__(self, token: str, api: str = API, *, client: httpx.AsyncClient | None = None) -> None:
        self._client = client or httpx.AsyncClient(timeout=ANSWER_SECONDS)
        self._url = f"{api.rstrip('/')}/bot{token}/"
        self._offset = 0

    async def deliver(self, reply: Reply) -> Delivery:
        """Send it as one message, whole or not at all; attachments are links below the text."""
        texts = [reply.text, *(one.url for one in reply.attachments)]
        asked: dict[str, Any] = {"chat_id": reply.conversation_id, "text": "\n".join(filter(None, texts))}
        if reply.reply_to and reply.reply_to.isdecimal():
            asked["reply_parameters"] = {
                "message_id": int(reply.reply_to),
                "allow_sending_without_reply": True,
            }
        sent = await self._call("sendMessage", asked)
        return Delivery(messenger_message_id=str(sent["message_id"]))

    async def events(self) -> AsyncGenerator[Event, None]:
        """Poll. What has not been stored is given again after a restart: the next offset confirms it."""
        while True:
            asked = {"offset": self._offset, "timeout": POLL_SECONDS, "allowed_updates": ["message"]}
            for update in await self._call("getUpdates", asked):
                said = _message(update["message"]) if "message" in update else None
                if said and (said.text or said.attachments):  # and not that a title was changed
                    yield said
                    if identification := _identification(update["message"]):
                        yield identification
                self._offset = update["update_id"] + 1

    async def check(self) -> None:
        """Whether the token is good, and Telegram there."""
        await self._call("getMe", {})

    async def _call(self, method: str, asked: dict[str, Any]) -> Any:
        while True:
            try:
                response = await self._client.post(self._url + method, json=asked)
                answer = response.json()
            except (httpx.HTTPError, ValueError) as error:
                # The error's own text has the address, and with it the token.
                raise Offline("network", f"{method}: {type(error).__name__}") from None
            if answer.get("ok"):
                return answer["result"]
            code, why = answer.get("error_code", response.status_code), answer.get("description", "")
            match code:
                case 401 | 404:  # of a token that is none, the API says that there is no such method
                    raise Offline("token_revoked", why)
                case 429:
                    wait = answer.get("parameters", {}).get("retry_after", 1)
                    if wait > PATIENCE_SECONDS:
                        raise Offline("rate_limited", why)
                    await anyio.sleep(wait)
                case 403:
                    raise NotDelivered("blocked", why)
                case 400 if method == "sendMessage":
                    raise NotDelivered("refused", why)
                case _:  # 409 of another program that polls, 5xx
                    raise Offline("other", f"{method}: {code} {why}")


def _message(said: dict[str, Any]) -> Message:
    chat, sender, replied = said["chat"], said.get("from", {}), said.get("reply_to_message")
    names = (sender.get("first_name"), sender.get("last_name"))
    return Message(
        conversation_id=str(chat["id"]),
        message_id=str(said["message_id"]),
        direction="in",
        sent_at=datetime.fromtimestamp(said["date"], UTC).isoformat(),
        sender=Sender(
            id=str(sender.get("id", chat["id"])),
            name=" ".join(filter(None, names)) or None,
            username=sender.get("username"),
        ),
        conversation=Conversation(
            kind="direct" if chat["type"] == "private" else "group", title=chat.get("title")
        ),
        text=said.get("text") or said.get("caption"),
        attachments=_attachments(said),
        reply_to=str(replied["message_id"]) if replied else None,
    )


def _attachments(said: dict[str, Any]) -> list[Attachment]:
    """Files by their ids: a link to one has the token in it."""
    found = []
    for name, kind in FILES.items():
        if file := said.get(name):
            largest = file[-1] if isinstance(file, list) else file
            found.append(
                Attachment(
                    kind=kind,
                    name=largest.get("file_name"),
                    mime_type=largest.get("mime_type"),
                    size=largest.get("file_size"),
                    data={"fileId": largest["file_id"]},
                )
            )
    if card := said.get("contact"):
        found.append(Attachment(kind="contact", name=card.get("first_name"), data=card))
    if place := said.get("location"):
        found.append(
            Attachment(kind="location", data={"latitude": place["latitude"], "longitude": place["longitude"]})
        )
    return found


def _identification(said: dict[str, Any]) -> Identification | None:
    """The number that somebody shared, if it is their own."""
    contact = said.get("contact")
    if not contact or contact.get("user_id") != said.get("from", {}).get("id"):
        return None
    number = contact["phone_number"]
    return Identification(
        conversation_id=str(said["chat"]["id"]),
        evidence=[Evidence(kind="phone", value=number if number.startswith("+") else f"+{number}")],
    )


def main() -> None:
    """Run it with what the command line and the environment say."""
    parser = argparse.ArgumentParser(description="A bridge to Telegram.")
    parser.add_argument("--api", default=API, help="the address of another Bot API server")
    given = parser.parse_args()
    logging.basicConfig(level=logging.INFO)
    logging.getLogger("httpx").setLevel(logging.WARNING)  # it tells addresses, and these have the token
    bridge = TelegramBridge(os.environ["TELEGRAM_TOKEN"], given.api)
    run_as_program(bridge, os.environ["SVC_URL"], os.environ["SVC_CHANNEL_KEY"])


if __name__ == "__main__":
    main()
