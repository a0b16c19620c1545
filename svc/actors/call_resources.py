"""What calls of all nouns share."""

from svc.actors.concurrency_limits import ActiveKeys, KeyedLimiter
from svc.domain.limits import (
    ADMISSIONS_AT_ONCE,
    CALLS_MAX,
    CALLS_WAITING_MAX,
    READS_AT_ONCE,
    WRITES_AT_ONCE,
)


class CallResources:
    """The budget of callers, and the places of their calls."""

    def __init__(self, per_minute: int = CALLS_MAX) -> None:
        active_keys = ActiveKeys()
        self.per_minute = per_minute
        """The budget of each key and of each signed-in person."""
        self.admissions = KeyedLimiter(ADMISSIONS_AT_ONCE, CALLS_WAITING_MAX, active_keys)
        """Admissions of requests, by organization, form or connection."""
        self.writes = KeyedLimiter(WRITES_AT_ONCE, CALLS_WAITING_MAX, active_keys)
        """Calls that write, by organization."""
        self.reads = KeyedLimiter(READS_AT_ONCE, CALLS_WAITING_MAX, active_keys)
        """Calls that read, by organization."""
        self.under_way: set[tuple[str, str, str, str]] = set()
        """Writes with an idempotency key that are in progress: organization, caller, tool and key."""
