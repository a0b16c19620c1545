"""What a response's `Retry-After` asks for."""

from datetime import UTC
from email.utils import parsedate_to_datetime

from svc.domain.locale.times import SECOND_MS


def retry_after_ms(value: str | None, now: int) -> int:
    """Parse `Retry-After`, in seconds or as a date (RFC 9110 section 10.2.3); 0 if missing or malformed."""
    if value is None:
        return 0
    if value.isascii() and value.isdigit():
        return int(value[:9]) * SECOND_MS
    try:
        at = parsedate_to_datetime(value)
    except (ValueError, OverflowError):
        return 0
    return max(0, round(at.replace(tzinfo=at.tzinfo or UTC).timestamp() * SECOND_MS) - now)
