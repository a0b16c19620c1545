"""The errors that are part of the protocol, in one tree.

A `DomainError` is an answer: it goes back to whoever asked and nothing crashes.
Everything else is a fault of ours, and crashes the turn that it happened in.

`code` is what every door and the audit trail call the error; what has none of its own is called as its base.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import ClassVar, NamedTuple

import msgspec

from svc.domain.limits import FAULTS_IN_DETAIL_MAX


class DomainError(Exception):
    """Raised when a rule refuses what was asked. Tell the asker why."""

    code: ClassVar[str] = "internal"


class InvalidValue(DomainError, ValueError):
    """Raised for a value that breaks the rule of its type. Say which and why."""

    code: ClassVar[str] = "validation_failed"


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
    """Raised with all that is wrong with what was asked. Nothing was changed: mend it and ask again."""

    code: ClassVar[str] = "validation_failed"

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        details = [*map(str, self.faults[:FAULTS_IN_DETAIL_MAX])]
        if len(self.faults) > FAULTS_IN_DETAIL_MAX:
            details.append(f"and {len(self.faults) - FAULTS_IN_DETAIL_MAX} more")
        super().__init__("; ".join(details))


@contextmanager
def at(pointer: str) -> Iterator[None]:
    """Have what breaks a rule in here raised as an `InvalidInput` that says where it stands."""
    try:
        yield
    except InvalidValue as error:
        raise InvalidInput([Fault(pointer, "invalid_value", str(error))]) from None


class NotFound(DomainError):
    """Raised when what the call is about does not exist, or the asker may not know that it does."""

    code: ClassVar[str] = "not_found"


@contextmanager
def named_at(pointer: str) -> Iterator[None]:
    """Have something that is not found in here raised as an `InvalidInput`: its id stood at *pointer*.

    What a call is about and does not exist is `NotFound`; what its input only names is a fault of the input.
    """
    try:
        yield
    except NotFound as error:
        raise InvalidInput([Fault(pointer, NotFound.code, str(error))]) from None


class UnknownTool(NotFound):
    """Raised for the name of a tool that does not exist. The message names the nearest ones."""

    code: ClassVar[str] = "unknown_tool"


class Gone(DomainError):
    """Raised for the name of a tool that worked until some day. Call what stands in its place."""

    code: ClassVar[str] = "gone"


class Conflict(DomainError):
    """Raised when the thing is not in a state that allows what was asked."""

    code: ClassVar[str] = "conflict"


class Unavailable(DomainError):
    """Raised when the thing cannot be done now and nothing was changed. Try again later.

    `retry_after_seconds` says when, where somebody knows; one second otherwise.
    """

    code: ClassVar[str] = "overloaded"
    outward: ClassVar[str] = ""
    """What callers are told instead of a message that is for the log, since it names things of the inside."""

    def __init__(self, message: str, *, retry_after_seconds: float = 1.0) -> None:
        super().__init__(message)
        self.retry_after_seconds = retry_after_seconds

    @property
    def detail(self) -> str:
        """What to tell a caller."""
        return self.outward or str(self)


class Unauthenticated(DomainError):
    """Raised when nobody that we know asks. It never says why: unknown, revoked and expired are one."""

    code: ClassVar[str] = "unauthorized"


class Forbidden(DomainError):
    """Raised when we know who asks, and that one may not do this."""

    code: ClassVar[str] = "forbidden"


class PersonOnly(Forbidden):
    """Raised when a key or an agent asks for what only a person does."""

    code: ClassVar[str] = "person_only"


class ApprovalRequired(Forbidden):
    """Raised when an agent would have to ask for approval first, so that a key may not do it at all."""

    code: ClassVar[str] = "approval_required"


class PlanRequired(Forbidden):
    """Raised for what the organization's plan does not include, or a hub that is switched off."""

    code: ClassVar[str] = "plan_required"


class ConfirmationRequired(Forbidden):
    """Raised when a person has to confirm who they are first: their sign-in is no longer fresh."""

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
    """Raised when an organization has as many live keys as it may. Revoke one."""

    code: ClassVar[str] = "key_limit"


class IdempotencyInProgress(Conflict):
    """Raised while the first call under the same idempotency key still runs. Try again in a second."""

    code: ClassVar[str] = "idempotency_in_progress"


class IdempotencyMismatch(DomainError):
    """Raised when an idempotency key comes again with something else asked. Use a new key."""

    code: ClassVar[str] = "idempotency_mismatch"


class MalformedJson(DomainError, ValueError):
    """Raised for what is no JSON at all."""

    code: ClassVar[str] = "malformed_json"


class Unreadable(DomainError):
    """Raised when what is stored of the one thing that was asked for makes no sense. `svc check` names it."""

    code: ClassVar[str] = "internal"


class TooManyAttempts(DomainError):
    """Raised when something was tried too often. Try again after `retry_after_ms`."""

    code: ClassVar[str] = "rate_limited"

    def __init__(self, message: str, *, retry_after_ms: int) -> None:
        super().__init__(message)
        self.retry_after_ms = retry_after_ms
