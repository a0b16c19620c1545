"""The errors that are part of the protocol, in one tree.

A `DomainError` is an answer: it goes back to whoever asked and nothing crashes.
Everything else is a fault of ours, and crashes the turn that it happened in.
"""

from collections.abc import Iterable

import msgspec


class DomainError(Exception):
    """Raised when a rule refuses what was asked. Tell the asker why."""


class InvalidValue(DomainError, ValueError):
    """Raised for a value that breaks the rule of its type. Say which and why."""


class Fault(msgspec.Struct, frozen=True):
    """One thing that is wrong with what was asked."""

    pointer: str
    """Where, as a JSON pointer (RFC 6901) into what was asked."""
    code: str
    detail: str


class InvalidInput(DomainError, ValueError):
    """Raised with all that is wrong with what was asked. Nothing was changed: mend it and ask again."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(f"{fault.pointer}: {fault.detail}" for fault in self.faults))


class NotFound(DomainError):
    """Raised when no such thing exists, or the asker may not know that it does."""


class Conflict(DomainError):
    """Raised when the thing is not in a state that allows what was asked."""


class Unavailable(DomainError):
    """Raised when the thing cannot be done now and nothing was changed. Try again later.

    `retry_after_seconds` says when, where somebody knows; one second otherwise.
    """

    def __init__(self, message: str, *, retry_after_seconds: float = 1.0) -> None:
        super().__init__(message)
        self.retry_after_seconds = retry_after_seconds


class Unauthenticated(DomainError):
    """Raised when nobody that we know asks. It never says why: unknown, revoked and expired are one."""


class Forbidden(DomainError):
    """Raised when we know who asks, and that one may not do this."""


class PersonOnly(Forbidden):
    """Raised when a key or an agent asks for what only a person does."""


class ApprovalRequired(Forbidden):
    """Raised when an agent would have to ask for approval first, so that a key may not do it at all."""


class ConfirmationRequired(Forbidden):
    """Raised when a person has to confirm who they are first: their sign-in is no longer fresh."""


class KeyLimit(Conflict):
    """Raised when an organization has as many live keys as it may. Revoke one."""


class TooManyAttempts(DomainError):
    """Raised when something was tried too often. Try again after `retry_after_ms`."""

    def __init__(self, message: str, *, retry_after_ms: int) -> None:
        super().__init__(message)
        self.retry_after_ms = retry_after_ms
