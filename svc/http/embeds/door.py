"""The embed door: `GET /api/e/<embed key>` as JSON, or as HTML with `?format=html`; and the loader script.

A fresh answer is served from a snapshot in memory, without a message to an actor and without rendering.
"""

from typing import Final
from urllib.parse import parse_qs

import structlog
from quart import Blueprint, Response

from svc.actors._core import ActorError
from svc.actors.embeds.embed_cache import current
from svc.actors.embeds.embed_snapshots import Format, Snapshot
from svc.actors.system import System
from svc.domain.crypto.keys import EMBED_KEY, well_formed
from svc.domain.embeds.limits import EMBED_FRESH_MS, EMBED_STALE_MS
from svc.domain.errors import NotFound, Unavailable
from svc.domain.locale.times import SECOND_MS
from svc.domain.net.origins import origin_allowed
from svc.http.fast_path import Answer, Request
from svc.http.response.answers import CROSS_ORIGIN_RESOURCE, JSON, NO_STORE, NOSNIFF, Fields
from svc.http.response.conditional import GZIP, accepts_gzip, is_not_modified
from svc.http.response.cors import ANY_ORIGIN, MAX_AGE, allow_methods, allow_origin, allow_requested_headers
from svc.http.response.retry_after import retry_after, wait_ms_of
from svc.http.static_files import ScriptForOtherSites
from svc.logging.throttled import ThrottledLog

log = structlog.get_logger("svc.http.embeds")

PATH: Final = "/api/e/"

loader = Blueprint("embeds", __name__)
loader.add_url_rule("/e.js", "loader", ScriptForOtherSites("http/embeds/static/e.js").answer)

_ABOUT: Final = """\
<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Embeds</title>
<body style="max-width:40rem;margin:10vh auto;padding:0 1.5rem;font:1.1rem/1.6 system-ui,sans-serif">
<h1>Embeds</h1>
<p>What led you here is shown by <b>svc</b> on a page that it does not host: lists of things that an
organization published, and forms that lead to it. It sets no cookie and counts nobody, and nothing about a
person is ever in it.</p>
"""


@loader.get("/about/embeds")
async def about() -> Response:
    """The page that the attribution of every embed links to."""
    headers = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}
    return Response(_ABOUT, content_type="text/html; charset=utf-8", headers=headers)


_CACHEABLE: Final = (
    b"cache-control",
    b"public, max-age=%d, stale-while-revalidate=%d"
    % (EMBED_FRESH_MS // SECOND_MS, EMBED_STALE_MS // SECOND_MS),
)
_JSON_FIELDS: Final[Fields] = (JSON, CROSS_ORIGIN_RESOURCE, NOSNIFF)
_HTML_FIELDS: Final[Fields] = (
    (b"content-type", b"text/html; charset=utf-8"),
    # Opened as a page of its own, the fragment can do nothing but post its form.
    (
        b"content-security-policy",
        b"default-src 'none'; style-src 'unsafe-inline'; img-src http: https:; form-action http: https:",
    ),
    CROSS_ORIGIN_RESOURCE,
    NOSNIFF,
)
_FAILURE: Final = b'{"ok":false}'
_METHODS: Final = b"GET, HEAD, OPTIONS"


class EmbedDoor:
    """Answers requests below `PATH`."""

    def __init__(self, system: System) -> None:
        self._system = system
        self._failures = ThrottledLog(log, "embeds could not be shown")

    async def __call__(self, request: Request) -> Answer:
        if request.method not in {"GET", "HEAD", "OPTIONS"}:
            return Answer(405, [JSON, (b"allow", _METHODS)], _FAILURE)
        key = request.path[len(PATH) :]
        if not well_formed(key, EMBED_KEY):
            raise NotFound("no such embed")
        snapshot = await current(self._system, key)
        rendering = snapshot.rendering
        if rendering is None:
            raise NotFound("not shown")
        origin = request.header(b"origin")
        if snapshot.domain is not None and not origin_allowed(
            None if origin is None else origin.decode("latin-1"), snapshot.domain
        ):
            return Answer(403, [JSON, NO_STORE, (b"vary", b"Origin")], _FAILURE)
        if request.method == "OPTIONS":
            return Answer(204, [*_preflight(request), *_cors(snapshot, origin)])
        if _wants_html(request.query):
            return _answer(request, snapshot, rendering.html, _HTML_FIELDS, origin)
        return _answer(request, snapshot, rendering.json, _JSON_FIELDS, origin)

    def problem_for(self, request: Request, error: Exception) -> Answer:
        """Answer *error*. Unknown, paused and removed embeds are all 404, with one body."""
        match error:
            case NotFound():
                return Answer(404, [JSON, NO_STORE, ANY_ORIGIN], _FAILURE)
            case ActorError() | Unavailable():
                self._failures.note(error)
            case _:
                log.error("an embed was not shown", request_id=request.id.decode(), exc_info=error)
                return Answer(500, [JSON, NO_STORE, ANY_ORIGIN], _FAILURE)
        return Answer(503, [JSON, NO_STORE, ANY_ORIGIN, retry_after(wait_ms_of(error))], _FAILURE)


def _answer(
    request: Request,
    snapshot: Snapshot,
    representation: Format,
    headers: Fields,
    origin: bytes | None,
) -> Answer:
    rendition = (
        representation.gzip if accepts_gzip(request.header(b"accept-encoding")) else representation.plain
    )
    common = [
        (b"etag", rendition.etag),
        _CACHEABLE if snapshot.cacheable else NO_STORE,
        *_cors(snapshot, origin),
        *headers,
    ]
    if is_not_modified(request.header(b"if-none-match"), rendition.etag):
        return Answer(304, common)
    if rendition is representation.gzip:
        common.append(GZIP)
    return Answer(200, common, rendition.body)


def _cors(snapshot: Snapshot, origin: bytes | None) -> Fields:
    """CORS fields. An embed bound to a site allows that origin alone, so its answer varies by `Origin`."""
    if snapshot.domain is None:
        return (ANY_ORIGIN, (b"vary", b"Accept-Encoding"))
    vary = (b"vary", b"Origin, Accept-Encoding")
    return (vary,) if origin is None else (allow_origin(origin), vary)


def _preflight(request: Request) -> Fields:
    """The answer to a preflight, which browsers send for requests with headers of their own."""
    asked = request.header(b"access-control-request-headers")
    return (allow_methods(b"GET, HEAD"), MAX_AGE, *allow_requested_headers(asked))


def _wants_html(query: bytes) -> bool:
    if not query:
        return False
    return query == b"format=html" or parse_qs(query.decode("latin-1")).get("format") == ["html"]
