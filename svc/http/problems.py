"""What goes wrong at a door, as `application/problem+json` (RFC 9457)."""

from typing import Final, Literal

import msgspec
from quart import Response

from svc.actors.sign_in import WrongCredentials
from svc.domain.errors import (
    ApprovalRequired,
    ConfirmationRequired,
    Conflict,
    DomainError,
    Forbidden,
    InvalidValue,
    KeyLimit,
    NotFound,
    PersonOnly,
    TooManyAttempts,
    Unauthenticated,
    Unavailable,
)
from svc.domain.windows import retry_after_seconds

Code = Literal[
    "malformed_json",
    "unauthorized",
    "wrong_credentials",
    "forbidden",
    "approval_required",
    "confirmation_required",
    "person_only",
    "not_found",
    "method_not_allowed",
    "conflict",
    "key_limit",
    "body_too_large",
    "unsupported_media_type",
    "validation_failed",
    "rate_limited",
    "internal",
    "overloaded",
]

MEDIA_TYPE: Final = "application/problem+json"

_PROBLEMS: Final[dict[Code, tuple[int, str]]] = {
    "malformed_json": (400, "The body is not JSON"),
    "unauthorized": (401, "A token is needed"),
    "wrong_credentials": (401, "Nobody can sign in with that"),
    "forbidden": (403, "You may not do this"),
    "approval_required": (403, "A person has to approve this"),
    "confirmation_required": (403, "Confirm who you are first"),
    "person_only": (403, "Only a person may do this"),
    "not_found": (404, "There is nothing here"),
    "method_not_allowed": (405, "This address is not used in that way"),
    "conflict": (409, "It is not in a state for that"),
    "key_limit": (409, "There are as many keys as there may be"),
    "body_too_large": (413, "The body is too large"),
    "unsupported_media_type": (415, "The body is of a type that is not read here"),
    "validation_failed": (422, "What was asked is not valid"),
    "rate_limited": (429, "Too much in too short a time"),
    "internal": (500, "Something failed on our side"),
    "overloaded": (503, "Too much is going on at the moment"),
}

_REFUSALS: Final[tuple[tuple[type[DomainError], Code], ...]] = (
    (Unauthenticated, "unauthorized"),
    (WrongCredentials, "wrong_credentials"),
    (PersonOnly, "person_only"),
    (ApprovalRequired, "approval_required"),
    (ConfirmationRequired, "confirmation_required"),
    (Forbidden, "forbidden"),
    (NotFound, "not_found"),
    (KeyLimit, "key_limit"),
    (Conflict, "conflict"),
    (InvalidValue, "validation_failed"),
    (TooManyAttempts, "rate_limited"),
    (Unavailable, "overloaded"),
)
"""What each refusal of the domain is called outside; the more particular ones first."""


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


def refusal(error: DomainError, request_id: bytes) -> Response:
    """The answer to what a rule refused. What is no refusal that has a name is a fault, and raised again."""
    code = next((code for kind, code in _REFUSALS if isinstance(error, kind)), None)
    if code is None:
        raise error
    answer = problem(code, request_id, str(error) or None)
    match error:
        case TooManyAttempts():
            answer.headers["Retry-After"] = str(retry_after_seconds(error.retry_after_ms))
        case Unavailable():
            answer.headers["Retry-After"] = str(retry_after_seconds(round(error.retry_after_seconds * 1_000)))
    return answer
