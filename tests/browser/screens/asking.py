"""An agent for tests of screens: it asks for whatever a stranger tells it to, by the demo's model."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any

import httpx

from tests.browser.places import Service


class Asking:
    """The owner's calls, and a stranger's messages to the demo's messenger."""

    def __init__(self, service: Service, client: httpx.Client) -> None:
        self._client = client
        self._numbers = count()
        facts = service.facts
        answer = client.post(
            "/app/api/sign-in",
            json={"email": facts["owner"]["email"], "password": facts["owner"]["password"]},
        )
        client.headers["X-CSRF-Token"] = answer.json()["csrfToken"]
        self.connection: str = facts["pullConnection"]["id"]
        self.connection_name: str = self.tool("connection.get", id=self.connection)["name"]
        self._channel_key: str = facts["pullConnection"]["channelKey"]

    def tool(self, name: str, **asked: Any) -> Any:
        """The answer of a tool to the owner."""
        answer = self._client.post(f"/app/api/tools/{name}", json=asked)
        assert 200 == answer.status_code, answer.text
        return answer.json()

    def refusal(self, name: str, **asked: Any) -> str:
        """The code of the problem that a tool answers."""
        answer = self._client.post(f"/app/api/tools/{name}", json=asked)
        return str(answer.json()["code"])

    def say(self, chat: str, text: str, name: str = "Robin") -> str:
        """A stranger's message; the id of its conversation."""
        message = {
            "conversationId": f"asking-{chat}",
            "messageId": f"asking-{next(self._numbers)}",
            "direction": "in",
            "sender": {"name": name},
            "text": text,
        }
        headers = {"Authorization": f"Bearer {self._channel_key}"}
        answer = self._client.post("/api/channels/v1/channel.message.receive", json=message, headers=headers)
        assert 200 == answer.status_code, answer.text
        return str(answer.json()["conversation"])

    def waiting(self) -> int:
        """How many approvals wait."""
        return int(self.tool("approval.list", limit=1)["waiting"])

    def waiting_ids(self) -> set[str]:
        """The ids of the newest approvals that wait."""
        return {card["id"] for card in self.tool("approval.list", ended=False)["approvals"]}


@contextmanager
def asking_agent(service: Service, tools: Sequence[str]) -> Iterator[Asking]:
    """The agent is on, with these *tools*, until the end of the block."""
    with httpx.Client(base_url=service.url, timeout=20) as client:
        asking = Asking(service, client)
        how = {"connectionId": asking.connection, "model": "demo-echo", "role": "admin"}
        asking.tool("agent.set", **how, enabled=True, tools=list(tools))
        yield asking
        asking.tool("agent.set", **how, enabled=False)
