"""Problem details (RFC 9457): the codes, and the problem of each error. Each code has a page."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Final, Literal, NamedTuple, get_args

import msgspec
from quart import Response
from werkzeug.datastructures import Headers
from werkzeug.exceptions import (
    HTTPException,
    MethodNotAllowed,
    NotFound,
    RequestEntityTooLarge,
    RequestTimeout,
    UnsupportedMediaType,
)

from svc.domain.errors import (
    Conflict,
    DomainError,
    Fault,
    InvalidInput,
    NeedsPerson,
    OrganizationRequired,
    TooManyAttempts,
    Unavailable,
)
from svc.domain.versions import ChangedProperty, ChangedSince
from svc.http.fast_path import Answer
from svc.http.request.body import ACCEPT_ENCODING, BodyCoded, BodyTooLarge
from svc.http.response.answers import NO_STORE
from svc.http.response.retry_after import retry_after, wait_ms_of

Code = Literal[
    "malformed_request",
    "malformed_json",
    "unauthorized",
    "wrong_credentials",
    "forbidden",
    "approval_required",
    "confirmation_required",
    "person_only",
    "plan_required",
    "unknown_tool",
    "not_found",
    "method_not_allowed",
    "too_slow",
    "conflict",
    "key_limit",
    "grant_limit",
    "organization_required",
    "idempotency_in_progress",
    "gone",
    "body_too_large",
    "unsupported_media_type",
    "validation_failed",
    "idempotency_mismatch",
    "rate_limited",
    "internal",
    "overloaded",
]

CODES: Final[tuple[Code, ...]] = get_args(Code)
"""Every code, in the order of the statuses."""

MEDIA_TYPE: Final = "application/problem+json"


class Kind(NamedTuple):
    """Status and texts of a code."""

    status: int
    title: str
    remedy: str
    """What the caller can do, shown on the page of the code."""


KINDS: Final[dict[Code, Kind]] = {
    "malformed_request": Kind(
        400, "The request cannot be read", "Check what the client sends, down to its headers."
    ),
    "malformed_json": Kind(400, "The body is not JSON", "Send a JSON object in UTF-8."),
    "unauthorized": Kind(401, "A token is needed", "Send `Authorization: Bearer` and a good one."),
    "wrong_credentials": Kind(
        401, "Wrong e-mail or password", "Check the e-mail and the password, or ask for a sign-in link."
    ),
    "forbidden": Kind(403, "You may not do this", "Ask somebody who may, or for a role that does."),
    "approval_required": Kind(403, "A person has to approve this", "Ask a person to do it on the screen."),
    "confirmation_required": Kind(
        403, "Confirm who you are first", "Give your password once more; it counts for two hours."
    ),
    "person_only": Kind(403, "Only a person may do this", "Sign in and do it there; no key can."),
    "plan_required": Kind(
        403, "The plan does not include this", "Choose a plan that does, or switch the hub on."
    ),
    "unknown_tool": Kind(404, "There is no such tool", "`/api/v1/openapi.json` has every tool by name."),
    "not_found": Kind(404, "There is nothing here", "Check the address, and the id in it."),
    "method_not_allowed": Kind(
        405, "This address is not used in that way", "The header `Allow` names the methods that it takes."
    ),
    "too_slow": Kind(408, "The body took too long", "Send it in one go, over a connection that carries it."),
    "conflict": Kind(409, "It is not in a state for that", "Look at it again: somebody was faster."),
    "key_limit": Kind(409, "There are as many keys as there may be", "Revoke one that nobody uses."),
    "grant_limit": Kind(409, "There are as many connected apps as there may be", "End one that nobody uses."),
    "organization_required": Kind(
        409,
        "Several accounts have that e-mail address and password",
        "Send the `id` of one of `organizations` as `organization`: the home of the account that is meant.",
    ),
    "idempotency_in_progress": Kind(
        409,
        "The first call under this idempotency key is still under way",
        "Wait for as long as `Retry-After` says, and send it once more.",
    ),
    "gone": Kind(
        410,
        "It is gone for good",
        "`detail` says what to ask instead: the tool's present name, or the list from its start.",
    ),
    "body_too_large": Kind(413, "The body is too large", "Send less; the door's reference says how much."),
    "unsupported_media_type": Kind(
        415,
        "The body is of a type that is not read here",
        "Send `Content-Type: application/json`, and the body uncompressed.",
    ),
    "validation_failed": Kind(
        422, "What was asked is not valid", "`detail` says what is wrong with it. Mend that, and ask again."
    ),
    "idempotency_mismatch": Kind(
        422, "The idempotency key was used with another body", "Take a new key for each thing that you do."
    ),
    "rate_limited": Kind(429, "Too much in too short a time", "Wait for as long as `Retry-After` says."),
    "internal": Kind(
        500,
        "Something failed on our side",
        "It is in our log under the answer's `requestId`. Nothing that was answered before is lost.",
    ),
    "overloaded": Kind(
        503,
        "This cannot be done at the moment",
        "`detail` says why. Wait for as long as `Retry-After` says, and ask again.",
    ),
}

_HTTP_CODES: Final[Mapping[type[HTTPException], Code]] = {
    NotFound: "not_found",
    MethodNotAllowed: "method_not_allowed",
    RequestEntityTooLarge: "body_too_large",
    RequestTimeout: "too_slow",
    UnsupportedMediaType: "unsupported_media_type",
}


class OrganizationChoice(msgspec.Struct, frozen=True):
    """The home of an account that could be meant."""

    id: str
    name: str


class Problem(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """The body of an answer that says no. `code` is what a program branches on."""

    type: str
    title: str
    status: int
    code: Code
    request_id: str | None = None
    detail: str | None = None
    screen: str | None = None
    """With `approval_required`, `person_only` and `confirmation_required`: the address of the screen where a
    person does that very thing."""
    errors: tuple[Fault, ...] = ()
    """All that is wrong with what was asked, each with a pointer into it."""
    organizations: tuple[OrganizationChoice, ...] = ()
    """With `organization_required`: what to choose from."""
    conflicts: tuple[ChangedProperty, ...] = ()
    """With `conflict`, where a call has `ifVersion`: the properties that were changed since."""


def problem(
    code: Code,
    request_id: bytes | None,
    detail: str | None = None,
    *,
    screen: str | None = None,
    errors: tuple[Fault, ...] = (),
    organizations: tuple[OrganizationChoice, ...] = (),
    conflicts: tuple[ChangedProperty, ...] = (),
    headers: Sequence[tuple[bytes, bytes]] = (),
) -> Answer:
    """Build the answer for *code*; *detail* says what was wrong in this case."""
    kind = KINDS[code]
    body = Problem(
        type=f"/problems/{code}",
        title=kind.title,
        status=kind.status,
        code=code,
        request_id=None if request_id is None else request_id.decode(),
        detail=detail,
        screen=screen,
        errors=errors,
        organizations=organizations,
        conflicts=conflicts,
    )
    return Answer(kind.status, [(b"content-type", MEDIA_TYPE.encode()), *headers], msgspec.json.encode(body))


def unauthorized(challenge: tuple[bytes, bytes]) -> Answer:
    """The answer to a failed authentication with a credential, with *challenge*, a `WWW-Authenticate`."""
    return problem("unauthorized", None, headers=[challenge, NO_STORE])


UNAUTHORIZED: Final = unauthorized((b"www-authenticate", b"Bearer"))
"""The answer to every failed authentication with a key, byte for byte whatever the reason."""


def problem_for(error: Exception, request_id: bytes) -> Answer:
    """The problem of a `DomainError` or an `HTTPException`; any other error is `internal`."""
    headers: list[tuple[bytes, bytes]] = []
    organizations: tuple[OrganizationChoice, ...] = ()
    match error:
        case HTTPException():
            if isinstance(error, MethodNotAllowed) and error.valid_methods:
                headers.append((b"allow", ", ".join(sorted(error.valid_methods)).encode()))
            if isinstance(error, BodyCoded):
                headers.append(ACCEPT_ENCODING)
            return problem(code_for(error), request_id, _http_detail(error), headers=headers)
        case OrganizationRequired():
            organizations = tuple(OrganizationChoice(home.id, home.name) for home in error.organizations)
        case TooManyAttempts():
            headers.append(retry_after(error.retry_after_ms))
        case Unavailable():
            headers.append(retry_after(wait_ms_of(error)))
        case DomainError() if error.code == "idempotency_in_progress":
            headers.append(retry_after(wait_ms_of(error)))
    code = code_for(error)
    if not isinstance(error, DomainError) or code == "internal":
        return problem("internal", request_id)
    errors = error.faults if isinstance(error, InvalidInput | Conflict) else ()
    conflicts = error.conflicts if isinstance(error, ChangedSince) else ()
    detail = error.detail if isinstance(error, Unavailable) else str(error)
    return problem(
        code,
        request_id,
        detail or None,
        screen=error.screen if isinstance(error, NeedsPerson) else None,
        errors=errors,
        organizations=organizations,
        conflicts=conflicts,
        headers=headers,
    )


def code_for(error: Exception) -> Code:
    """The code of the problem of *error*."""
    if isinstance(error, HTTPException):
        return _http_code(error)
    code = error.code if isinstance(error, DomainError) else None
    return code if code in KINDS else "internal"


def code_of(answer: Answer) -> Code:
    """The code of an *answer* that `problem` built."""
    return msgspec.json.decode(answer.body, type=Problem).code


def is_fault(error: Exception) -> bool:
    """Whether *error* is a fault of this service, which is to be logged."""
    if isinstance(error, DomainError):
        return error.code not in KINDS or error.code == "internal"
    return not isinstance(error, HTTPException)


def as_response(answer: Answer) -> Response:
    """Convert *answer* to a response of Quart, with its headers and no other but its length."""
    response = Response(bytes(answer.body), status=answer.status)
    response.headers = Headers([(name.decode(), value.decode("latin-1")) for name, value in answer.headers])
    if answer.status != HTTPStatus.NOT_MODIFIED:  # it would be read as the length of the cached body
        response.content_length = len(answer.body)
    return response


def problem_response(code: Code, request_id: bytes, detail: str | None = None) -> Response:
    """Build the answer for *code* as a response of Quart."""
    return as_response(problem(code, request_id, detail))


def _http_code(error: HTTPException) -> Code:
    ours = (error.code or 500) >= 500  # noqa: PLR2004  # server errors are 500 and above
    other: Code = "internal" if ours else "malformed_request"
    return next((code for kind, code in _HTTP_CODES.items() if isinstance(error, kind)), other)


def _http_detail(error: HTTPException) -> str | None:
    """The detail of *error*, where the code alone is not enough."""
    match error:
        case BodyTooLarge():
            return f"it is over {error.limit_bytes:,} bytes"
        case BodyCoded():
            return error.description
        case MethodNotAllowed() if error.valid_methods:
            return f"use {' or '.join(sorted(error.valid_methods))} here"
    return None
