"""The policy of an actor kind: its child specification, as data."""

import msgspec


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """Limits and supervision of one kind of actor. Times are seconds."""

    mailbox_max: int = 64
    """Messages that may wait for one actor; the next is rejected."""

    idle_seconds: float = 600
    """Without a message, timer or task for this long, an actor is passivated."""

    turn_seconds: float = 10
    """A turn, load or flush that takes longer is cancelled, and counts as a crash."""

    active_max: int = 100_000
    """Active actors of the kind; further activations are rejected."""

    backoff_seconds: float = 0.5
    """Wait before the first restart; doubled at each crash that follows within the window."""

    backoff_seconds_max: float = 30
    crashes_max: int = 3
    """Restarts within `crash_window_seconds`; one more crash quarantines the key."""

    crash_window_seconds: float = 60
    quarantine_seconds: float = 300
    escalate: bool = False
    """For infrastructure: a crash ends the whole system instead of restarting the one actor."""
