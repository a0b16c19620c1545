"""What goes wrong at a door, as `application/problem+json` (RFC 9457)."""

from typing import Final, Literal

import msgspec
from quart import Response

Code = Literal[
    "not_found", "method_not_allowed", "body_too_large", "validation_failed", "unauthorized", "internal"
]

MEDIA_TYPE: Final = "application/problem+json"

_PROBLEMS: Final[dict[Code, tuple[int, str]]] = {
    "not_found": (404, "There is nothing here"),
    "method_not_allowed": (405, "This address is not used in that way"),
    "body_too_large": (413, "The body is too large"),
    "validation_failed": (422, "What was asked is not valid"),
    "unauthorized": (401, "A token is needed"),
    "internal": (500, "Something failed on our side"),
}


class Problem(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """The body of an answer that says no. `code` is what a program branches on."""

    type: str
    title: str
    status: int
    code: Code
    request_id: str
    detail: str | None = None


def problem(code: Code, request_id: bytes, detail: str | None = None) -> Response:
    """The answer for *code*; *detail* says what was wrong this time."""
    status, title = _PROBLEMS[code]
    told = Problem(
        type=f"/problems/{code}",
        title=title,
        status=status,
        code=code,
        request_id=request_id.decode(),
        detail=detail,
    )
    return Response(msgspec.json.encode(told), status=status, content_type=MEDIA_TYPE)
