"""The kit over real sockets, on both event loops, against a service that is cut off and comes back."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from svc.client import PushReceiver, Refused, StatusReport, run_bridge
from tests.client.edges import Messenger, message
from tests.client.live import Live, live, wait_for
from tests.http.serving import listening


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Live]:
    with live(tmp_path) as running:
        yield running


async def through_a_power_cut(service: Live) -> tuple[list[str], list[str | None], str]:
    """Texts that came in, texts that went out, and the last status, with the service killed between."""
    messenger, stop = Messenger(), anyio.Event()
    async with service.channel() as channel, service.team() as team, anyio.create_task_group() as tasks:

        async def run() -> None:
            await run_bridge(messenger, channel, stop=stop)

        tasks.start_soon(run)
        messenger.happens(message(1))
        conversation = (await team.conversation())["id"]
        await team.reply(conversation, "The first")
        await _wait_sent(messenger, 1)

        await anyio.to_thread.run_sync(service.kill)
        messenger.happens(message(2), message(3))
        await anyio.to_thread.run_sync(service.start)

        await team.wait_messages(conversation, 4)
        last = await team.reply(conversation, "The second")
        await _wait_sent(messenger, 2)
        await team.wait_status(conversation, last, "sent")
        messenger.happens(StatusReport(reply_id=messenger.sent[-1].reply_id, status="read"))
        read = await team.wait_status(conversation, last, "read")
        said = await team.messages(conversation)
        stop.set()
    messenger.close()
    return [one["text"] for one in said if one["direction"] == "in"], messenger.texts, read["status"]


async def _wait_sent(messenger: Messenger, number: int) -> None:
    async def look() -> int:
        return len(messenger.sent)

    await wait_for(look, lambda sent: sent >= number)


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_power_cut_loses_nothing_and_doubles_nothing(service: Live, backend: str):
    """What happens meanwhile is stored afterwards, in its order, and replies go out once."""
    came, went, status = anyio.run(through_a_power_cut, service, backend=backend)

    assert ["Message 1", "Message 2", "Message 3"] == came
    assert (["The first", "The second"], "read") == (went, status)


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_key_that_is_none_ends_it(service: Live, backend: str):
    """With the one answer that such keys get."""

    async def main() -> int:
        service.channel_key = "ck_live_nobodys"
        messenger = Messenger()
        async with service.channel() as channel:
            with pytest.raises(Refused) as raised:
                await run_bridge(messenger, channel)
        messenger.close()
        return raised.value.status

    assert 401 == anyio.run(main, backend=backend)


BRIDGE = """
import sys
import anyio
from svc.client import Bridge, Offline, run_as_program

class Silent(Bridge):
    async def deliver(self, reply):
        raise Offline("network")

    async def events(self):
        await anyio.sleep_forever()
        yield

run_as_program(Silent(), *sys.argv[1:])
"""


@pytest.mark.parametrize("key", ["ck_live_nobodys", "no\nkey"])
def test_a_program_with_a_wrong_key_ends_with_a_line(service: Live, key: str):
    """It says what to do, and has exit code 1; no traceback."""
    ended = subprocess.run(
        [sys.executable, "-c", BRIDGE, service.url, key], capture_output=True, text=True, check=False
    )

    assert 1 == ended.returncode
    assert 1 == len(ended.stderr.splitlines()), ended.stderr
    assert ended.stderr.startswith("the bridge cannot run: ")


async def test_pushes_arrive_over_a_real_server(service: Live):
    """Signed by the service, checked by the kit, and `Send test` is answered."""
    receiver = PushReceiver([])
    messenger, stop = Messenger(), anyio.Event()
    async with listening(receiver) as server:
        url = f"http://127.0.0.1:{server.bind.port}/"
        made = await anyio.to_thread.run_sync(
            lambda: service.connect("other", delivery="push", url=url, name="By push")
        )
        receiver.renew(made["signingSecret"])
        async with service.channel() as channel, service.team() as team, anyio.create_task_group() as tasks:

            async def run() -> None:
                await run_bridge(messenger, channel, receiver=receiver, stop=stop)

            tasks.start_soon(run)
            messenger.happens(message(1))
            conversation = (await team.conversation())["id"]
            written = await team.reply(conversation, "By push")
            sent = await team.wait_status(conversation, written, "sent")
            tested = await team.test()
            stop.set()
    messenger.close()

    assert (["By push"], "there-1", 204) == (messenger.texts, sent["externalId"], tested)
