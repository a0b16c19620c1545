"""Results of the protocol's methods, encoded as JSON."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from svc.domain.errors import DomainError, InvalidInput, NeedsPerson
from svc.domain.identity.callers import Caller
from svc.domain.input.near_names import shown
from svc.domain.tool_results import ToolResult
from svc.domain.versions import ChangedSince
from svc.http.mcp.descriptors import Page
from svc.http.mcp.versions import SERVER, VERSIONS, Version

REPLAYED: Final = "svc/idempotentReplayed"
"""Member of a result's `_meta` that marks the stored answer of the first call under an idempotency key."""
_CAPABILITIES: Final[dict[str, Any]] = {"tools": {}}

_REMEDIES: Final = {
    "forbidden": "Nothing was done. Ask for a key with a role that may, or have somebody do it who may.",
    "approval_required": "Nothing was done. Ask a person to do it on the screen: no key may.",
    "person_only": "Nothing was done. Ask a person to do it on the screen: no key may.",
    "plan_required": "Nothing was done. A person may choose a plan that has it.",
    "not_found": "Check the ids and the names in the arguments.",
    "conflict": "Nothing was done. Look at it again, and do what its state allows.",
    "idempotency_in_progress": "Send the same call again in a second.",
    "idempotency_mismatch": "Nothing was done. Take a new idempotency key for each thing that you do.",
}
"""What a model can do about a problem, by its code."""

_encode: Final = msgspec.json.Encoder().encode


def tool_result(version: Version, outcome: ToolResult) -> bytes:
    """The success of a tool: structured content, and the same JSON as text."""
    result = version.every_result | {
        "content": [{"type": "text", "text": outcome.body.decode()}],
        "structuredContent": msgspec.Raw(outcome.body),
        "isError": False,
    }
    if outcome.replayed:
        result["_meta"] = result.get("_meta", {}) | {REPLAYED: True}
    return _encode(result)


def problem_result(version: Version, text: str) -> bytes:
    """The error of a tool; *text* says what to change."""
    return _encode(version.every_result | {"content": [{"type": "text", "text": text}], "isError": True})


def problem_text(name: str, error: DomainError, base_url: str = "") -> str:
    """Text for a model: what was wrong with the call of tool *name*, and what to change.

    Screens are named with *base_url* before them.
    """
    if isinstance(error, InvalidInput):
        faults = "\n".join(f"- {fault.pointer or '/'}: {fault.detail}" for fault in error.faults)
        return f"{error.code}: the arguments do not fit {name}.\n{faults}\nMend them and call it again."
    if isinstance(error, ChangedSince):
        conflicts = "\n".join(
            f"- {one.pointer or one.property}: you {_shown(one.yours)}, there now {_shown(one.theirs)}"
            for one in error.conflicts
        )
        return f"{error.code}: {_sentence(error)}\n{conflicts}\n{_REMEDIES[error.code]}"
    if isinstance(error, NeedsPerson) and error.screen is not None:
        return (
            f"{error.code}: {_sentence(error)} Nothing was done. Ask a person to do it on this screen, since"
            f" no key may: {base_url.rstrip('/')}{error.screen}"
        )
    return f"{error.code}: {_sentence(error)} {_REMEDIES.get(error.code, '')}".rstrip()


def _sentence(error: DomainError) -> str:
    """What *error* says, with a full stop unless it ends by asking what was meant."""
    text = str(error)
    return text if text.endswith(("?", ".")) else f"{text}."


def _shown(value: Any) -> str:
    return shown(_encode(value).decode())


def unknown_text(name: str, nearest: Sequence[str]) -> str:
    """Text for a model: there is no tool *name*, and which are nearest."""
    hint = f"the nearest are {', '.join(nearest)}" if nearest else "look for one with tool_search"
    return f"unknown_tool: there is no tool {shown(name)}; {hint}."


def tool_list(version: Version, page: Page) -> bytes:
    """The result of `tools/list`."""
    result = version.every_result | version.every_list | {"tools": msgspec.Raw(page.tools)}
    if page.next_cursor is not None:
        result["nextCursor"] = page.next_cursor
    return _encode(result)


def initialized(version: Version, instructions: str) -> bytes:
    """The result of `initialize`, which agrees on *version*."""
    return _encode(
        {
            "protocolVersion": version.name,
            "capabilities": _CAPABILITIES,
            "serverInfo": SERVER,
            "instructions": instructions,
        }
    )


def discovered(version: Version, instructions: str) -> bytes:
    """The result of `server/discover`, for versions without a handshake."""
    result = {
        "supportedVersions": list(VERSIONS),
        "capabilities": _CAPABILITIES,
        "instructions": instructions,
    }
    return _encode(version.every_result | version.every_list | result)


def instructions(caller: Caller, callable_tools: int, tools: int, *, flat: bool) -> str:
    """Instructions for a model that uses the tools with the key of *caller*."""
    permissions = ", ".join(sorted(caller.permissions)) or "none"
    if flat:
        use = "tools/list has every tool that this key may call."
    else:
        use = (
            "Tell tool_search in a plain sentence what you want to do: it answers with the tools that fit and"
            " with their schemas. Then call one with tool_call."
        )
    return (
        "Records (contacts, companies, deals and the organization's own objects), forms and the rest of one"
        f" organization. This key may call {callable_tools} of {tools} tools; it has these permissions:"
        f" {permissions}. What needs a person's approval, or only people do, is refused: ask them to do it."
        f" {use} Objects have other properties in each organization: look with object.get before you write."
    )
