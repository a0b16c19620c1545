"""The gateway's errors, in the shape that chat-completions clients expect.

None has text of a provider in it, nor of a request beyond names of its members.
"""

from typing import Any, ClassVar, Final, NamedTuple

from svc.domain.errors import DomainError


class ErrorKind(NamedTuple):
    """Status and type of the errors with one code."""

    status: int
    type: str


_REQUEST: Final = "invalid_request_error"

KINDS: Final[dict[str, ErrorKind]] = {
    "invalid_json": ErrorKind(400, _REQUEST),
    "invalid_value": ErrorKind(400, _REQUEST),
    "invalid_api_key": ErrorKind(401, "authentication_error"),
    "insufficient_credits": ErrorKind(402, "insufficient_quota"),
    "key_budget_exceeded": ErrorKind(402, "insufficient_quota"),
    "forbidden": ErrorKind(403, "permission_error"),
    "unknown_url": ErrorKind(404, _REQUEST),
    "model_not_found": ErrorKind(404, _REQUEST),
    "method_not_allowed": ErrorKind(405, _REQUEST),
    "body_too_large": ErrorKind(413, _REQUEST),
    "rate_limit_exceeded": ErrorKind(429, "rate_limit_error"),
    "internal": ErrorKind(500, "server_error"),
    "upstream_error": ErrorKind(502, "upstream_error"),
    "overloaded": ErrorKind(503, "server_error"),
    "upstream_timeout": ErrorKind(504, "upstream_error"),
}
"""Every code of the gateway."""


class GatewayError(DomainError):
    """Raised for a call that the gateway answers with an error. Its code is one of `KINDS`."""

    code: ClassVar[str] = "internal"

    def __init__(
        self, kind: str, message: str, *, param: str | None = None, retry_after_seconds: int | None = None
    ) -> None:
        super().__init__(message)
        self.kind: Final = kind
        self.param: Final = param
        """The member of the request that is at fault, such as `messages[0]`."""
        self.retry_after_seconds: Final = retry_after_seconds

    @property
    def status(self) -> int:
        """The HTTP status."""
        return KINDS[self.kind].status

    def body(self) -> dict[str, Any]:
        """The answer's body."""
        error = {"message": str(self), "type": KINDS[self.kind].type, "param": self.param, "code": self.kind}
        return {"error": error}


def unknown_model() -> GatewayError:
    """One answer for a model that is unknown, restricted, or not the key's."""
    return GatewayError(
        "model_not_found",
        "There is no such model here, or this key may not name it: GET /api/ai/v1/models lists those it may.",
        param="model",
    )
