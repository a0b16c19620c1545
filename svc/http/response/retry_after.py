"""`Retry-After` (RFC 9110 section 10.2.3), in whole seconds."""

from typing import Final

from svc.domain.errors import Unavailable
from svc.domain.locale.times import SECOND_MS
from svc.domain.rate_limits.sliding_window import retry_after_seconds
from svc.http.response.answers import Field

_DEFAULT_MS: Final = SECOND_MS
"""For errors that name no wait."""


def retry_after(wait_ms: int) -> Field:
    """The header field for a wait of *wait_ms*, rounded up."""
    return b"retry-after", b"%d" % retry_after_seconds(wait_ms)


def wait_ms_of(error: Exception) -> int:
    """The wait that *error* names, or a second."""
    if isinstance(error, Unavailable):
        return round(error.retry_after_seconds * SECOND_MS)
    return _DEFAULT_MS
