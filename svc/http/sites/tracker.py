"""The tracker: `GET /t.js` is the script that reports page views, and `POST /api/t` receives them.

The answer is 204 whether a view was stored or not, because a visitor can do nothing about it.
"""

from collections.abc import Sequence
from typing import Final

import msgspec
import structlog
from quart import Blueprint

from svc.actors._core import ActorError
from svc.actors.sites import site_traffic
from svc.actors.system import System
from svc.domain.errors import DomainError, InvalidValue, Unavailable
from svc.domain.input import json as json_input
from svc.domain.net.client_addresses import Network
from svc.domain.net.origins import normalise_domain
from svc.domain.sites.limits import VISIT_BODY_BYTES_MAX
from svc.domain.sites.visits import PageView, page_view
from svc.http.fast_path import Answer, Request
from svc.http.request.body import BodyBroken, BodyCoded, BodyTimeout, BodyTooLarge
from svc.http.request.client_address import address_of
from svc.http.response.answers import CROSS_ORIGIN_RESOURCE
from svc.http.response.cors import ALLOW_CREDENTIALS, MAX_AGE, allow_headers, allow_methods, allow_origin
from svc.http.static_files import ScriptForOtherSites
from svc.logging.throttled import ThrottledLog

log = structlog.get_logger("svc.http.sites.tracker")

PATH: Final = "/api/t"

script = Blueprint("tracker", __name__)
script.add_url_rule(
    "/t.js",
    "script",
    ScriptForOtherSites("http/sites/static/t.js").answer,
)


class ViewReport(msgspec.Struct, frozen=True):
    """A page view as a browser reports it."""

    url: str
    referrer: str | None = None
    title: str | None = None


_view_report: Final = msgspec.json.Decoder(ViewReport)


class TrackerDoor:
    """Answers requests at `PATH`."""

    def __init__(self, system: System, trusted_proxies: Sequence[Network]) -> None:
        self._system = system
        self._trusted_proxies = trusted_proxies
        self._failures = ThrottledLog(log, "page views were not kept")

    async def __call__(self, request: Request) -> Answer:
        if request.method == "POST":
            await self._store(request)
        elif request.method != "OPTIONS":
            return Answer(405, [(b"allow", b"POST, OPTIONS")])
        return _no_content(request)

    def problem_for(self, request: Request, error: Exception) -> Answer:
        """Answer 204 whatever *error* is; errors of this service are logged."""
        match error:
            case ActorError() | Unavailable():
                self._failures.note(error)
            case BodyTooLarge() | BodyCoded() | BodyTimeout() | BodyBroken() | DomainError():
                pass  # not a valid view of a tracked page
            case _:
                log.error("a page view was not kept", request_id=request.id.decode(), exc_info=error)
        return _no_content(request)

    async def _store(self, request: Request) -> None:
        """Store the reported view.

        Raises `DomainError` if it is not a view of a tracked page, and `ActorError` if the actor did not take
        it.
        """
        page = _page_view(await request.read(VISIT_BODY_BYTES_MAX))
        origin = request.text("origin")
        if origin is not None and normalise_domain(origin) != page.host:
            raise InvalidValue("told by a page of another host")
        address = address_of(request.client, request.headers, self._trusted_proxies)
        await site_traffic.view(self._system, page, address, request.text("user-agent") or "")


def _page_view(raw: bytes) -> PageView:
    report = json_input.read(_view_report, raw)
    page = page_view(report.url, report.referrer, report.title)
    if "\0" in f"{page.url}{page.referrer}{page.title}":
        raise InvalidValue("not storable")
    return page


def _no_content(request: Request) -> Answer:
    """204 with the CORS fields that browsers require: some send cookies along, or a preflight.

    Any origin is allowed, because no cookie is read here and the answer is empty.
    """
    headers = [CROSS_ORIGIN_RESOURCE]
    origin = request.header(b"origin")
    if origin is not None:
        headers += [allow_origin(origin), ALLOW_CREDENTIALS, (b"vary", b"origin")]
    if request.method == "OPTIONS":
        headers += [allow_methods(b"POST"), allow_headers(b"content-type"), MAX_AGE]
    return Answer(204, headers)
