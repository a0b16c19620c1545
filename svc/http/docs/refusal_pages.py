"""What goes wrong, as a page: for browsers, wherever no contract says what the answer looks like."""

from typing import Final, cast
from urllib.parse import quote

from quart import Quart, Response, redirect, request
from quart.typing import ResponseReturnValue
from werkzeug.exceptions import HTTPException, NotFound

from svc.domain.errors import DomainError
from svc.http.docs.front import wants_html
from svc.http.docs.pages import Pages
from svc.http.hot import Answer
from svc.http.lean import LeanRequest
from svc.http.problem_causes import CAUSES
from svc.http.problems import KINDS, Code, as_response, code_of, refusal

_CONTRACTS: Final = ("/api/", "/app/api/")
"""Below these every answer is as its contract says, whatever the request accepts."""
_KEPT_HEADERS: Final = frozenset({b"allow", b"retry-after", b"www-authenticate"})
_READS: Final = frozenset({"GET", "HEAD"})


def refuse_with_pages(app: Quart, pages: Pages) -> None:
    """Answer what *app* refuses: browsers with a page, programs with a problem."""

    async def refuse(error: Exception) -> ResponseReturnValue:
        if isinstance(error, NotFound) and (elsewhere := _without_slash(app)) is not None:
            return redirect(elsewhere, 308)
        return await answered(refusal(error, cast("LeanRequest", request).id), pages)

    app.register_error_handler(HTTPException, refuse)
    app.register_error_handler(DomainError, refuse)


async def answered(answer: Answer, pages: Pages) -> Response:
    """*answer* as a page for a browser, as it is for a program."""
    if request.path.startswith(_CONTRACTS):
        return as_response(answer)
    if wants_html():
        response = await _page(answer, pages)
    else:
        response = as_response(answer)
    response.vary.add("Accept")
    return response


async def _page(answer: Answer, pages: Pages) -> Response:
    code: Code = code_of(answer)
    response = await pages.show_unkept(
        "docs/refusal.html",
        status=answer.status,
        code=code,
        kind=KINDS[code],
        cause=CAUSES[code],
        request_id=cast("LeanRequest", request).id.decode(),
        path=request.path,
    )
    for name, value in answer.headers:
        if name in _KEPT_HEADERS:
            response.headers[name.decode()] = value.decode("latin-1")
    return response


def _without_slash(app: Quart) -> str | None:
    """Where the path leads that the request's would be without the slash at its end, if anywhere."""
    path = request.path
    trimmed = path.rstrip("/")
    if request.method not in _READS or path == trimmed or path.startswith(("//", *_CONTRACTS)) or not trimmed:
        return None
    try:
        app.url_map.bind("").match(trimmed, method="GET")
    except HTTPException:
        return None
    query = request.query_string.decode("latin-1")
    return f"{quote(trimmed)}{'?' if query else ''}{query}"
