"""Attempts to send something to a server of somebody else: how one went, and what its status says."""

from typing import Final

import msgspec

_OK: Final = range(200, 300)
_GONE: Final = 410
_TOO_MANY_REQUESTS: Final = 429
_UNAVAILABLE: Final = 503


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
