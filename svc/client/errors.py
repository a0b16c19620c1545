"""The errors of calls to the service."""

from typing import Any


class ServiceError(Exception):
    """The base class of the errors that a call raises."""


class Unreachable(ServiceError):
    """Raised when no attempt got a response. The call may or may not have taken effect.

    It is safe to repeat the call under the same idempotency key.
    """


class BadAnswer(ServiceError):
    """Raised for a response that cannot be decoded, or is not the service's, such as a proxy's error page."""


class Refused(ServiceError):
    """Raised when the service rejects a call. `code` is explained at the service's `/problems/<code>`."""

    def __init__(
        self,
        status: int,
        code: str,
        detail: str = "",
        *,
        errors: tuple[dict[str, Any], ...] = (),
        conflicts: tuple[dict[str, Any], ...] = (),
        request_id: str | None = None,
        retry_after_seconds: float | None = None,
    ) -> None:
        super().__init__(f"{status} {code}: {detail}" if detail else f"{status} {code}")
        self.status = status
        """The HTTP status."""
        self.code = code
        self.detail = detail
        self.errors = errors
        """The faults of the request body: `pointer`, `code` and `detail` of each."""
        self.conflicts = conflicts
        """With `conflict`, of a call with `ifVersion`: each `property`, with `yours` and `theirs`."""
        self.request_id = request_id
        """The id of the request in the service's log."""
        self.retry_after_seconds = retry_after_seconds

    @property
    def is_transient(self) -> bool:
        """Whether the same call may succeed if it is repeated later."""
        return self.status in {408, 429, 500, 502, 503, 504} or self.code == "idempotency_in_progress"

    @property
    def is_unauthorized(self) -> bool:
        """Whether the key itself is rejected, so that no call with it can succeed."""
        return self.code == "unauthorized"
