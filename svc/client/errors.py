"""What goes wrong between a program and the service, in one tree."""

from typing import Any


class ServiceError(Exception):
    """The base of everything that the kit raises for a call."""


class Unreachable(ServiceError):
    """Raised when no answer came, in as many attempts as were allowed. It may or may not have been done.

    The same call under the same idempotency key is safe.
    """


class BadAnswer(ServiceError):
    """Raised for an answer that is not the service's, such as a proxy's page, or of an unknown shape."""


class Refused(ServiceError):
    """Raised when the service said no. `code` is what to branch on; `/problems/<code>` there explains it."""

    def __init__(
        self,
        status: int,
        code: str,
        detail: str = "",
        *,
        errors: tuple[dict[str, Any], ...] = (),
        request_id: str | None = None,
        retry_after_seconds: float | None = None,
    ) -> None:
        super().__init__(f"{status} {code}: {detail}" if detail else f"{status} {code}")
        self.status = status
        self.code = code
        self.detail = detail
        self.errors = errors
        """All that is wrong with what was asked: pointer, code and detail of each."""
        self.request_id = request_id
        self.retry_after_seconds = retry_after_seconds

    @property
    def is_passing(self) -> bool:
        """Whether the same call may be answered otherwise a little later."""
        return self.status in {408, 429, 500, 502, 503, 504} or self.code == "idempotency_in_progress"

    @property
    def is_for_good(self) -> bool:
        """Whether every call with this key is refused: there is nothing left to run for."""
        return self.code == "unauthorized"
