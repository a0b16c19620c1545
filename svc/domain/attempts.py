"""Attempts to send something to a server of somebody else: how one went, and what its status says."""

from typing import Final, Literal, get_args

import msgspec

_OK: Final = range(200, 300)
_GONE: Final = 410
_TOO_MANY_REQUESTS: Final = 429
_UNAVAILABLE: Final = 503


AttemptKind = Literal["webhook", "push"]
"""What is sent: an event to a webhook, or a reply to a messenger's bridge."""
AttemptEnd = Literal["accepted", "refused", "timed_out", "not_reached"]
"""How an attempt ends: with a status 2xx, with another one, without any in time, or without a connection."""
ATTEMPT_KINDS: Final[tuple[AttemptKind, ...]] = get_args(AttemptKind)
ATTEMPT_ENDS: Final[tuple[AttemptEnd, ...]] = get_args(AttemptEnd)


class Destination(msgspec.Struct, frozen=True, kw_only=True):
    """Where deliveries are posted, and what signs them."""

    organization_id: str
    url: str = ""
    contract: str = ""
    sealed_secrets: tuple[bytes, ...] = ()
    """Sealed for the id of the webhook or connection; the newest first."""


class AttemptOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """How an attempt went."""

    status_code: int | None = None
    """None where there was no response."""
    error: str | None = None
    """Why there was no response."""
    milliseconds: int = 0
    """How long it took, from the beginning of the request to the end of what was read of the response."""
    answer: str = ""
    """The beginning of the response's body, as text that can be stored."""
    retry_after_ms: int = 0
    """What `Retry-After` asked for; 0 without one."""

    @property
    def reached(self) -> bool:
        """Whether the receiver has taken the delivery."""
        return self.status_code in _OK

    @property
    def gone(self) -> bool:
        """Whether the address is gone for good (RFC 9110 section 15.5.11)."""
        return self.status_code == _GONE

    @property
    def overloaded(self) -> bool:
        """Whether the receiver asked for a pause of everything: 429, or 503 with `Retry-After`."""
        return self.status_code == _TOO_MANY_REQUESTS or (
            self.status_code == _UNAVAILABLE and self.retry_after_ms > 0
        )
