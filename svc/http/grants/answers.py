"""How the doors of OAuth answer: JSON, readable by pages of any origin, which send no cookie."""

from typing import Any, Final

import msgspec

from svc.domain.errors import TooManyAttempts, Unavailable
from svc.domain.grants.oauth import OAuthRefusal
from svc.http.fast_path import Answer, Request
from svc.http.problems.problems import problem_for
from svc.http.response.answers import JSON, NO_STORE, Field
from svc.http.response.cors import ANY_ORIGIN, MAX_AGE, allow_methods, allow_requested_headers, expose_headers
from svc.http.response.retry_after import retry_after, wait_ms_of

_CACHED: Final = (b"cache-control", b"public, max-age=300")
"""Of metadata, which a client may ask for at each start. Ours: five minutes."""
_EXPOSED: Final = expose_headers(b"WWW-Authenticate, Retry-After, X-Request-Id")
_BASIC: Final = (b"www-authenticate", b'Basic realm="svc"')


def metadata(value: dict[str, Any]) -> Answer:
    """Metadata, which may be cached for a while."""
    return Answer(200, [JSON, _CACHED, ANY_ORIGIN], msgspec.json.encode(value))


def secret_answer(status: int, value: Any) -> Answer:
    """An answer that no cache may keep."""
    fields = (JSON, NO_STORE, (b"pragma", b"no-cache"), ANY_ORIGIN, _EXPOSED)
    return Answer(status, fields, msgspec.json.encode(value))


def preflight(request: Request, methods: bytes) -> Answer:
    """Let pages of any origin send *methods*, with the headers that they ask for."""
    headers = allow_requested_headers(request.header(b"access-control-request-headers"))
    return Answer(204, [ANY_ORIGIN, allow_methods(methods), *headers, MAX_AGE])


def refusal_answer(refusal: OAuthRefusal, *, basic: bool = False) -> Answer:
    """A refusal (RFC 6749 §5.2). *basic*: the client has shown its secret in the header."""
    if refusal.error != "invalid_client":
        return _failure(400, refusal.error, str(refusal))
    return _failure(401, refusal.error, str(refusal), *([_BASIC] if basic else []))


def error_answer(request: Request, error: Exception) -> Answer:
    """The answer to *error* where it is none of OAuth's own: too many, too busy, malformed, or a fault."""
    match error:
        case OAuthRefusal():
            return refusal_answer(error)
        case TooManyAttempts():
            return _failure(429, "temporarily_unavailable", str(error), retry_after(error.retry_after_ms))
        case Unavailable():
            return _failure(503, "temporarily_unavailable", error.detail, retry_after(wait_ms_of(error)))
    answer = problem_for(error, request.id)
    return Answer(answer.status, [*answer.headers, ANY_ORIGIN, NO_STORE], answer.body)


def _failure(status: int, error: str, description: str, *fields: Field) -> Answer:
    answer = secret_answer(status, {"error": error, "error_description": description})
    return Answer(status, [*answer.headers, *fields], answer.body)
