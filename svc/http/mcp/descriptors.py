"""Descriptors of tools for `tools/list`, encoded once: the three that find the others, and the flat list."""

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from bisect import bisect_right
from functools import cached_property
from typing import Annotated, Any, Final, NamedTuple

import msgspec

from svc.domain.identity.callers import Caller, Limit
from svc.domain.identity.roles import Permission
from svc.http.mcp.rpc import INVALID_PARAMS, NO_ARGUMENTS, RpcError
from svc.tools.finding.finder import refusal_of
from svc.tools.registry import Registry
from svc.tools.schemas import Schemas, schema_of
from svc.tools.tool import Tool, ToolInput, about

PAGE_TOOLS: Final = 200
"""Tools on one page of the flat list, so that those of nearly every key fit on the first."""
_CALLERS_MAX: Final = 256
"""Kinds of callers whose lists are cached."""

CALL: Final = "tool_call"

_ADDS: Final = frozenset(
    {"create", "create_many", "invite", "mint", "mint_key", "redeliver", "reply", "run", "test"}
)
"""Verbs that are neither destructive nor idempotent."""
_REPEATS: Final = frozenset({"rotate_secret"})
"""Verbs that are destructive and not idempotent."""
_REVERTS: Final = frozenset({"attach", "enable", "reopen", "restore", "resume"})
"""Verbs that are idempotent and not destructive."""


class Annotations(msgspec.Struct, frozen=True, rename="camel"):
    """A tool's hints, which a client may show its user before a call."""

    read_only_hint: bool
    destructive_hint: bool
    idempotent_hint: bool
    open_world_hint: bool = False


class Descriptor(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A tool in the result of `tools/list`."""

    name: str
    title: str
    description: str
    input_schema: dict[str, Any]
    output_schema: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET
    annotations: Annotations | msgspec.UnsetType = msgspec.UNSET


class CallTool(ToolInput, frozen=True, kw_only=True):
    """What `tool_call` takes."""

    name: Annotated[str, about(description="The tool's name, with dots or underscores.")]
    arguments: Annotated[
        msgspec.Raw,
        about(description="What the tool's input schema asks for.", extra_json_schema={"type": "object"}),
    ] = msgspec.field(default_factory=lambda: NO_ARGUMENTS)


class Page(NamedTuple):
    """A page of a list of tools, encoded as JSON."""

    tools: bytes
    next_cursor: str | None


def annotations_of(tool: Tool[Any, Any]) -> Annotations:
    """The hints about *tool*, by its effect and the verb of its name."""
    verb = tool.name.partition(".")[2]
    if tool.effect == "reads":
        return Annotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True)
    return Annotations(
        read_only_hint=False,
        destructive_hint=verb not in _ADDS | _REVERTS,
        idempotent_hint=verb not in _ADDS | _REPEATS,
    )


def descriptor_of(tool: Tool[Any, Any], schemas: Schemas) -> Descriptor:
    """*tool* in the flat list."""
    return Descriptor(
        name=tool.wire_name,
        title=tool.summary.removesuffix("."),
        description=tool.description if tool.notice is None else f"{tool.notice}\n\n{tool.description}",
        input_schema=schemas.input,
        output_schema=schemas.output,
        annotations=annotations_of(tool),
    )


def entries(registry: Registry) -> Page:
    """The three tools that find and call all others."""
    search, describe = (
        descriptor_of(registry[name], registry.schemas[name]) for name in ("tool.search", "tool.describe")
    )
    call = Descriptor(
        name=CALL,
        title="Call a tool",
        description=(
            "Call a tool that tool_search or tool_describe told you of. Its answer is the tool's own answer;"
            " when the tool refuses, the text says what to change."
        ),
        input_schema=schema_of(CallTool),
        annotations=Annotations(read_only_hint=False, destructive_hint=True, idempotent_hint=False),
    )
    return Page(msgspec.json.encode([search, describe, call]), None)


_Kind = tuple[frozenset[Permission], frozenset[str] | None, bool, Limit | None, frozenset[str]]


class FlatList:
    """Every tool that a caller may call, in the order of the names. Old names are in it until they end."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._gone_at = {
            name: tool.deprecated.times.gone_at for name, tool in registry.items() if tool.deprecated
        }
        self._names_by_kind: dict[_Kind, tuple[str, ...]] = {}
        self._pages: dict[tuple[_Kind, str], Page] = {}

    @cached_property
    def _encoded(self) -> dict[str, msgspec.Raw]:
        """Every tool by name, encoded at the first listing: the other path only counts them."""
        return {
            name: msgspec.Raw(msgspec.json.encode(descriptor_of(tool, self._registry.schemas[name])))
            for name, tool in self._registry.items()
        }

    def names(self, caller: Caller, now: int) -> tuple[str, ...]:
        """The names of all tools that *caller* may call at *now*."""
        kind = self._kind_of(caller, now)
        names = self._names_by_kind.get(kind)
        if names is None:
            if len(self._names_by_kind) >= _CALLERS_MAX:
                self._names_by_kind.clear()
                self._pages.clear()
            *_, gone = kind
            names = tuple(
                name
                for name, tool in self._registry.items()
                if name not in gone and refusal_of(caller, tool) is None
            )
            self._names_by_kind[kind] = names
        return names

    def page(self, caller: Caller, cursor: str | None, now: int) -> Page:
        """The page after *cursor*, or the first. Raises `RpcError` if *cursor* is not one of this list."""
        names = self.names(caller, now)
        after = "" if cursor is None else self._read_cursor(cursor)
        key = (self._kind_of(caller, now), after)
        page = self._pages.get(key)
        if page is None:
            start = bisect_right(names, after)
            page_names = names[start : start + PAGE_TOOLS]
            more = start + PAGE_TOOLS < len(names)
            tools = msgspec.json.encode([self._encoded[name] for name in page_names])
            page = self._pages[key] = Page(tools, _cursor(page_names[-1]) if more else None)
        return page

    def _kind_of(self, caller: Caller, now: int) -> _Kind:
        """What decides which tools *caller* may call; those with the same permissions are of one kind."""
        gone = frozenset(name for name, gone_at in self._gone_at.items() if gone_at <= now)
        return caller.permissions, caller.tools, caller.only_reads, caller.limited_to, gone

    def _read_cursor(self, cursor: str) -> str:
        try:
            name = urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4)).decode()
        except (ValueError, binascii.Error):
            name = ""
        if name not in self._registry:
            raise RpcError(INVALID_PARAMS, "`cursor` is none of this list: ask again from its start")
        return name


def _cursor(name: str) -> str:
    return urlsafe_b64encode(name.encode()).rstrip(b"=").decode()
