"""A bridge to XMPP: an external component (XEP-0114) beside any server, such as prosody or ejabberd.

    export SVC_URL=https://svc.example.com SVC_CHANNEL_KEY=ck_live_… XMPP_SECRET=…
    python xmpp.py shop.example.com --server 127.0.0.1:5347

Whoever writes to `office@shop.example.com` writes to the organization. *Delivered* comes by receipts
(XEP-0184) and *read* by chat markers (XEP-0333). A reply's id is its stanza's, so that a client can tell one
that is sent again after a crash.
"""

import argparse
import hashlib
import logging
import os
import re
import uuid
from collections.abc import AsyncGenerator
from datetime import datetime
from typing import Any, Final
from xml.etree.ElementTree import Element, ParseError, SubElement, XMLPullParser, tostring

import anyio
import anyio.abc

from svc.client import (
    Attachment,
    Bridge,
    Conversation,
    Delivery,
    DeliveryError,
    Event,
    Message,
    NotDelivered,
    Offline,
    Reply,
    Sender,
    StatusReport,
    run_as_program,
)

COMPONENT: Final = "jabber:component:accept"
RECEIPTS: Final = "urn:xmpp:receipts"
MARKERS: Final = "urn:xmpp:chat-markers:0"
PING: Final = "urn:xmpp:ping"
DISCO: Final = "http://jabber.org/protocol/disco#info"
STANZAS: Final = "urn:ietf:params:xml:ns:xmpp-stanzas"
STREAMS: Final = "http://etherx.jabber.org/streams"

ANSWER_SECONDS: Final = 10.0
ID_CHARS_MAX: Final = 255
NOT_IN_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
STATUSES: Final = {
    f"{{{RECEIPTS}}}received": "delivered",
    f"{{{MARKERS}}}received": "delivered",
    f"{{{MARKERS}}}displayed": "read",
    f"{{{MARKERS}}}acknowledged": "read",
}
BROKEN: Final = (OSError, ParseError, anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError)


class XmlStream:
    """Stanzas over a connection. One task may receive and any number send."""

    def __init__(self, connection: anyio.abc.ByteStream, namespace: str) -> None:
        self._connection = connection
        self._namespace = namespace
        self._sending = anyio.Lock()
        self._parser: Any
        self._depth = 0

    async def open(self, to: str, **more: str) -> str:
        """Begin a stream, and return the id that the other side gave it."""
        self._parser, self._depth = XMLPullParser(("start", "end")), 0
        header = {"xmlns": self._namespace, "xmlns:stream": STREAMS, "to": to} | more
        await self._write(tostring(Element("stream:stream", header)).replace(b" />", b">"))
        self._root = await self._next(0)
        return self._root.get("id", "")

    async def send(self, stanza: Element) -> None:
        await self._write(tostring(stanza))

    async def receive(self) -> Element:
        """The next stanza. Raises one of `BROKEN` at the end."""
        stanza = await self._next(1)
        self._root.clear()  # what was read is not kept
        if stanza.tag == f"{{{STREAMS}}}error":
            raise OSError(f"the server ends the stream: {', '.join(_name(one) for one in stanza)}")
        return stanza

    async def aclose(self) -> None:
        await self._connection.aclose()

    async def _write(self, data: bytes) -> None:
        async with self._sending:
            await self._connection.send(data)

    async def _next(self, depth: int) -> Element:
        """The next element that begins at depth 0 or ends at depth 1."""
        while True:
            for event, element in self._parser.read_events():
                self._depth += 1 if event == "start" else -1
                if event == ("end" if depth else "start") and (not depth or self._depth == depth):
                    found: Element = element
                    return found
            self._parser.feed(await self._connection.receive())


class XmppBridge(Bridge):
    """The component *domain* of the server at *host* and *port*."""

    def __init__(self, host: str, port: int, domain: str, secret: str, *, name: str = "office") -> None:
        self._host = host
        self._port = port
        self._domain = domain
        self._secret = secret
        self._address = f"{name}@{domain}"
        self._stream: XmlStream | None = None
        self._connected = anyio.Event()
        self._pings: dict[str, anyio.Event] = {}

    async def deliver(self, reply: Reply) -> Delivery:
        """Send it, and a ping behind it: a server takes stanzas in their order, so it has both or neither."""
        message = self._message(reply.conversation_id, id=reply.reply_id, type="chat")
        texts = [reply.text, *(one.url for one in reply.attachments)]
        SubElement(message, "body").text = text = NOT_IN_XML.sub("", "\n".join(filter(None, texts)))
        if not text:
            raise NotDelivered("nothing_to_say", "it has no text and no link")
        SubElement(message, "request", xmlns=RECEIPTS)
        SubElement(message, "markable", xmlns=MARKERS)
        ping = Element("iq", {"from": self._address, "to": self._domain.partition(".")[2], "type": "get"})
        ping.set("id", uuid.uuid4().hex)
        SubElement(ping, "ping", xmlns=PING)
        answered = self._pings[ping.get("id", "")] = anyio.Event()
        try:
            with anyio.fail_after(ANSWER_SECONDS):
                while self._stream is None:
                    await self._connected.wait()
                await self._stream.send(message)
                await self._stream.send(ping)
                await answered.wait()
        except (TimeoutError, *BROKEN) as error:
            raise Offline("network", repr(error)) from error
        finally:
            del self._pings[ping.get("id", "")]
        return Delivery(messenger_message_id=reply.reply_id)

    async def events(self) -> AsyncGenerator[Event, None]:
        """Connect, and go on until the connection breaks."""
        stream = await self._open()
        self._stream = stream
        self._connected.set()
        try:
            while True:
                stanza = await stream.receive()
                event = await self._take(stanza)
                if event is not None:
                    yield event
                    await self._tell_received(stanza)
        except BROKEN as error:
            raise Offline("network", repr(error)) from error
        finally:
            self._stream, self._connected = None, anyio.Event()
            with anyio.CancelScope(shield=True):
                await stream.aclose()

    async def check(self) -> None:
        """Whether the server listens, where there is no connection."""
        if self._stream is None:
            try:
                await (await anyio.connect_tcp(self._host, self._port)).aclose()
            except OSError as error:
                raise Offline("network", repr(error)) from error

    async def _open(self) -> XmlStream:
        try:
            connection = await anyio.connect_tcp(self._host, self._port)
        except OSError as error:
            raise Offline("network", repr(error)) from error
        stream = XmlStream(connection, COMPONENT)
        try:
            with anyio.fail_after(ANSWER_SECONDS):
                handshake = Element("handshake")
                opened = await stream.open(self._domain)
                handshake.text = hashlib.sha1(f"{opened}{self._secret}".encode()).hexdigest()  # noqa: S324  # XEP-0114
                await stream.send(handshake)
                await stream.receive()
        except (TimeoutError, *BROKEN) as error:
            with anyio.CancelScope(shield=True):
                await stream.aclose()
            raise Offline(
                "token_revoked" if "not-authorized" in str(error) else "network", repr(error)
            ) from error
        return stream

    async def _take(self, stanza: Element) -> Event | None:
        """What *stanza* says that the service should know."""
        match _name(stanza):
            case "iq":
                await self._answer(stanza)
            case "presence" if stanza.get("type") in {"subscribe", "probe"}:
                if stanza.get("type") == "subscribe":
                    await self._send(Element("presence", self._back(stanza, type="subscribed")))
                await self._send(Element("presence", self._back(stanza)))
            case "message" if stanza.get("type") == "error":
                return _failed(stanza)
            case "message" if stanza.get("type") != "groupchat":
                return _status(stanza) or _said(stanza)
        return None

    async def _answer(self, iq: Element) -> None:
        if iq.get("type") in {"result", "error"}:
            if pinged := self._pings.get(iq.get("id", "")):
                pinged.set()  # an error is an answer as well
            return
        result = Element("iq", self._back(iq, id=iq.get("id", ""), type="result"))
        if (asked := iq.find(f"{{{DISCO}}}query")) is not None and asked.get("node") is None:
            info = SubElement(result, "query", xmlns=DISCO)
            SubElement(info, "identity", category="gateway", type="svc", name="Messages")
            for feature in (DISCO, PING, RECEIPTS, MARKERS):
                SubElement(info, "feature", var=feature)
        elif iq.find(f"{{{PING}}}ping") is None:
            result.set("type", "error")
            error = SubElement(result, "error", type="cancel")
            SubElement(error, "service-unavailable", xmlns=STANZAS)
        await self._send(result)

    async def _tell_received(self, stanza: Element) -> None:
        """Once it is stored, and only then."""
        if stanza.find(f"{{{RECEIPTS}}}request") is not None:
            receipt = self._message(stanza.get("from", ""), type=stanza.get("type", "normal"))
            SubElement(receipt, "received", xmlns=RECEIPTS, id=stanza.get("id", ""))
            await self._send(receipt)

    async def _send(self, stanza: Element) -> None:
        if self._stream is not None:
            await self._stream.send(stanza)

    def _message(self, to: str, **attributes: str) -> Element:
        return Element("message", {"from": self._address, "to": to} | attributes)

    @staticmethod
    def _back(stanza: Element, **attributes: str) -> dict[str, str]:
        return {"from": stanza.get("to", ""), "to": stanza.get("from", "")} | attributes


def _name(element: Element) -> str:
    return element.tag.rpartition("}")[2]


def _status(stanza: Element) -> StatusReport | None:
    """That a reply was received or shown. Nobody but who got it knows its id."""
    for child in stanza:
        match STATUSES.get(child.tag), child.get("id"):
            case ("delivered" | "read") as status, str(reply_id):
                return StatusReport(reply_id=reply_id, status=status)
    return None


def _failed(stanza: Element) -> StatusReport | None:
    """That a reply came back."""
    reply_id, error = stanza.get("id"), stanza.find(f"{{{COMPONENT}}}error")
    if reply_id is None or error is None:
        return None
    names = [_name(one) for one in error if _name(one) != "text"]
    why = DeliveryError(code=next(iter(names), "error"), message=error.findtext(f"{{{STANZAS}}}text"))
    return StatusReport(reply_id=reply_id, status="failed", error=why)


def _said(stanza: Element) -> Message | None:
    """What somebody wrote."""
    text = stanza.findtext(f"{{{COMPONENT}}}body")
    if not text:
        return None
    sender = stanza.get("from", "").partition("/")[0]
    link = stanza.findtext("{jabber:x:oob}x/{jabber:x:oob}url")
    return Message(
        conversation_id=sender,
        message_id=(stanza.get("id") or uuid.uuid4().hex)[:ID_CHARS_MAX],
        direction="in",
        sent_at=_delayed(stanza),
        sender=Sender(
            id=sender, username=sender, name=stanza.findtext("{http://jabber.org/protocol/nick}nick")
        ),
        conversation=Conversation(kind="direct"),
        text=text,
        attachments=[Attachment(kind="file", url=link)] if link else [],
    )


def _delayed(stanza: Element) -> str | None:
    """When it was written, where the server kept it for a while (XEP-0203)."""
    delay = stanza.find("{urn:xmpp:delay}delay")
    try:
        at = datetime.fromisoformat(delay.get("stamp", "") if delay is not None else "")
    except ValueError:
        return None
    return at.isoformat() if at.tzinfo else None


def main() -> None:
    """Run it with what the command line and the environment say."""
    parser = argparse.ArgumentParser(description="A bridge to XMPP.")
    parser.add_argument("domain", help="the component's, a subdomain of the server's")
    parser.add_argument("--server", default="127.0.0.1:5347", metavar="HOST:PORT")
    parser.add_argument("--name", default="office", help="what stands before the @")
    given = parser.parse_args()
    logging.basicConfig(level=logging.INFO)
    host, _, port = given.server.rpartition(":")
    bridge = XmppBridge(host, int(port), given.domain, os.environ["XMPP_SECRET"], name=given.name)
    run_as_program(bridge, os.environ["SVC_URL"], os.environ["SVC_CHANNEL_KEY"])


if __name__ == "__main__":
    main()
