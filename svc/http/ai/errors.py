"""Errors of the gateway, in the shape that chat-completions clients expect."""

import traceback
from typing import Any, Final

import msgspec
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from svc.actors.ai.completion_errors import as_gateway_error
from svc.domain.ai.errors import GatewayError
from svc.domain.errors import Forbidden, TooManyAttempts, Unauthenticated, Unavailable
from svc.domain.rate_limits.sliding_window import retry_after_seconds
from svc.http.fast_path import Answer, Request
from svc.http.request.body import BodyCoded, BodyTooLarge
from svc.http.requests.lines import note_code
from svc.http.response.answers import Field, json_answer


def answer_of(error: GatewayError, *fields: Field) -> Answer:
    """The answer for *error*."""
    if error.retry_after_seconds is not None:
        fields = (*fields, (b"retry-after", b"%d" % error.retry_after_seconds))
    return json_answer(error.status, msgspec.json.encode(error.body()), *fields)


UNAUTHORIZED: Final = answer_of(as_gateway_error(Unauthenticated()), (b"www-authenticate", b"Bearer"))
"""The answer to every failed authentication, byte for byte whatever the reason."""


def error_answer(log: Any, request: Request, error: Exception) -> Answer:
    """Answer *error*; faults of this service are logged, without their messages."""
    fields: tuple[Field, ...] = ()
    match error:
        case Unauthenticated():
            note_code(request, as_gateway_error(error).kind)
            return UNAUTHORIZED
        case TooManyAttempts():
            seconds = retry_after_seconds(error.retry_after_ms)
            told = GatewayError("rate_limit_exceeded", _sentence(str(error)), retry_after_seconds=seconds)
        case HTTPException():
            told, fields = _http_error(error)
        case GatewayError() | Forbidden() | Unavailable():
            told = as_gateway_error(error)
        case _:
            log_fault(log, request, error)
            told = GatewayError("internal", "Something failed on our side.")
    note_code(request, told.kind)
    return answer_of(told, *fields)


def log_fault(log: Any, request: Request, error: BaseException) -> None:
    """Log the type of *error* and where it was raised: its message may have text of a request in it."""
    frames = traceback.extract_tb(error.__traceback__)
    places = [f"{frame.filename.rpartition('/svc/')[2]}:{frame.lineno} {frame.name}" for frame in frames]
    log.error(
        "a call at the gateway failed",
        path=request.path,
        request_id=request.id.decode(),
        error=type(error).__name__,
        places=places,
    )


def _http_error(error: HTTPException) -> tuple[GatewayError, tuple[Field, ...]]:
    """What *error* is here, and the header fields that go with it."""
    match error:
        case BodyTooLarge():
            return GatewayError("body_too_large", f"The body is over {error.limit_bytes:,} bytes."), ()
        case BodyCoded():
            return GatewayError("invalid_value", _sentence(error.description or "")), ()
        case MethodNotAllowed():
            methods = sorted(error.valid_methods or ())
            message = f"Use {' or '.join(methods)} here."
            return GatewayError("method_not_allowed", message), ((b"allow", ", ".join(methods).encode()),)
    return GatewayError("invalid_json", "The body did not come whole, or not in time."), ()


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."
