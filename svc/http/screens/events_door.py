"""`GET /app/api/events?org=`: live hints for screens, as server-sent events (HTML, section 9.2)."""

from typing import Final
from urllib.parse import parse_qs

import structlog
from werkzeug.exceptions import MethodNotAllowed
from werkzeug.sansio.http import parse_cookie

from svc.actors.system import System
from svc.domain.errors import Forbidden
from svc.http.fast_path import Answer, PartSender, Request, StreamAnswer
from svc.http.problems.call_problems import call_problem
from svc.http.request.organization import organization_in
from svc.http.request.session_cookie import SESSION_COOKIE, cookie_name, session_token
from svc.http.request.transport import Transport
from svc.http.response.answers import NO_STORE, NOSNIFF, Fields
from svc.http.tools.door import SESSION_UNAUTHORIZED
from svc.services.screens.streams import MEDIA_TYPE, ScreenStream, readers_of
from svc.tools.registry import Registry

log = structlog.get_logger("svc.http.screens")

PATH: Final = "/app/api/events"
_FIELDS: Final[Fields] = (
    (b"content-type", MEDIA_TYPE.encode()),
    NO_STORE,
    NOSNIFF,
    (b"x-accel-buffering", b"no"),  # nginx would hold the events back
)
_NUMBER_DIGITS_MAX: Final = 19


class EventsDoor:
    """Streams the hints of one organization to a signed-in person."""

    def __init__(self, system: System, transport: Transport, registry: Registry) -> None:
        self._system = system
        self._transport = transport
        self._readers = readers_of(registry.values())

    async def __call__(self, request: Request) -> StreamAnswer:
        """Check, in this order: method, origin, session, membership; places are taken with the first part."""
        if request.method != "GET":
            raise MethodNotAllowed(["GET"])
        if request.header(b"sec-fetch-site") != b"same-origin":
            raise Forbidden("live events are for this service's own pages: Sec-Fetch-Site is not same-origin")
        asked = parse_qs(request.query.decode("latin-1"))
        encrypted = self._transport.is_encrypted(request.scheme, request.client, request.headers)
        cookie = parse_cookie(request.text("cookie")).get(cookie_name(SESSION_COOKIE, encrypted=encrypted))
        stream = await ScreenStream.admit(
            self._system, self._readers, session_token(cookie), organization_in(request)
        )
        after = _number(request.text("last-event-id") or asked.get("after", [None])[0])
        await request.read(0)

        async def write(parts: PartSender) -> Answer | None:
            await stream.write(parts, after)
            return None

        return StreamAnswer(200, _FIELDS, write)

    def problem_for(self, request: Request, error: Exception) -> Answer:
        """Answer *error* with its problem; faults of this service are logged."""
        return call_problem(log, request, error, SESSION_UNAUTHORIZED)


def _number(text: str | None) -> int | None:
    """The number in `Last-Event-ID`, or in `after` of a page's first stream.

    One that is none was never ours: it counts as forgotten, so the page asks again for all.
    """
    if not text:
        return None
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _NUMBER_DIGITS_MAX else -1
