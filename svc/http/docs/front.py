"""The front page of each listener, `/docs/welcome` and `/`, and small files for browsers and robots."""

from typing import Final

import msgspec
from quart import Response, request

from svc.http.docs.pages import UNCACHED_HEADERS, Pages, address_used
from svc.http.static_files import StaticFile
from svc.http.tools import contract
from svc.version import VERSION

PLACE: Final = "http://127.0.0.1:8001"
"""The default address of the operator's listener."""
WEEK_SECONDS: Final = 7 * 86_400

ROBOTS: Final = """\
User-agent: *
Allow: /api/e/
Disallow: /api/
Disallow: /app/
"""
"""Embeds are parts of pages that robots may index; the rest of these paths is not for them."""

_JSON_HEADERS: Final = {**UNCACHED_HEADERS, "Vary": "Accept"}


def wants_html() -> bool:
    """Whether the request prefers HTML to JSON, as browsers do; `*/*` counts as a program."""
    return request.accept_mimetypes.best_match(["application/json", "text/html"]) == "text/html"


def icon() -> StaticFile:
    """`/favicon.ico`, for browsers that do not read the page's own icon link."""
    return StaticFile("http/docs/static/favicon.ico", {"Cache-Control": f"public, max-age={WEEK_SECONDS}"})


async def robots() -> Response:
    """`/robots.txt`."""
    headers = {"Cache-Control": f"public, max-age={WEEK_SECONDS}", "X-Content-Type-Options": "nosniff"}
    return Response(ROBOTS, content_type="text/plain; charset=utf-8", headers=headers)


class PublicFront:
    """`/docs/welcome` of the public listener, whose `/` leads to the screens."""

    def __init__(self, pages: Pages, tools: int) -> None:
        self._pages = pages
        self._tools = tools

    async def show(self) -> Response:
        """Answer browsers with a page, and programs with the addresses as JSON."""
        if wants_html():
            answer = await self._pages.show(
                "docs/front.html", lambda: {"tools": self._tools, "version": VERSION}
            )
            answer.vary.add("Accept")
            return answer
        addresses = {
            "screens": "/app/",
            "guides": "/docs",
            "reference": "/docs/api",
            "contract": contract.PATH,
            "problems": "/problems",
            "mcp": "/api/v1/mcp",
        }
        if self._pages.demo is not None:
            addresses["demo"] = "/demo/"
        body = {"service": "svc", "version": VERSION, **addresses}
        return Response(msgspec.json.encode(body), content_type="application/json", headers=_JSON_HEADERS)


class OperatorFront:
    """`/` of the operator's listener, which shows only that a token is required."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages

    async def show(self) -> Response:
        """Answer with how to authenticate, as a page or as JSON."""
        if wants_html():
            answer = await self._pages.show_uncached("docs/operator.html", address=address_used(PLACE))
            answer.vary.add("Accept")
            return answer
        body = {
            "service": "svc",
            "listener": "operator",
            "authorization": "Bearer <operator token>",
            "health": ["/healthz", "/readyz"],
            "signIn": "/debug/sign-in",
            "withToken": [
                "/debug",
                "/debug/actors",
                "/debug/live",
                "/debug/store",
                "/debug/mail",
                "/metrics",
            ],
        }
        return Response(msgspec.json.encode(body), content_type="application/json", headers=_JSON_HEADERS)
