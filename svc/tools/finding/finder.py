"""`tool.*`: finding the tool for a task, among all that there are."""

from collections.abc import Sequence
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
from svc.tools.registry import Registry, registry_of
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
    """The task that a tool is searched for."""

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


class ToolMatches(ToolOutput, frozen=True, kw_only=True):
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
_FOUND: Final = ToolMatches(tools=(_ANSWER,), refused=())
_DESCRIBED: Final = DescribedTools(tools=(_ANSWER,), unknown=())


@reads("tool.search", example=SearchTools(query="Add a new customer"), answer=_FOUND)
def search(view: View, call: Call, request: SearchTools) -> ToolMatches:  # noqa: ARG001  # every tool's
    """Find out which tools do a task, by a plain sentence about it.

    Which functions there are, and how to call them: the answer has the full schemas of the tools, so
    that they can be called right away.
    """
    registry = registry_of(call)
    tools: list[ToolAnswer] = []
    refused: list[RefusedTool] = []
    for name in registry.rank(request.query):
        tool = registry[name]
        refusal = refusal_of(call.caller, tool)
        if refusal is None:
            tools.append(_answer(registry, tool))
        elif len(refused) < request.limit:
            refused.append(RefusedTool(name=name, summary=tool.summary, refusal=refusal))
        if len(tools) == request.limit:
            break
    return ToolMatches(tools=tuple(tools), refused=tuple(refused))


@reads("tool.describe", example=DescribeTools(names=("record.get",)), answer=_DESCRIBED)
def describe(view: View, call: Call, request: DescribeTools) -> DescribedTools:  # noqa: ARG001  # every tool's
    """Show what tools do, and the schemas of what they take and answer.

    An unknown name is answered with the nearest ones.
    """
    registry = registry_of(call)
    tools: dict[str, ToolAnswer] = {}
    unknown: dict[str, UnknownName] = {}
    for name in request.names:
        tool = registry.named(name)
        if tool is None:
            unknown[name] = UnknownName(name=name, nearest=tuple(nearest(registry, name)))
        else:
            tools[tool.name] = _answer(registry, tool, refusal_of(call.caller, tool))
    return DescribedTools(tools=tuple(tools.values()), unknown=tuple(unknown.values()))


def nearest(registry: Registry, name: str) -> Sequence[str]:
    """The names closest to *name*, or else those of the tools that share its words."""
    words = name[:TOOL_QUERY_CHARS_MAX].replace(".", " ").replace("_", " ")
    return registry.nearest(name) or registry.rank(words)[:NEAR_NAMES_MAX]


def refusal_of(caller: Caller, tool: Tool[Any, Any]) -> str | None:
    """Why *caller* may not call *tool*; None if it may."""
    try:
        permit(
            caller, tool.name, needs=tool.needs, own=tool.own, runs=tool.runs, reads=tool.effect == "reads"
        )
    except Forbidden as error:
        return str(error)
    return None


def _answer(registry: Registry, tool: Tool[Any, Any], refusal: str | None = None) -> ToolAnswer:
    schemas = registry.schemas[tool.name]
    return ToolAnswer(
        name=tool.name,
        description=tool.description if tool.notice is None else f"{tool.notice}\n\n{tool.description}",
        effect=tool.effect,
        input_schema=schemas.input,
        output_schema=schemas.output,
        refusal=refusal,
    )
