"""What goes wrong at a door, as `application/problem+json` (RFC 9457), and a page for each kind of it."""

from html import escape
from typing import Final, Literal, NamedTuple, get_args

import msgspec
from quart import Blueprint, Response, abort

Code = Literal[
    "malformed_request",
    "unauthorized",
    "not_found",
    "method_not_allowed",
    "too_slow",
    "body_too_large",
    "validation_failed",
    "internal",
]

MEDIA_TYPE: Final = "application/problem+json"


class _Kind(NamedTuple):
    status: int
    title: str
    remedy: str
    """What the caller can do, for the page of the code."""


_KINDS: Final[dict[Code, _Kind]] = {
    "malformed_request": _Kind(
        400,
        "The request cannot be read",
        "Check what the client sends, down to its headers.",
    ),
    "unauthorized": _Kind(
        401, "A token is needed", "Send `Authorization: Bearer` with a token that is good for this listener."
    ),
    "not_found": _Kind(404, "There is nothing here", "Check the address, and the id in it."),
    "method_not_allowed": _Kind(
        405, "This address is not used in that way", "The header `Allow` names the methods that it takes."
    ),
    "too_slow": _Kind(408, "The body took too long", "Send it in one go, over a connection that carries it."),
    "body_too_large": _Kind(413, "The body is too large", "Send less; the door's reference says how much."),
    "validation_failed": _Kind(
        422, "What was asked is not valid", "`detail` says what is wrong with it. Mend that, and ask again."
    ),
    "internal": _Kind(
        500,
        "Something failed on our side",
        "It is in our log under the answer's `requestId`. Nothing that was answered before is lost.",
    ),
}

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
