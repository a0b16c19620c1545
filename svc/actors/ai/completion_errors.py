"""The errors of a completion, in the gateway's shape."""

from typing import Final

from svc.actors.outbound.errors import IdleTooLong, TookTooLong, TooLarge
from svc.domain.ai.errors import GatewayError
from svc.domain.ai.event_stream import EventTooLarge
from svc.domain.ai.exits import Ended
from svc.domain.ai.key_guard import KeyRepeated
from svc.domain.errors import DomainError, Forbidden, Unauthenticated, Unavailable


def as_gateway_error(error: DomainError) -> GatewayError:
    """*error* in the gateway's shape; what has no code of its own there is `internal`."""
    match error:
        case GatewayError():
            return error
        case Unauthenticated():
            return GatewayError("invalid_api_key", "The key is missing, unknown, revoked or expired.")
        case Forbidden():
            return GatewayError("forbidden", _sentence(str(error)))
        case Unavailable():
            seconds = max(1, round(error.retry_after_seconds))
            return GatewayError("overloaded", _sentence(error.detail), retry_after_seconds=seconds)
    return GatewayError("internal", "Something failed on our side.")


def _sentence(detail: str) -> str:
    return f"{detail[:1].upper()}{detail[1:]}."


class StreamBroken(Exception):
    """Raised when a stream cannot go on after its first event.

    *ended* says how that counts, and *error* what the client is told.
    """

    def __init__(self, ended: Ended, error: GatewayError) -> None:
        super().__init__(ended)
        self.ended: Final[Ended] = ended
        self.error: Final = error


def stream_broken(failure: Exception | None = None) -> StreamBroken:
    """How the *failure* of a stream counts after its first event; None where its provider broke off."""
    match failure:
        case IdleTooLong():
            return StreamBroken(
                "silent", GatewayError("upstream_timeout", "The model's provider fell silent.")
            )
        case TookTooLong():
            return StreamBroken("limit", GatewayError("upstream_timeout", "The answer took too long."))
        case TooLarge() | EventTooLarge():
            return StreamBroken("limit", GatewayError("upstream_error", "The answer grew too large."))
        case KeyRepeated():
            return StreamBroken(
                "broken", GatewayError("upstream_error", "The model's provider sent what must not be shown.")
            )
    return StreamBroken("broken", GatewayError("upstream_error", "The model's provider broke off."))
