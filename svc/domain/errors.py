"""The errors that are part of the protocol, in one tree.

A `DomainError` is an answer: it is returned to the caller, and nothing crashes.
Every other exception is a bug, and crashes the turn that raised it.

`code` names the error at every door and in the audit trail; a class without one inherits its base's.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import ClassVar, NamedTuple

import msgspec

from svc.domain.limits import FAULTS_IN_DETAIL_MAX


class DomainError(Exception):
    """Raised when a rule refuses a request. Tell the caller why."""

    code: ClassVar[str] = "internal"


class InvalidValue(DomainError, ValueError):
    """Raised for a value that is invalid for its type. Say which and why.

    *general* says why without the value, where many values may be refused for that.
    """

    code: ClassVar[str] = "validation_failed"

    def __init__(self, message: str, *, general: str = "") -> None:
        super().__init__(message)
        self.general = general


class Fault(msgspec.Struct, frozen=True):
    """One thing that is wrong with what was asked."""

    pointer: str
    """Where, as a JSON pointer (RFC 6901) into what was asked."""
    code: str
    detail: str

    def __str__(self) -> str:
        return f"{self.pointer}: {self.detail}" if self.pointer else self.detail


def pointer_to(*steps: str) -> str:
    """The JSON pointer (RFC 6901) along *steps*."""
    return "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in steps)


class InvalidInput(DomainError, ValueError):
    """Raised with every fault of the input. Nothing was changed: correct it and try again."""

    code: ClassVar[str] = "validation_failed"

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__(told(self.faults))


def told(faults: Sequence[Fault]) -> str:
    """The first of *faults* in one sentence, and how many more there are."""
    details = [*map(str, faults[:FAULTS_IN_DETAIL_MAX])]
    if len(faults) > FAULTS_IN_DETAIL_MAX:
        details.append(f"and {len(faults) - FAULTS_IN_DETAIL_MAX} more")
    return "; ".join(details)


@contextmanager
def at(pointer: str) -> Iterator[None]:
    """Turn an `InvalidValue` raised in here into an `InvalidInput` at *pointer*."""
    try:
        yield
    except InvalidValue as error:
        raise InvalidInput([Fault(pointer, "invalid_value", str(error))]) from None


class NotFound(DomainError):
    """Raised when the subject of the call does not exist, or the caller may not know that it does."""

    code: ClassVar[str] = "not_found"


@contextmanager
def named_at(pointer: str) -> Iterator[None]:
    """Turn a `NotFound` raised in here into an `InvalidInput`: its id stood at *pointer*.

    The subject of a call that does not exist is `NotFound`; an id that its input refers to is a fault of the
    input.
    """
    try:
        yield
    except NotFound as error:
        raise InvalidInput([Fault(pointer, NotFound.code, str(error))]) from None


class UnknownTool(NotFound):
    """Raised for the name of a tool that does not exist. The message names the nearest ones."""

    code: ClassVar[str] = "unknown_tool"


class Gone(DomainError):
    """Raised for a deprecated tool after its sunset, or a cursor to deleted events. Says what to do."""

    code: ClassVar[str] = "gone"


class Conflict(DomainError):
    """Raised when the current state does not allow the request.

    *faults* say which parts of it, where that is known.
    """

    code: ClassVar[str] = "conflict"

    def __init__(self, message: str, faults: Iterable[Fault] = ()) -> None:
        super().__init__(message)
        self.faults = tuple(faults)


class Unavailable(DomainError):
    """Raised when the request cannot be served now, and nothing was changed. Try again later.

    `retry_after_seconds` says when; one second if that is not known.
    """

    code: ClassVar[str] = "overloaded"
    outward: ClassVar[str] = ""
    """The detail that callers get where the message is for the log only, since it names internals."""

    def __init__(self, message: str, *, retry_after_seconds: float = 1.0) -> None:
        super().__init__(message)
        self.retry_after_seconds = retry_after_seconds

    @property
    def detail(self) -> str:
        """The detail that callers get."""
        return self.outward or str(self)


class Unauthenticated(DomainError):
    """Raised for an unauthenticated caller. Never says why: unknown, revoked and expired look alike."""

    code: ClassVar[str] = "unauthorized"


class Forbidden(DomainError):
    """Raised for an authenticated caller without the right to this."""

    code: ClassVar[str] = "forbidden"


class NeedsPerson(Forbidden):
    """Base of the refusals of what a person may do on a screen."""

    screen: str | None = None
    """The address of that screen below `/app/`, for the very thing, where it is known."""


class PersonOnly(NeedsPerson):
    """Raised when a key or an agent calls what only a person may."""

    code: ClassVar[str] = "person_only"


class ApprovalRequired(NeedsPerson):
    """Raised when an agent would have to ask for approval first, so that a key may not do it at all."""

    code: ClassVar[str] = "approval_required"


class PlanRequired(Forbidden):
    """Raised for what the organization's plan does not include, or a hub that is switched off."""

    code: ClassVar[str] = "plan_required"


class ConfirmationRequired(NeedsPerson):
    """Raised when a person has to confirm their identity first: their sign-in is no longer fresh."""

    code: ClassVar[str] = "confirmation_required"


class Home(NamedTuple):
    """An organization that an account belongs to."""

    id: str
    name: str


class OrganizationRequired(Conflict):
    """Raised when an e-mail address and a password are those of several accounts. Name the home of one."""

    code: ClassVar[str] = "organization_required"

    def __init__(self, organizations: Sequence[Home]) -> None:
        super().__init__("several accounts have this e-mail address and password: name the organization")
        self.organizations = tuple(organizations)


class KeyLimit(Conflict):
    """Raised when an organization has reached its limit of live keys. Revoke one."""

    code: ClassVar[str] = "key_limit"


class GrantLimit(Conflict):
    """Raised when a person, or an organization, has as many connected apps as it may. End one."""

    code: ClassVar[str] = "grant_limit"


class IdempotencyInProgress(Conflict):
    """Raised while the first call under the same idempotency key is still running. Try again in a second."""

    code: ClassVar[str] = "idempotency_in_progress"


class IdempotencyMismatch(DomainError):
    """Raised when an idempotency key is reused with another request. Use a new key."""

    code: ClassVar[str] = "idempotency_mismatch"


class MalformedJson(DomainError, ValueError):
    """Raised for what is no JSON at all."""

    code: ClassVar[str] = "malformed_json"


class Unreadable(DomainError):
    """Raised when the stored row that was requested cannot be decoded. `svc check` names it."""

    code: ClassVar[str] = "internal"


class TooManyAttempts(DomainError):
    """Raised over a rate limit. Try again after `retry_after_ms`."""

    code: ClassVar[str] = "rate_limited"

    def __init__(self, message: str, *, retry_after_ms: int) -> None:
        super().__init__(message)
        self.retry_after_ms = retry_after_ms
