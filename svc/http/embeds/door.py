"""The embed's door: `GET /api/e/<embed key>`, as JSON or with `?format=html` as a fragment; and its loader.

A fresh answer is a snapshot that lies ready: nobody is asked for it, and nothing is made.
"""

from typing import Final
from urllib.parse import parse_qs

import structlog
from quart import Blueprint, Response

from svc.actors._core import ActorError
from svc.actors.embed_snapshots import Format, Snapshot
from svc.actors.embeds.embed_cache import current
from svc.actors.system import System
from svc.domain.crypto.keys import EMBED_KEY, well_formed
from svc.domain.errors import NotFound, Unavailable
from svc.domain.limits import EMBED_FRESH_MS, EMBED_STALE_MS
from svc.domain.net.origins import origin_allowed
from svc.domain.rate_limits.sliding_window import retry_after_seconds
from svc.domain.times import SECOND_MS
from svc.http.fast_path import Answer, Request
from svc.http.static_files import StaticFile
from svc.throttled_log import ThrottledLog

log = structlog.get_logger("svc.http.embeds")

PATH: Final = "/api/e/"
PREFLIGHT_SECONDS: Final = 86_400

loader = Blueprint("embeds", __name__)
loader.add_url_rule(
    "/e.js",
    "loader",
    StaticFile(
        "http/embeds/static/e.js",
        {
            "Cache-Control": "public, max-age=3600, stale-while-revalidate=86400",
            # Pages that are isolated, or that name the script's hash, load it all the same.
            "Cross-Origin-Resource-Policy": "cross-origin",
            "Access-Control-Allow-Origin": "*",
        },
    ).answer,
)

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
    """Where the attribution of every embed leads."""
    headers = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}
    return Response(_ABOUT, content_type="text/html; charset=utf-8", headers=headers)


_Headers = tuple[tuple[bytes, bytes], ...]

_NO_STORE: Final = (b"cache-control", b"no-store")
_JSON: Final = (b"content-type", b"application/json")
_ANY_ORIGIN: Final = (b"access-control-allow-origin", b"*")
_GZIP: Final = (b"content-encoding", b"gzip")
_EVERYWHERE: Final[_Headers] = (
    (b"cross-origin-resource-policy", b"cross-origin"),
    (b"x-content-type-options", b"nosniff"),
)
_KEPT: Final = (
    b"cache-control",
    b"public, max-age=%d, stale-while-revalidate=%d"
    % (EMBED_FRESH_MS // SECOND_MS, EMBED_STALE_MS // SECOND_MS),
)
_AS_JSON: Final[_Headers] = (_JSON, *_EVERYWHERE)
_AS_HTML: Final[_Headers] = (
    (b"content-type", b"text/html; charset=utf-8"),
    # Who opens the fragment itself gets what everybody gets: something that does nothing but post its form.
    (
        b"content-security-policy",
        b"default-src 'none'; style-src 'unsafe-inline'; img-src http: https:; form-action http: https:",
    ),
    *_EVERYWHERE,
)
_NOT_OK: Final = b'{"ok":false}'
_METHODS: Final = b"GET, HEAD, OPTIONS"


class EmbedDoor:
    """Answers below `PATH` for *system*."""

    def __init__(self, system: System) -> None:
        self._system = system
        self._unmade = ThrottledLog(log, "embeds could not be shown")

    async def __call__(self, request: Request) -> Answer:
        if request.method not in {"GET", "HEAD", "OPTIONS"}:
            return Answer(405, [_JSON, (b"allow", _METHODS)], _NOT_OK)
        key = request.path[len(PATH) :]
        if not well_formed(key, EMBED_KEY):
            raise NotFound("no such embed")
        snapshot = await current(self._system, key)
        made = snapshot.rendering
        if made is None:
            raise NotFound("not shown")
        origin = request.header(b"origin")
        if snapshot.domain is not None and not origin_allowed(
            None if origin is None else origin.decode("latin-1"), snapshot.domain
        ):
            return Answer(403, [_JSON, _NO_STORE, (b"vary", b"Origin")], _NOT_OK)
        if request.method == "OPTIONS":
            return Answer(204, [*_preflight(request), *_cors(snapshot, origin)])
        if _wants_html(request.query):
            return _answer(request, snapshot, made.html, _AS_HTML, origin)
        return _answer(request, snapshot, made.json, _AS_JSON, origin)

    def problem_for(self, request: Request, error: Exception) -> Answer:
        """What the page hears of *error*: unknown, paused and removed embeds are one."""
        match error:
            case NotFound():
                return Answer(404, [_JSON, _NO_STORE, _ANY_ORIGIN], _NOT_OK)
            case ActorError() | Unavailable():
                self._unmade.note(repr(error))
            case _:
                log.error("an embed was not shown", request_id=request.id.decode(), exc_info=error)
                return Answer(500, [_JSON, _NO_STORE, _ANY_ORIGIN], _NOT_OK)
        seconds = error.retry_after_seconds if isinstance(error, Unavailable) else 1
        wait = b"%d" % retry_after_seconds(round(seconds * SECOND_MS))
        return Answer(503, [_JSON, _NO_STORE, _ANY_ORIGIN, (b"retry-after", wait)], _NOT_OK)


def _answer(
    request: Request,
    snapshot: Snapshot,
    ready: Format,
    headers: _Headers,
    origin: bytes | None,
) -> Answer:
    chosen = ready.gzip if _takes_gzip(request) else ready.plain
    common = [
        (b"etag", chosen.etag),
        _KEPT if snapshot.cacheable else _NO_STORE,
        *_cors(snapshot, origin),
        *headers,
    ]
    known = request.header(b"if-none-match")
    if known is not None and _matches(known, chosen.etag):
        return Answer(304, common)
    if chosen is ready.gzip:
        common.append(_GZIP)
    return Answer(200, common, chosen.body)


def _cors(snapshot: Snapshot, origin: bytes | None) -> _Headers:
    """Lets the page read the answer; a bound embed names its site, and says that it looked at who asks."""
    if snapshot.domain is None:
        return (_ANY_ORIGIN, (b"vary", b"Accept-Encoding"))
    vary = (b"vary", b"Origin, Accept-Encoding")
    return (vary,) if origin is None else ((b"access-control-allow-origin", origin), vary)


def _preflight(request: Request) -> _Headers:
    """What a page asks beforehand when it sends headers of its own."""
    asked = request.header(b"access-control-request-headers")
    allowed = ((b"access-control-allow-headers", asked),) if asked else ()
    return (
        (b"access-control-allow-methods", b"GET, HEAD"),
        (b"access-control-max-age", b"%d" % PREFLIGHT_SECONDS),
        *allowed,
    )


def _wants_html(query: bytes) -> bool:
    if not query:
        return False
    return query == b"format=html" or parse_qs(query.decode("latin-1")).get("format") == ["html"]


def _takes_gzip(request: Request) -> bool:
    """Whether the client takes gzip (RFC 9110 §12.5.3)."""
    accepted = request.header(b"accept-encoding")
    if accepted is None:
        return False
    codings = accepted.lower().split(b",")
    for wanted in (b"gzip", b"*"):
        for one in codings:
            coding, _, weight = one.partition(b";")
            if coding.strip() == wanted:
                return _weight(weight) > 0
    return False


def _weight(parameter: bytes) -> float:
    _, _, value = parameter.replace(b" ", b"").partition(b"q=")
    try:
        return float(value) if value else 1
    except ValueError:
        return 0


def _matches(if_none_match: bytes, etag: bytes) -> bool:
    """Whether one of the tags is *etag*, compared weakly as RFC 9110 §13.1.2 has it."""
    if if_none_match.strip() == b"*":
        return True
    return any(one.strip().removeprefix(b"W/") == etag for one in if_none_match.split(b","))
