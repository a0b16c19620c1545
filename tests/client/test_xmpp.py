"""From end to end: a customer, an XMPP server, the bridge, the service, and the team that answers."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest

from examples.bridges.xmpp import DISCO, PING, XmppBridge
from svc.client import run_bridge
from tests.client.live import Live, live
from tests.client.xmpp import DELIVERED, READ, SECRET, Customer, Prosody, prosody


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Prosody]:
    with prosody(tmp_path / "prosody") as running:
        yield running


@pytest.fixture
def service(tmp_path: Path, server: Prosody) -> Iterator[Live]:
    with live(tmp_path, "xmpp") as running:
        yield running


async def talk(service: Live, server: Prosody) -> dict[str, Any]:
    """What a conversation looks like from all sides."""
    stop = anyio.Event()
    bridge = XmppBridge("127.0.0.1", server.component_port, "shop.localhost", SECRET)
    async with service.channel() as channel, service.team() as team, anyio.create_task_group() as tasks:
        tasks.start_soon(partial(run_bridge, bridge, channel, stop=stop))
        customer = await _customer(bridge, server)
        discovered = await customer.ask(DISCO)
        pinged = await customer.ask(PING, "ping")
        unknown = await customer.ask("urn:something:else")

        await customer.write("Do you repair lamps? <b>&", "first")
        receipt = await customer.hear()
        conversation = await team.conversation()
        [asked] = await team.wait_messages(conversation["id"], 1)

        reply = await team.reply(conversation["id"], "We do.\x0b It takes a week.")
        heard = await customer.hear()
        sent = await team.wait_status(conversation["id"], reply, "sent")
        await customer.tell(*DELIVERED, heard.get("id", ""))
        await team.wait_status(conversation["id"], reply, "delivered")
        await customer.tell(*READ, heard.get("id", ""))
        await team.wait_status(conversation["id"], reply, "read")
        await customer.aclose()
        stop.set()
    return {
        "features": len(discovered.findall(f"{{{DISCO}}}query/{{{DISCO}}}feature")),
        "iq": (pinged.get("type"), unknown.get("type")),
        "receipt": [(child.tag, child.get("id")) for child in receipt],
        "with": (conversation["externalId"], conversation["known"]["username"]),
        "asked": (asked["text"], asked["externalId"], asked["direction"]),
        "heard": (heard.findtext("{jabber:client}body"), heard.get("from")),
        "known as": sent["externalId"] == heard.get("id"),
    }


async def _customer(bridge: XmppBridge, server: Prosody) -> Customer:
    with anyio.fail_after(20):
        while bridge._stream is None:
            await bridge._connected.wait()
    return await Customer.sign_in(server)


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_conversation_over_a_real_server(service: Live, server: Prosody, backend: str):
    """What is typed on one side arrives on the other, both ways; delivered and read come back."""
    told = anyio.run(talk, service, server, backend=backend)

    assert {
        "features": 4,
        "iq": ("result", "error"),
        "receipt": [("{urn:xmpp:receipts}received", "first")],
        "with": ("ada@localhost", "ada@localhost"),
        "asked": ("Do you repair lamps? <b>&", "first", "in"),
        "heard": ("We do. It takes a week.", "office@shop.localhost"),
        "known as": True,
    } == told
