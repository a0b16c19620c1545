"""Finding tools: by a plain sentence, by a name that is nearly right."""

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from svc.domain.errors import PersonOnly
from svc.domain.identity.callers import Call, Installation
from svc.domain.limits import TOOL_QUERY_CHARS_MAX, TOOLS_DESCRIBED_MAX, TOOLS_FOUND
from svc.storage.store import View
from svc.tools.catalogue import REGISTRY
from svc.tools.finding import finder
from svc.tools.finding.finder import DescribeTools, SearchTools, ToolMatches
from svc.tools.registry import Registry
from svc.tools.tool import reads
from tests.mcp.asking import mcp_town
from tests.mcp.test_lists import a_key

SENTENCES = Path(__file__).with_name("sentences.toml")
RECALL_MIN = 0.95
SENTENCES_MIN = 80


def sentences() -> Iterator[tuple[str, str]]:
    """Each sentence with its tool."""
    for tools in tomllib.loads(SENTENCES.read_text("utf-8")).values():
        yield from ((sentence, name) for name, several in tools.items() for sentence in several)


def test_every_tool_has_sentences():
    """So that a new tool comes with the sentences in which people ask for it."""
    asked = [name for _, name in sentences()]

    assert {name for name, tool in REGISTRY.items() if not tool.deprecated} <= set(asked)
    assert SENTENCES_MIN <= len(asked)


def test_a_plain_sentence_finds_its_tool():
    """Of all sentences whose tools are there at least 95 in 100 have it among the first five."""
    asked = [(sentence, name) for sentence, name in sentences() if name in REGISTRY]
    missed = [
        (sentence, name) for sentence, name in asked if name not in REGISTRY.rank(sentence)[:TOOLS_FOUND]
    ]

    assert RECALL_MIN <= 1 - len(missed) / len(asked), missed


async def test_what_is_found_can_be_called_right_away(autojump_clock):
    """It comes with its schemas, and is the same through every door."""
    async with mcp_town() as here:
        asked = {"query": "Add Ada as a new customer", "limit": 3}
        by_api = await here.answer("tool.search", asked)
        by_mcp = (await here.use("tool_search", asked))["structuredContent"]

        [found] = [one for one in by_api["tools"] if one["name"] == "record.create"]
        assert by_api == by_mcp
        assert {"objectType", "properties"} == set(found["inputSchema"]["properties"])
        assert "id" in found["outputSchema"]["properties"]
        assert len(by_api["tools"]) <= 3


async def test_what_the_caller_may_not_call_stands_apart(autojump_clock):
    """With the reason, so that a model tells its user of it and tries no way around."""
    async with mcp_town() as here:
        key = await here.mint(role_id="viewer")
        found = await here.answer("tool.search", {"query": "Add Ada as a new customer"}, key=key)

        assert "record.create" not in [one["name"] for one in found["tools"]]
        assert ("record.create", "record.create needs the permission records.write") in [
            (one["name"], one["refusal"]) for one in found["refused"]
        ]


async def test_the_narrowest_key_finds_tools(autojump_clock):
    """Whatever it is narrowed to; the rest is listed as refused."""
    async with mcp_town() as here:
        key = await here.mint(tools=("record.get",))
        found = await here.answer("tool.search", {"query": "Show a record, or create one"}, key=key)

        assert "record.get" in [one["name"] for one in found["tools"]]
        assert "record.create" in [one["name"] for one in found["refused"]]


async def test_tools_are_described_by_name(autojump_clock):
    """With dots or underscores, each once; for an unknown name the nearest are listed."""
    async with mcp_town() as here:
        names = ["record.get", "record_get", "record.gett", "qqqq"]
        told = await here.answer("tool.describe", {"names": names})

        assert ["record.get"] == [one["name"] for one in told["tools"]]
        assert {"record.gett", "qqqq"} == {one["name"] for one in told["unknown"]}
        [near] = [one["nearest"] for one in told["unknown"] if one["name"] == "record.gett"]
        assert "record.get" == near[0]


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("tool.search", {}),
        ("tool.search", {"query": ""}),
        ("tool.search", {"query": "a" * (TOOL_QUERY_CHARS_MAX + 1)}),
        ("tool.search", {"query": "a", "limit": 0}),
        ("tool.search", {"query": "a", "limit": 11}),
        ("tool.describe", {"names": []}),
        ("tool.describe", {"names": ["a"] * (TOOLS_DESCRIBED_MAX + 1)}),
    ],
)
async def test_what_is_asked_has_bounds(name, body, autojump_clock):
    """Outside of them it is 422."""
    async with mcp_town() as here:
        assert 422 == (await here.call(name, body)).status_code


def test_a_tool_for_people_is_refused_with_its_reason() -> None:
    """As it would be if it were called."""

    @reads(
        "thing.mint",
        runs="person",
        example=SearchTools(query="a"),
        answer=ToolMatches(tools=(), refused=()),
    )
    def mint(view: View, call: Call, request: SearchTools) -> ToolMatches:
        """Mint a thing."""
        raise NotImplementedError

    call = Call(caller=a_key(), door="mcp", installation=Installation(registry=Registry([mint])))
    found = finder.search(None, call, SearchTools(query="mint a thing"))
    told = finder.describe(None, call, DescribeTools(names=("thing_mint",)))

    assert [("thing.mint", "only a person may run thing.mint")] == [
        (one.name, one.refusal) for one in found.refused
    ]
    assert ["only a person may run thing.mint"] == [one.refusal for one in told.tools]
    assert "person_only" == PersonOnly.code
