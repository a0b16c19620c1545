"""What goes wrong at a door, as `application/problem+json` (RFC 9457), and a page for each kind of it."""

from html import escape
from typing import Final, Literal, NamedTuple, get_args

import msgspec
from quart import Blueprint, Response, abort

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
    "malformed_request",
    "malformed_json",
    "unauthorized",
    "wrong_credentials",
    "forbidden",
    "approval_required",
    "confirmation_required",
    "person_only",
    "not_found",
    "method_not_allowed",
    "too_slow",
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


class _Kind(NamedTuple):
    status: int
    title: str
    remedy: str
    """What the caller can do, for the page of the code."""


_KINDS: Final[dict[Code, _Kind]] = {
    "malformed_request": _Kind(
        400, "The request cannot be read", "Check what the client sends, down to its headers."
    ),
    "malformed_json": _Kind(400, "The body is not JSON", "Send a JSON object in UTF-8."),
    "unauthorized": _Kind(401, "A token is needed", "Send `Authorization: Bearer` and a good one."),
    "wrong_credentials": _Kind(
        401, "Nobody can sign in with that", "Check the e-mail and the password, or ask for a sign-in link."
    ),
    "forbidden": _Kind(403, "You may not do this", "Ask somebody who may, or for a role that does."),
    "approval_required": _Kind(403, "A person has to approve this", "Ask a person to do it on the screen."),
    "confirmation_required": _Kind(
        403, "Confirm who you are first", "Give your password once more; it counts for two hours."
    ),
    "person_only": _Kind(403, "Only a person may do this", "Sign in and do it there; no key can."),
    "not_found": _Kind(404, "There is nothing here", "Check the address, and the id in it."),
    "method_not_allowed": _Kind(
        405, "This address is not used in that way", "The header `Allow` names the methods that it takes."
    ),
    "too_slow": _Kind(408, "The body took too long", "Send it in one go, over a connection that carries it."),
    "conflict": _Kind(409, "It is not in a state for that", "Look at it again: somebody was faster."),
    "key_limit": _Kind(409, "There are as many keys as there may be", "Revoke one that nobody uses."),
    "body_too_large": _Kind(413, "The body is too large", "Send less; the door's reference says how much."),
    "unsupported_media_type": _Kind(
        415, "The body is of a type that is not read here", "Send `Content-Type: application/json`."
    ),
    "validation_failed": _Kind(
        422, "What was asked is not valid", "`detail` says what is wrong with it. Mend that, and ask again."
    ),
    "rate_limited": _Kind(429, "Too much in too short a time", "Wait for as long as `Retry-After` says."),
    "internal": _Kind(
        500,
        "Something failed on our side",
        "It is in our log under the answer's `requestId`. Nothing that was answered before is lost.",
    ),
    "overloaded": _Kind(
        503, "Too much is going on at the moment", "Wait for as long as `Retry-After` says, and ask again."
    ),
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

pages = Blueprint("problems", __name__)


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
    kind = _KINDS[code]
    told = Problem(
        type=f"/problems/{code}",
        title=kind.title,
        status=kind.status,
        code=code,
        request_id=request_id.decode(),
        detail=detail,
    )
    return Response(msgspec.json.encode(told), status=kind.status, content_type=MEDIA_TYPE)


@pages.get("/problems/<code>")
async def page(code: str) -> Response:
    """What a code means, for whoever follows the `type` of a problem."""
    if code not in get_args(Code):
        abort(404)
    kind = _KINDS[code]  # type: ignore[index]  # just looked up
    text = (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(code)}</title>"
        '<body style="max-width:40rem;margin:3rem auto;padding:0 1rem;font:1.1rem/1.6 system-ui">'
        f"<h1>{escape(kind.title)}</h1>"
        f"<p><code>{escape(code)}</code>, answered with status {kind.status}.</p>"
        f"<p>{escape(kind.remedy)}</p></body></html>"
    )
    headers = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}
    return Response(text, content_type="text/html; charset=utf-8", headers=headers)


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
