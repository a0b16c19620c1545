"""Which codes a tool can be answered with: its own, and those that every call can end in."""

from collections.abc import Iterable
from typing import Any, Final

from svc.http.problems.problems import CODES, Code
from svc.tools.tool import Tool

_ANY_CALL: Final[tuple[Code, ...]] = (
    "malformed_request",
    "unauthorized",
    "forbidden",
    "rate_limited",
    "internal",
    "overloaded",
)
_ANY_BODY: Final[tuple[Code, ...]] = (
    "malformed_json",
    "too_slow",
    "body_too_large",
    "unsupported_media_type",
    "validation_failed",
)
_ANY_REPEATABLE: Final[tuple[Code, ...]] = ("idempotency_in_progress", "idempotency_mismatch")
NEVER_A_KEYS: Final[dict[str, Code]] = {"person": "person_only", "approval": "approval_required"}
"""What a key is told, by who runs the tool instead."""


def repeatable(tool: Tool[Any, Any]) -> bool:
    """Whether it takes an idempotency key: writes do, unless their answer may not be kept."""
    return tool.effect == "writes" and not tool.shows_secret


def problem_codes(tool: Tool[Any, Any]) -> list[Code]:
    """Every code that a call by who may run it can be answered with."""
    own = [error.code for error in tool.raises]
    return _in_order(tool, [*_ANY_CALL, *_ANY_BODY, *(_ANY_REPEATABLE if repeatable(tool) else ()), *own])


def problem_codes_of_keys(tool: Tool[Any, Any]) -> list[Code]:
    """Every code that a key can be answered with: where no key may, its body is not even read."""
    never = NEVER_A_KEYS.get(tool.runs)
    return problem_codes(tool) if never is None else _in_order(tool, [*_ANY_CALL, never])


def _in_order(tool: Tool[Any, Any], codes: Iterable[str]) -> list[Code]:
    wanted = {*codes, "gone"} if tool.deprecated else set(codes)
    return [code for code in CODES if code in wanted]
