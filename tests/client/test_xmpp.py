"""From end to end: a customer, an XMPP server, the bridge, the service, and the team that answers."""

import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import anyio.to_thread
import pytest

from examples.bridges.xmpp import DISCO, PING, XmppBridge
from svc.client import Delivery, Event, NotDelivered, Offline, Reply, StatusReport, run_bridge
from tests.client.live import Live, live, wait_for
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


def test_the_program_runs_until_it_is_told_to_stop(service: Live, server: Prosody):
    """As the documentation has it started; a signal ends it in peace."""
    program = Path(__file__).parents[2] / "examples" / "bridges" / "xmpp.py"
    told = {"SVC_URL": service.url, "SVC_CHANNEL_KEY": service.channel_key, "XMPP_SECRET": SECRET}

    async def write() -> dict[str, Any]:
        async with service.team() as team:
            customer = await Customer.sign_in(server)
            number = 0

            async def look() -> Any:
                nonlocal number
                number += 1  # until the component is there, they come back
                await customer.write("Anybody there?", f"m-{number}")
                return await team.conversations()

            found = await wait_for(look, bool)
            await customer.aclose()
            return dict(found[0])

    with subprocess.Popen(
        [sys.executable, program, "shop.localhost", "--server", f"127.0.0.1:{server.component_port}"],
        env=os.environ | told | {"PYTHONPATH": str(program.parents[2])},
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        conversation = anyio.run(write)
        process.terminate()
        _, said = process.communicate(timeout=60)

    assert "ada@localhost" == conversation["externalId"]
    assert 0 == process.returncode, said
    assert "stopping" in said
    assert service.channel_key not in said


@asynccontextmanager
async def connected(server: Prosody, secret: str = SECRET) -> AsyncIterator[tuple[XmppBridge, list[Event]]]:
    """A bridge without a service: what it yields is kept."""
    bridge = XmppBridge("127.0.0.1", server.component_port, "shop.localhost", secret)
    yielded: list[Event] = []

    async def listen() -> None:
        async with aclosing(bridge.events()) as events:
            async for event in events:
                yielded.append(event)  # noqa: PERF401  # as they come

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(listen)
        yield bridge, yielded
        tasks.cancel_scope.cancel()


def reply_to(conversation: str, text: str | None = "Hello") -> Reply:
    return Reply(reply_id="rpl_1", conversation_id=conversation, text=text)


async def test_what_comes_back_has_failed(server: Prosody):
    """The server says that there is no such user, in words of its own."""
    async with connected(server) as (bridge, yielded):
        sent = await bridge.deliver(reply_to("nobody@localhost"))
        while not yielded:
            await anyio.lowlevel.checkpoint()

    assert Delivery(messenger_message_id="rpl_1") == sent
    [report] = yielded
    assert isinstance(report, StatusReport)
    assert ("rpl_1", "failed") == (report.reply_id, report.status)
    assert report.error is not None
    assert "service-unavailable" == report.error.code


async def test_nothing_is_not_sent(server: Prosody):
    """A reply without a text and a link would be an empty message."""
    async with connected(server) as (bridge, _):
        with pytest.raises(NotDelivered, match="nothing_to_say"):
            await bridge.deliver(reply_to("ada@localhost", text=None))


async def test_a_wrong_secret_is_a_revoked_token(server: Prosody):
    """The server ends the stream, and the connection is offline for that reason."""
    bridge = XmppBridge("127.0.0.1", server.component_port, "shop.localhost", "another")
    with pytest.raises(Offline) as raised:
        await anext(bridge.events())

    assert "token_revoked" == raised.value.reason


async def test_without_a_server_it_is_offline(tmp_path: Path):
    """Whatever it is asked, also when the server goes away while it is at work."""
    with prosody(tmp_path) as server:
        bridge = XmppBridge("127.0.0.1", server.component_port, "shop.localhost", SECRET)
        await bridge.check()
    for asked in (bridge.check, partial(anext, bridge.events())):
        with pytest.raises(Offline) as raised:
            await asked()
        assert "network" == raised.value.reason


async def test_it_notices_that_the_server_ends(tmp_path: Path):
    """The stream breaks off, and so do the events."""
    with prosody(tmp_path) as server:
        bridge = XmppBridge("127.0.0.1", server.component_port, "shop.localhost", SECRET)
        events = bridge.events()
        raised: list[Offline] = []

        async def listen() -> None:
            try:
                async for _ in events:
                    pass
            except Offline as why:
                raised.append(why)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(listen)
            await bridge.deliver(reply_to("nobody@elsewhere"))
            await anyio.to_thread.run_sync(server.process.terminate)

    assert ["network"] == [why.reason for why in raised]
