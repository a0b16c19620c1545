"""The form door: `POST /api/f/s`, and its CORS preflight.

Every answer is JSON, `{"ok": true}` or `{"ok": false, "reason": …}`, never a redirect, with the CORS
headers that let a page of another site read it.
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
from svc.domain.forms.limits import FORM_BODY_BYTES_MAX
from svc.domain.forms.submissions import BadSubmission, FieldFault, read_submission
from svc.domain.net.client_addresses import Network, parse_address
from svc.domain.scalars import Scalar
from svc.http.fast_path import Answer, Request
from svc.http.forms.bodies import MalformedBody, read_body
from svc.http.request.bearer import token_of
from svc.http.request.body import ACCEPT_ENCODING, BodyBroken, BodyCoded, BodyTimeout, BodyTooLarge
from svc.http.request.client_address import address_of
from svc.http.response.answers import JSON, Fields
from svc.http.response.cors import (
    MAX_AGE,
    allow_headers,
    allow_methods,
    allow_origin,
    allow_requested_headers,
    expose_headers,
)
from svc.http.response.retry_after import retry_after, wait_ms_of
from svc.logging.throttled import ThrottledLog

log = structlog.get_logger("svc.http.forms")

Reason = Literal["shape", "text", "unknown_form", "origin", "no_contact", "rate", "error"]

_STATUS: Final[dict[Reason, int]] = {"rate": 429, "error": 500}
"""Statuses other than 400. A body over the limit is 413, one with a `Content-Encoding` 415."""


class FormAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """The body of every answer. `fields` names the fields at fault, where the fault is a field's."""

    ok: bool
    reason: Reason | None = None
    fields: dict[str, FieldFault] = {}


_SUCCESS: Final = msgspec.json.encode(FormAnswer(ok=True))


class FormDoor:
    """Answers requests at `SUBMIT_PATH`."""

    def __init__(self, system: System, trusted_proxies: Sequence[Network]) -> None:
        self._system = system
        self._trusted_proxies = trusted_proxies
        self._failures = ThrottledLog(log, "submissions were not taken")

    async def __call__(self, request: Request) -> Answer:
        if request.method == "POST":
            return await self._post(request)
        if request.method == "OPTIONS":
            return await self._preflight(request)
        return _failure(request, "shape", status=405, headers=[(b"allow", b"POST, OPTIONS")])

    def problem_for(self, request: Request, error: Exception) -> Answer:
        """Answer *error* with its reason; errors of this service are logged."""
        match error:
            case BodyCoded():
                return _failure(request, "shape", status=error.code, headers=[ACCEPT_ENCODING])
            case BodyTooLarge() | BodyTimeout() | BodyBroken():
                return _failure(request, "shape", status=error.code)
            case MalformedBody():
                return _failure(request, "shape")
            case BadSubmission():
                return _failure(request, error.reason, fields=error.fields)
            case NotFound():
                return _failure(request, "unknown_form")
            case PostRefused():
                wait = [] if error.retry_after_ms is None else [retry_after(error.retry_after_ms)]
                headers = [*_relay(error.relay), *wait]
                return _failure(request, error.reason, fields=error.fields, headers=headers)
            case ActorError() | Unavailable():
                self._failures.note(error)
            case _:
                log.error("a submission was not taken", request_id=request.id.decode(), exc_info=error)
        return _failure(request, "error", headers=[retry_after(wait_ms_of(error))])

    async def _post(self, request: Request) -> Answer:
        form_key = _form_key(request)
        raw = await request.read(FORM_BODY_BYTES_MAX)
        submission = read_submission(read_body(raw, request.text("content-type"), form_key), form_key)
        post = self._to_post(request, submission.values)
        window = await window_of(self._system, submission.form_key)
        async with self._system.calls.admissions.of(submission.form_key):
            receipt = await window.submit(post)
        return Answer(200, [JSON, *_cors(request), *_relay(receipt.relay)], _SUCCESS)

    async def _preflight(self, request: Request) -> Answer:
        """Answer whether the page may post to the form in the address, by the form's own origins."""
        form_key = _form_key(request)
        reason: Reason | None = "unknown_form"
        if form_key is not None:
            with suppress(NotFound):
                window = await window_of(self._system, form_key)
                reason = await window.refuses(request.text("origin"))
        if reason is not None:
            # A browser requires a successful status of a preflight, whatever its headers are.
            return _failure(request, reason, status=403)
        asked = request.header(b"access-control-request-headers")
        return Answer(
            204,
            [
                *_cors(request),
                allow_methods(b"POST"),
                *(allow_requested_headers(asked) or (allow_headers(b"content-type"),)),
                MAX_AGE,
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
            # Credentials of another scheme are a key that is unknown, rather than none.
            key_digest=digest(token_of(authorization) or authorization) if authorization else None,
        )


def _form_key(request: Request) -> str | None:
    """The form key in the query. A preflight has no body, so this is where it can be."""
    if not request.query:
        return None
    keys = parse_qs(request.query.decode("latin-1")).get("f")
    return keys[0] if keys else None


def _cors(request: Request) -> Fields:
    """Allow any origin to read the answer: it contains nothing that the page did not send itself."""
    origin = request.header(b"origin")
    if origin is None:
        return []
    return [
        allow_origin(origin),
        expose_headers(b"retry-after, x-request-id"),
        (b"vary", b"origin"),
    ]


def _relay(relay: Relay | None) -> Fields:
    return [] if relay is None else [(b"x-service-relay-key", relay.encode())]


def _failure(
    request: Request,
    reason: Reason,
    *,
    status: int | None = None,
    fields: dict[str, FieldFault] | None = None,
    headers: Fields = (),
) -> Answer:
    body = msgspec.json.encode(FormAnswer(ok=False, reason=reason, fields=fields or {}))
    return Answer(status or _STATUS.get(reason, 400), [JSON, *_cors(request), *headers], body)
