"""The errors of a completion, in the gateway's shape."""

from svc.actors.ai.open_calls import Interruption
from svc.domain.ai.errors import GatewayError
from svc.domain.ai.exits import Ended
from svc.domain.errors import DomainError, Unauthenticated, Unavailable


def as_gateway_error(error: DomainError) -> GatewayError:
    """*error* in the gateway's shape; what has no code of its own there is `internal`."""
    match error:
        case GatewayError():
            return error
        case Unauthenticated():
            return GatewayError("invalid_api_key", "The key is missing, unknown, revoked or expired.")
        case Unavailable():
            seconds = max(1, round(error.retry_after_seconds))
            return GatewayError("overloaded", _sentence(error.detail), retry_after_seconds=seconds)
    return GatewayError("internal", "Something failed on our side.")


def _sentence(detail: str) -> str:
    return f"{detail[:1].upper()}{detail[1:]}."


def failed_within(ended: Ended) -> GatewayError:
    """The error of a stream that *ended* so after its first event."""
    if ended == "silent":
        return GatewayError("upstream_timeout", "The model's provider fell silent.")
    if ended == "limit":
        return GatewayError("upstream_error", "The answer took too long, or grew too large.")
    return GatewayError("upstream_error", "The model's provider broke off.")


def interrupted(interruption: Interruption | None) -> DomainError:
    """The error of a call that was ended from outside."""
    return Unauthenticated() if interruption == "revoked" else Unavailable("the service is shutting down")
