"""`tool.*`: finding the tool for a task, among all that there are."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Annotated, Any, Final

from svc.domain.errors import Forbidden
from svc.domain.identity.callers import Call, Caller, permit
from svc.domain.limits import (
    NEAR_NAMES_MAX,
    TOOL_QUERY_CHARS_MAX,
    TOOLS_DESCRIBED_MAX,
    TOOLS_FOUND,
    TOOLS_FOUND_MAX,
)
from svc.storage.store import View
from svc.tools.finding import vocabulary
from svc.tools.finding.ranking import Document, Ranking
from svc.tools.registry import Registry
from svc.tools.schemas import Schemas, schemas_of
from svc.tools.tool import Effect, Tool, ToolInput, ToolOutput, about, reads

_Schema = Annotated[dict[str, Any], about(description="JSON Schema 2020-12.")]


class ToolAnswer(ToolOutput, frozen=True, kw_only=True):
    """A tool, with all that is needed to call it."""

    name: str
    description: str
    effect: Effect
    input_schema: _Schema
    output_schema: _Schema
    refusal: Annotated[str | None, about(description="Why you may not call it; null where you may.")] = None


class RefusedTool(ToolOutput, frozen=True, kw_only=True):
    """A tool that fits and that the caller may not call."""

    name: str
    summary: str
    refusal: str


class UnknownName(ToolOutput, frozen=True, kw_only=True):
    """A name that is no tool's."""

    name: str
    nearest: tuple[str, ...]


class SearchTools(ToolInput, frozen=True, kw_only=True):
    """What a tool is wanted for."""

    query: Annotated[
        str,
        about(
            description="What you want to do, in a plain sentence.",
            min_length=1,
            max_length=TOOL_QUERY_CHARS_MAX,
        ),
    ]
    limit: Annotated[int, about(description="How many tools at most.", ge=1, le=TOOLS_FOUND_MAX)] = (
        TOOLS_FOUND
    )


class FoundTools(ToolOutput, frozen=True, kw_only=True):
    """The tools that fit, the best first."""

    tools: tuple[ToolAnswer, ...]
    refused: Annotated[
        tuple[RefusedTool, ...], about(description="Tools that fit as well and that you may not call.")
    ]


class DescribeTools(ToolInput, frozen=True, kw_only=True):
    """Which tools to describe."""

    names: Annotated[
        tuple[str, ...],
        about(description="Names with dots or underscores.", min_length=1, max_length=TOOLS_DESCRIBED_MAX),
    ]


class DescribedTools(ToolOutput, frozen=True, kw_only=True):
    """The tools that were asked for."""

    tools: tuple[ToolAnswer, ...]
    unknown: tuple[UnknownName, ...]


_ANSWER: Final = ToolAnswer(
    name="record.get",
    description="Show a record.",
    effect="reads",
    input_schema={"type": "object"},
    output_schema={"type": "object"},
)
_FOUND: Final = FoundTools(tools=(_ANSWER,), refused=())
_DESCRIBED: Final = DescribedTools(tools=(_ANSWER,), unknown=())


class Finder:
    """Finds *tools* by what they are for, and by names that are nearly theirs."""

    def __init__(self, tools: Iterable[Tool[Any, Any]]) -> None:
        self.registry: Final = Registry((*tools, *self._own_tools()))
        """The tools, and the two that find them."""
        self.schemas: Final = {one.name: schemas_of(one) for one in self.registry.values()}

    @cached_property
    def _ranking(self) -> Ranking:
        """Made when somebody searches first."""
        return Ranking({name: document_of(self.registry[name], one) for name, one in self.schemas.items()})

    def rank(self, sentence: str) -> list[str]:
        """The names of the tools that *sentence* has words of, the best first, whoever may call them."""
        return self._ranking.rank(sentence)

    def search(self, caller: Caller, query: str, limit: int) -> FoundTools:
        """The *limit* tools that fit *query* best, without those that *caller* may not call: these apart.

        Names that go away are not told to anybody who does not know them.
        """
        tools: list[ToolAnswer] = []
        refused: list[RefusedTool] = []
        for name in self.rank(query):
            found = self.registry[name]
            if found.deprecated is not None:
                continue
            refusal = refusal_of(caller, found)
            if refusal is None:
                tools.append(self._answer(found))
            elif len(refused) < limit:
                refused.append(RefusedTool(name=name, summary=found.summary, refusal=refusal))
            if len(tools) == limit:
                break
        return FoundTools(tools=tuple(tools), refused=tuple(refused))

    def describe(self, caller: Caller, names: Iterable[str]) -> DescribedTools:
        """The tools of those *names*; for a name that is not known, the nearest ones."""
        tools: dict[str, ToolAnswer] = {}
        unknown: dict[str, UnknownName] = {}
        for name in names:
            found = self.registry.named(name)
            if found is None:
                unknown[name] = UnknownName(name=name, nearest=tuple(self.nearest(name)))
            else:
                tools[found.name] = self._answer(found, refusal_of(caller, found))
        return DescribedTools(tools=tuple(tools.values()), unknown=tuple(unknown.values()))

    def nearest(self, name: str) -> Sequence[str]:
        """The names that *name* is nearly, or else those of the tools that its words fit."""
        words = name[:TOOL_QUERY_CHARS_MAX].replace(".", " ").replace("_", " ")
        return self.registry.nearest(name) or self.rank(words)[:NEAR_NAMES_MAX]

    def _own_tools(self) -> Iterator[Tool[Any, Any]]:
        @reads("tool.search", example=SearchTools(query="Add a new customer"), answer=_FOUND)
        def search(_view: View, call: Call, asked: SearchTools) -> FoundTools:
            """Find out which tools do a task, by a plain sentence about it.

            Which functions there are, and how to call them: the answer has the full schemas of the tools, so
            that they can be called right away.
            """
            return self.search(call.caller, asked.query, asked.limit)

        @reads("tool.describe", example=DescribeTools(names=("record.get",)), answer=_DESCRIBED)
        def describe(_view: View, call: Call, asked: DescribeTools) -> DescribedTools:
            """Show what tools do, and the schemas of what they take and answer.

            For a name that is not known, the nearest ones are told.
            """
            return self.describe(call.caller, asked.names)

        yield from (search, describe)

    def _answer(self, found: Tool[Any, Any], refusal: str | None = None) -> ToolAnswer:
        schemas = self.schemas[found.name]
        return ToolAnswer(
            name=found.name,
            description=found.description,
            effect=found.effect,
            input_schema=schemas.input,
            output_schema=schemas.output,
            refusal=refusal,
        )


def refusal_of(caller: Caller, one: Tool[Any, Any]) -> str | None:
    """Why *caller* may not call that tool; None for who may."""
    try:
        permit(caller, one.name, needs=one.needs, own=one.own, runs=one.runs)
    except Forbidden as refusal:
        return str(refusal)
    return None


def document_of(one: Tool[Any, Any], schemas: Schemas) -> Document:
    """What a search looks at of a tool: its name, the words that people use for it, and its description."""
    rest = one.description.removeprefix(one.summary)
    noun, verb = vocabulary.words_for(one.name)
    return Document(
        name=one.name,
        noun=noun,
        verb=verb,
        summary=one.summary,
        description=rest,
        properties=" ".join(_property_texts(schemas.input)),
    )


def _property_texts(schema: dict[str, Any]) -> Iterator[str]:
    """The names and the descriptions of properties, of whatever depth."""
    for name, one in schema.get("properties", {}).items():
        yield name
        yield one.get("description", "")
        yield from _property_texts(one)
    below = [*schema.get("anyOf", ()), *schema.get("$defs", {}).values()]
    if "items" in schema:
        below.append(schema["items"])
    for one in below:
        yield from _property_texts(one)
