"""The bridge in the documentation, as it stands there."""

import json
import re
from pathlib import Path
from typing import Any

import httpx
import trio

from svc.client import run_bridge
from svc.storage.channels import tables as channel_tables
from tests.channels import channel_town
from tests.client.edges import channel_of

PAGE = Path(__file__).parents[2] / "docs" / "bridges.md"


class PigeonPost(httpx.AsyncBaseTransport):
    """The messenger of the example."""

    def __init__(self) -> None:
        self.letters: list[Any] = []
        self.news = [
            {"number": 1, "kind": "letter", "from": "ada", "id": "l-1", "name": "Ada", "text": "Hello"}
        ]

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await request.aread()
        if request.method == "GET":
            await trio.sleep(1)
            after = int(request.url.params["after"])
            return httpx.Response(200, json=[one for one in self.news if int(str(one["number"])) > after])
        letter = json.loads(request.content)
        if letter["text"] == "Nobody":
            return httpx.Response(410)
        self.letters.append(letter)
        self.news.append({"number": 2, "kind": "read", "key": letter["key"]})
        return httpx.Response(200, json={"id": "l-2"})


def example() -> tuple[str, dict[str, Any]]:
    """The program, and what it defines."""
    [program] = re.findall(r'```python\n(""".*?)```', PAGE.read_text(), re.DOTALL)
    names: dict[str, Any] = {"__name__": "pigeon"}
    exec(compile(program, str(PAGE), "exec"), names)  # noqa: S102  # our own page
    return program, names


async def test_the_bridge_in_the_docs_runs(autojump_clock):
    """Both ways, with what was read, and with a failure that is reported."""
    post = PigeonPost()
    _, names = example()
    async with (
        channel_town() as here,
        channel_of(here) as (channel, _),
        httpx.AsyncClient(transport=post, base_url="https://pigeon.example") as client,
        trio.open_nursery() as nursery,
    ):
        nursery.start_soon(run_bridge, names["Pigeon"](client), channel)
        await here.write_reply("ada", "Good morning")
        await here.write_reply("bob", "Nobody")
        await trio.sleep(5)
        states = [row.state for row in await here.rows(channel_tables.replies)]
        texts = [row.text for row in await here.rows(channel_tables.messages, direction="in")]
        nursery.cancel_scope.cancel()

    assert (["Good morning"], ["read", "failed"], ["Hello"]) == (
        [letter["text"] for letter in post.letters],
        states,
        texts,
    )


def test_it_is_as_short_as_the_page_says():
    """Fifty lines that say something."""
    program, _ = example()

    assert 50 >= len([line for line in program.splitlines() if line.strip()])
