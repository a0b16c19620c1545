"""The form door: `POST /api/f/s`, and the preflight that browsers send before it.

Every answer is JSON, `{"ok": true}` or `{"ok": false, "reason": …}`, never a redirect, and has the
headers that let a page on another site read it.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Final, Literal
from urllib.parse import parse_qs

import msgspec
import structlog

from svc.actors._core import ActorError
from svc.actors.forms.form_window import Post, PostRefused, Relay, window_of
from svc.actors.system import System
from svc.domain.crypto.keys import digest
from svc.domain.errors import NotFound, Unavailable
from svc.domain.forms.submissions import BadSubmission, FieldFault, read_submission
from svc.domain.limits import FORM_BODY_BYTES_MAX
from svc.domain.net.client_addresses import Network, parse_address
from svc.domain.rate_limits.sliding_window import retry_after_seconds
from svc.domain.scalars import Scalar
from svc.domain.times import SECOND_MS
from svc.http.fast_path import Answer, Request
from svc.http.forms.bodies import MalformedBody, read_body
from svc.http.request.body import ACCEPT_ENCODING, BodyBroken, BodyCoded, BodyTimeout, BodyTooLarge
from svc.http.request.client_address import address_of
from svc.throttled_log import ThrottledLog

log = structlog.get_logger("svc.http.forms")

PREFLIGHT_SECONDS: Final = 86_400

Reason = Literal["shape", "text", "unknown_form", "origin", "no_contact", "rate", "error"]

_STATUS: Final[dict[Reason, int]] = {"rate": 429, "error": 500}
"""Everything else is 400; a body over the limit is 413, one that is compressed 415."""


class FormAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the sender hears. `fields` names fields at fault, where the fault is a field's."""

    ok: bool
    reason: Reason | None = None
    fields: dict[str, FieldFault] = {}


_JSON: Final = (b"content-type", b"application/json")
_TAKEN: Final = msgspec.json.encode(FormAnswer(ok=True))


class FormDoor:
    """Answers at `SUBMIT_PATH` for *system*."""

    def __init__(self, system: System, trusted_proxies: Sequence[Network]) -> None:
        self._system = system
        self._trusted_proxies = trusted_proxies
        self._untaken = ThrottledLog(log, "submissions were not taken")

    async def __call__(self, request: Request) -> Answer:
        if request.method == "POST":
            return await self._post(request)
        if request.method == "OPTIONS":
            return await self._preflight(request)
        return _refused(request, "shape", status=405, headers=[(b"allow", b"POST, OPTIONS")])

    def problem_for(self, request: Request, error: Exception) -> Answer:
        """What the sender hears of *error*."""
        match error:
            case BodyCoded():
                return _refused(request, "shape", status=error.code, headers=[ACCEPT_ENCODING])
            case BodyTooLarge() | BodyTimeout() | BodyBroken():
                return _refused(request, "shape", status=error.code)
            case MalformedBody():
                return _refused(request, "shape")
            case BadSubmission():
                return _refused(request, error.reason, fields=error.fields)
            case NotFound():
                return _refused(request, "unknown_form")
            case PostRefused():
                headers = [*_relay(error.relay), *_retry_after(error.retry_after_ms)]
                return _refused(request, error.reason, fields=error.fields, headers=headers)
            case ActorError() | Unavailable():
                self._untaken.note(repr(error))
            case _:
                log.error("a submission was not taken", request_id=request.id.decode(), exc_info=error)
        seconds = error.retry_after_seconds if isinstance(error, Unavailable) else 1
        return _refused(request, "error", headers=_retry_after(round(seconds * SECOND_MS)))

    async def _post(self, request: Request) -> Answer:
        form_key = _form_key(request)
        raw = await request.read(FORM_BODY_BYTES_MAX)
        submission = read_submission(read_body(raw, request.text("content-type"), form_key), form_key)
        post = self._to_post(request, submission.values)
        window = await window_of(self._system, submission.form_key)
        async with self._system.admissions.of(submission.form_key):
            receipt = await window.submit(post)
        return Answer(200, [_JSON, *_cors(request), *_relay(receipt.relay)], _TAKEN)

    async def _preflight(self, request: Request) -> Answer:
        """Whether a page may post here. Only the form named in the address can say."""
        form_key = _form_key(request)
        refusal: Reason | None = "unknown_form"
        if form_key is not None:
            with suppress(NotFound):
                window = await window_of(self._system, form_key)
                refusal = await window.refuses(request.text("origin"))
        if refusal is not None:
            # A browser lets the page post only where the preflight succeeds, whatever the headers say.
            return _refused(request, refusal, status=403)
        return Answer(
            204,
            [
                *_cors(request),
                (b"access-control-allow-methods", b"POST"),
                (b"access-control-allow-headers", b"content-type"),
                (b"access-control-max-age", b"%d" % PREFLIGHT_SECONDS),
            ],
        )

    def _to_post(self, request: Request, values: dict[str, Scalar]) -> Post:
        visitor_ip = request.text("x-visitor-ip")
        visitor_ua = request.text("x-visitor-ua")
        authorization = request.text("authorization")
        return Post(
            values=values,
            origin=request.text("origin"),
            address=address_of(request.client, request.headers, self._trusted_proxies),
            visitor_address=parse_address(visitor_ip) if visitor_ip else None,
            user_agent=visitor_ua or request.text("user-agent") or "",
            key_digest=digest(_bearer(authorization)) if authorization else None,
        )


def _form_key(request: Request) -> str | None:
    """The form key in the address, which browsers put there for the preflight."""
    if not request.query:
        return None
    keys = parse_qs(request.query.decode("latin-1")).get("f")
    return keys[0] if keys else None


def _bearer(authorization: str) -> str:
    """The token of `Bearer <token>`; anything else is a key that is not known either."""
    scheme, _, token = authorization.partition(" ")
    return token.strip() if scheme.lower() == "bearer" else authorization


def _cors(request: Request) -> list[tuple[bytes, bytes]]:
    """Lets the page that asked read the answer, which never says more than that page sent."""
    origin = request.header(b"origin")
    if origin is None:
        return []
    return [
        (b"access-control-allow-origin", origin),
        (b"access-control-expose-headers", b"retry-after, x-request-id"),
        (b"vary", b"origin"),
    ]


def _relay(relay: Relay | None) -> list[tuple[bytes, bytes]]:
    return [] if relay is None else [(b"x-service-relay-key", relay.encode())]


def _retry_after(wait_ms: int | None) -> list[tuple[bytes, bytes]]:
    return [] if wait_ms is None else [(b"retry-after", str(retry_after_seconds(wait_ms)).encode())]


def _refused(
    request: Request,
    reason: Reason,
    *,
    status: int | None = None,
    fields: dict[str, FieldFault] | None = None,
    headers: Sequence[tuple[bytes, bytes]] = (),
) -> Answer:
    body = msgspec.json.encode(FormAnswer(ok=False, reason=reason, fields=fields or {}))
    return Answer(status or _STATUS.get(reason, 400), [_JSON, *_cors(request), *headers], body)
