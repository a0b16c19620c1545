"""The service as a process of its own, with a connection for a bridge."""

import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

import anyio
import httpx

from svc.client import Channel, Tools
from tests.forked import Forked

T = TypeVar("T")

POLL_SECONDS: Final = 0.05
WAIT_SECONDS: Final = 20


class Live:
    """A running `svc run --demo`, with a new connection."""

    def __init__(self, directory: Path) -> None:
        self._data = directory / "data"
        self._log = directory / "log"
        self._bind = "127.0.0.1:0"
        self.start()
        self._facts = json.loads((self._data / "demo.json").read_text())
        self.url: str = self._facts["baseUrl"]
        self._bind = self.url.removeprefix("http://")

    def start(self) -> None:
        """Start it, again at the address that it had."""
        command = ["run", "--demo", "--data", str(self._data)]
        command += ["--bind", self._bind, "--operator-bind", "127.0.0.1:0"]
        loopback = {"SVC_OUTGOING__ALLOWED_NETWORKS": "127.0.0.1/32"}
        with self._log.open("a") as stderr:
            self._process = Forked(*command, stderr=stderr, env=os.environ | loopback)
        assert "ready" in self._process.stdout.readline(), self._log.read_text()

    def kill(self) -> None:
        """As when the power is cut."""
        self._process.kill()
        self._process.wait(WAIT_SECONDS)

    def end(self) -> None:
        self._process.terminate()
        self._process.wait(WAIT_SECONDS)
        assert 0 == self._process.returncode, self._log.read_text()

    def connect(self, messenger: str, **asked: str) -> dict[str, Any]:
        """Make a connection, as the owner does; what the answer has is for its bridge."""
        with httpx.Client(base_url=self.url) as owner:
            signed_in = owner.post("/app/api/sign-in", json=self._facts["owner"]).raise_for_status()
            made = owner.post(
                "/app/api/tools/connection.create",
                json={"name": "End to end", "messenger": messenger, "delivery": "pull"} | asked,
                headers={"x-csrf-token": signed_in.json()["csrfToken"]},
            )
        assert 200 == made.status_code, made.text
        self.connection_id: str = made.json()["id"]
        self.channel_key: str = made.json()["channelKey"]
        return dict(made.json())

    def channel(self, **options: Any) -> Channel:
        return Channel(self.url, self.channel_key, **options)

    @asynccontextmanager
    async def team(self) -> AsyncIterator["Team"]:
        async with Tools(self.url, self._facts["apiKey"]) as tools:
            yield Team(tools, self.connection_id)


class Team:
    """The members that answer, with the tools."""

    def __init__(self, tools: Tools, connection_id: str) -> None:
        self._tools = tools
        self._connection_id = connection_id

    async def conversations(self) -> list[dict[str, Any]]:
        """Those of the connection."""
        found = await self._tools.call("conversation.list", {"connectionId": self._connection_id})
        return list(found["conversations"])

    async def conversation(self) -> dict[str, Any]:
        """The only conversation of the connection, once it is there."""
        [conversation] = await wait_for(self.conversations, bool)
        return conversation

    async def test(self) -> int:
        """Send a test, and return what the bridge answered."""
        await self._tools.call("connection.test", {"id": self._connection_id})

        async def look() -> Any:
            return (await self._tools.call("connection.get", {"id": self._connection_id}))["lastTest"]

        tested = await wait_for(look, lambda test: test["doneAt"] is not None)
        return int(tested["statusCode"])

    async def messages(self, conversation_id: str) -> list[dict[str, Any]]:
        """What was said, the oldest first."""
        found = await self._tools.call("message.list", {"conversationId": conversation_id})
        return list(reversed(found["messages"]))

    async def wait_messages(self, conversation_id: str, number: int) -> list[dict[str, Any]]:
        """What was said, once it is as much as that."""
        return await wait_for(lambda: self.messages(conversation_id), lambda found: len(found) >= number)

    async def reply(self, conversation_id: str, text: str) -> str:
        """Write a reply, and return its message's id."""
        written = await self._tools.call("message.reply", {"conversationId": conversation_id, "text": text})
        return str(written["id"])

    async def wait_status(self, conversation_id: str, message_id: str, status: str) -> dict[str, Any]:
        """The message, once its status is that."""

        async def look() -> dict[str, Any]:
            [one] = [one for one in await self.messages(conversation_id) if one["id"] == message_id]
            return one

        return await wait_for(look, lambda one: one["status"] == status)


async def wait_for(look: Callable[[], Awaitable[T]], is_it: Callable[[T], bool]) -> T:
    """What *look* finds, once *is_it* says so. The service is another process, so it is asked again."""
    with anyio.fail_after(WAIT_SECONDS):
        found = await look()
        while not is_it(found):
            await anyio.sleep(POLL_SECONDS)
            found = await look()
        return found


@contextmanager
def live(directory: Path, messenger: str = "other") -> Iterator[Live]:
    """A service in *directory*, on ports that the system chose; it stops as it should."""
    service = Live(directory)
    try:
        service.connect(messenger)
        yield service
    finally:
        service.end()
