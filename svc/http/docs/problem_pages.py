"""Problems as pages: for browsers, except below the paths that have a contract."""

from typing import Final
from urllib.parse import quote

from quart import Quart, Response, has_websocket_context, redirect, request, websocket
from quart.typing import ResponseReturnValue
from werkzeug.exceptions import HTTPException, NotFound
from werkzeug.routing import WebsocketMismatch

from svc.domain.errors import DomainError
from svc.domain.randomness import Randomness
from svc.http.docs.front import wants_html
from svc.http.docs.pages import Pages
from svc.http.fast_path import Answer
from svc.http.problems.causes import CAUSES
from svc.http.problems.problems import KINDS, Code, as_response, code_of, problem_for
from svc.http.quart_app import QuartApp, current_request
from svc.http.quart_doors import ENDPOINT as DOOR_ENDPOINT
from svc.http.request.request_id import request_id_of

_CONTRACTS: Final = ("/api/", "/app/api/")
"""Below these paths problems are JSON, whatever the request accepts."""
_HEADERS_OF_PROBLEM: Final = frozenset({b"allow", b"retry-after", b"www-authenticate"})
_READS: Final = frozenset({"GET", "HEAD"})


def answer_problems_with_pages(app: QuartApp, pages: Pages) -> None:
    """Register error handlers of *app*: browsers get a page, programs a problem."""

    async def answer_error(error: Exception) -> ResponseReturnValue:
        if isinstance(error, NotFound) and (target := _without_slash(app)) is not None:
            return redirect(target, 308)
        return await page_or_problem(problem_for(error, current_request().id), pages)

    async def answer_http_error(error: HTTPException) -> ResponseReturnValue:
        return _to_websocket(error, app.random) if has_websocket_context() else await answer_error(error)

    app.register_error_handler(HTTPException, answer_http_error)
    app.register_error_handler(DomainError, answer_error)


def _to_websocket(error: HTTPException, random: Randomness) -> Response:
    """Answer a WebSocket handshake: 404 for a path without a WebSocket (RFC 6455 section 4.2.2)."""
    http_error = NotFound() if isinstance(error, WebsocketMismatch) else error
    request_id = request_id_of(list(websocket.scope["headers"]), random)
    answer = as_response(problem_for(http_error, request_id))
    answer.headers["X-Request-Id"] = request_id.decode()
    return answer


async def page_or_problem(answer: Answer, pages: Pages) -> Response:
    """Answer a browser with a page, and a program with *answer*."""
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
    response = await pages.show_uncached(
        "docs/error.html",
        status=answer.status,
        code=code,
        kind=KINDS[code],
        cause=CAUSES[code],
        request_id=current_request().id.decode(),
        path=request.path,
    )
    for name, value in answer.headers:
        if name in _HEADERS_OF_PROBLEM:
            response.headers[name.decode()] = value.decode("latin-1")
    return response


def _without_slash(app: Quart) -> str | None:
    """The request's path without its trailing slash, if that one has a route."""
    path = request.path
    trimmed = path.rstrip("/")
    if request.method not in _READS or path == trimmed or path.startswith(("//", *_CONTRACTS)) or not trimmed:
        return None
    try:
        endpoint, _ = app.url_map.bind("").match(trimmed, method="GET")
    except HTTPException:
        return None
    if endpoint.startswith(DOOR_ENDPOINT):
        return None
    query = request.query_string.decode("latin-1")
    return f"{quote(trimmed)}{'?' if query else ''}{query}"
