"""Which problem codes a call of a tool can be answered with."""

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
"""The code for an API key, by who runs the tool (`Tool.runs`)."""


def repeatable(tool: Tool[Any, Any]) -> bool:
    """Whether *tool* takes an idempotency key: writes do, unless the answer has a secret."""
    return tool.effect == "writes" and not tool.shows_secret


def problem_codes(tool: Tool[Any, Any]) -> list[Code]:
    """Every code for a caller that may run *tool*."""
    own = [error.code for error in tool.raises]
    return _in_order(tool, [*_ANY_CALL, *_ANY_BODY, *(_ANY_REPEATABLE if repeatable(tool) else ()), *own])


def problem_codes_of_keys(tool: Tool[Any, Any]) -> list[Code]:
    """Every code for an API key. Where no key may run *tool*, the body is not read."""
    never = NEVER_A_KEYS.get(tool.runs)
    return problem_codes(tool) if never is None else _in_order(tool, [*_ANY_CALL, never])


def _in_order(tool: Tool[Any, Any], codes: Iterable[str]) -> list[Code]:
    unordered = {*codes, "gone"} if tool.deprecated else set(codes)
    return [code for code in CODES if code in unordered]
