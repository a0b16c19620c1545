"""Components that the operations of the contract share: headers, and responses with problems."""

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any, Final, NamedTuple

import msgspec
from werkzeug.http import http_date

from svc.domain.limits import CALL_WINDOW_MS, CALLS_MAX, IDEMPOTENCY_KEY_CHARS_MAX
from svc.domain.locale.times import SECOND_MS
from svc.http.problems.problems import KINDS, MEDIA_TYPE, UNAUTHORIZED, Code, problem
from svc.tools.old_names import RENAMINGS

Json = dict[str, Any]

_WINDOW_SECONDS: Final = CALL_WINDOW_MS // SECOND_MS
_REQUEST_ID: Final = "3f1c9a52b7e04d6f8a90c1d2e3f40516"
_RENAMED: Final = RENAMINGS[0].times


def _header(description: str, example: Any, *, required: bool = True, **schema: Any) -> Json:
    kind = {"type": "integer", "minimum": 0} if isinstance(example, int) else {"type": "string"}
    return {"description": description, "required": required, "schema": kind | schema, "example": example}


HEADERS: Final = {
    "X-Request-Id": _header("The id of this request, for questions about it.", _REQUEST_ID),
    "RateLimit-Limit": _header("Calls that the key may make in a minute.", CALLS_MAX),
    "RateLimit-Remaining": _header("Calls that it may still make now.", CALLS_MAX - 1),
    "RateLimit-Reset": _header("Seconds until there is room for more.", _WINDOW_SECONDS),
    "RateLimit-Policy": _header(
        "The budget: `q` calls in `w` seconds.", f'"default";q={CALLS_MAX};w={_WINDOW_SECONDS}'
    ),
    "RateLimit": _header(
        "What is left: `r` calls, and more in `t` seconds.",
        f'"default";r={CALLS_MAX - 1};t={_WINDOW_SECONDS}',
    ),
    "Idempotent-Replayed": _header(
        "The first call under this idempotency key was answered so; nothing was done now.",
        "true",
        required=False,
        enum=["true"],
    ),
    "Retry-After": _header("Seconds to wait before the next attempt.", 1),
    "WWW-Authenticate": _header("How to authenticate.", "Bearer"),
    "Deprecation": _header(
        "Since when the name is deprecated (RFC 9745).", f"@{_RENAMED.since_at // SECOND_MS}"
    ),
    "Sunset": _header(
        "The last day on which the name works (RFC 8594): from the next on it answers 410.",
        http_date(_RENAMED.sunset_at // SECOND_MS),
    ),
    "Link": _header("Where the policy is.", '</docs/deprecations>; rel="deprecation"'),
}
BUDGET_HEADERS: Final = (
    "RateLimit-Limit",
    "RateLimit-Remaining",
    "RateLimit-Reset",
    "RateLimit-Policy",
    "RateLimit",
)
DEPRECATION_HEADERS: Final = ("Deprecation", "Sunset", "Link")

PARAMETERS: Final = {
    "IdempotencyKey": {
        "name": "Idempotency-Key",
        "in": "header",
        "description": "Makes the call safe to repeat: a new one for each thing to be done, the same for each"
        " attempt at it.",
        "schema": {
            "type": "string",
            "minLength": 1,
            "maxLength": IDEMPOTENCY_KEY_CHARS_MAX,
            "pattern": "^[!-~]+$",
        },
        "example": "order-7319-contact",
    }
}

_BEFORE_ADMISSION: Final = frozenset({400, 408, 500, 503})
"""Statuses that may be answered before the key is authenticated, and so without its budget."""


def headers_of(required: Iterable[str], optional: Iterable[str] = ()) -> Json:
    """References to *required* and *optional* headers of a response."""
    return {name: {"$ref": f"#/components/headers/{name}"} for name in required} | {
        name: HEADERS[name] | {"required": False} for name in optional
    }


class ProblemResponse(NamedTuple):
    """The answers of one status that a call may get: they differ in their code."""

    status: int
    codes: tuple[Code, ...]

    @property
    def name(self) -> str:
        """The name of the response component."""
        return "Or".join(code.title().replace("_", "") for code in self.codes)

    @property
    def problem_name(self) -> str:
        """The name of the schema component."""
        return f"{self.name}Problem"


def problem_responses(codes: Iterable[Code]) -> list[ProblemResponse]:
    """The responses for *codes*, one for each status."""
    by_status = groupby(sorted(codes, key=_status), key=_status)
    return [ProblemResponse(status, tuple(group)) for status, group in by_status]


def referenced_by(parts: Mapping[str, Json], kind: str, *within: Json) -> Json:
    """Those of *parts* that are referenced *within* other parts."""
    text = msgspec.json.encode(within).decode()
    return {name: part for name, part in parts.items() if f'"#/components/{kind}/{name}"' in text}


def _status(code: Code) -> int:
    return KINDS[code].status


def problem_response(response: ProblemResponse) -> Json:
    """The component of a response with a problem."""
    status, codes = response
    required, optional = ["X-Request-Id"], list[str]()
    if status != 401:  # noqa: PLR2004  # an unauthenticated caller has no budget
        (optional if status in _BEFORE_ADMISSION else required).extend(BUDGET_HEADERS)
    else:
        required.append("WWW-Authenticate")
    if {"rate_limited", "overloaded"} & {*codes} or codes == ("idempotency_in_progress",):
        required.append("Retry-After")
    elif "idempotency_in_progress" in codes:
        optional.append("Retry-After")
    if "gone" in codes:
        optional.extend(DEPRECATION_HEADERS)  # of old names; other things can be gone, too
    examples = {code: {"summary": KINDS[code].title, "value": example_of(code)} for code in codes}
    return {
        "description": " ".join(f"`{code}`: {KINDS[code].title}." for code in codes),
        "headers": headers_of(required, optional),
        "content": {
            MEDIA_TYPE: {
                "schema": {"$ref": f"#/components/schemas/{response.problem_name}"},
                "examples": examples,
            }
        },
    }


def problem_schema(response: ProblemResponse) -> Json:
    """The schema component of *response*: a problem, narrowed to its status and codes.

    It is a component so that generators make one type of it instead of one for each operation; and `enum`,
    because openapi-python-client does not merge `const` with the type of the base.
    """
    narrowing = {
        "properties": {
            "status": {"type": "integer", "enum": [response.status]},
            "code": {"type": "string", "enum": list(response.codes)},
        }
    }
    return {"allOf": [{"$ref": "#/components/schemas/Problem"}, narrowing]}


def example_of(code: Code) -> Json:
    """A problem of that *code*."""
    answer = (
        UNAUTHORIZED if code == "unauthorized" else problem(code, _REQUEST_ID.encode(), _DETAILS.get(code))
    )
    body: Json = msgspec.json.decode(answer.body)
    if code == "validation_failed":
        body["errors"] = [{"pointer": "/limit", "code": "invalid_value", "detail": _DETAILS[code][8:]}]
    return body


_DETAILS: Final[dict[Code, str]] = {
    "forbidden": "record.create needs the permission records.write",
    "approval_required": "record.delete needs a person's approval",
    "person_only": "only a person may run apikey.mint",
    "unknown_tool": "there is no tool `record.make`; did you mean `record.merge`?",
    "gone": "automation.list is gone: call workflow.list",
    "validation_failed": "/limit: must be at most 200",
    "rate_limited": f"more than {CALLS_MAX} calls in a minute",
    "unsupported_media_type": "send `Content-Type: application/json`",
    "malformed_json": "the body is not JSON: trailing comma in object at line 1, column 26",
    "idempotency_in_progress": "the first call under this idempotency key is still under way",
}
