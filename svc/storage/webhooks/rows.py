"""The rows of webhooks. Times are ms since the epoch."""

from typing import NamedTuple

from svc.domain.webhooks.deliveries import DeliveryProgress, DeliveryState
from svc.domain.webhooks.health import DisabledReason


class WebhookRow(NamedTuple):
    """A subscription; `events` and `object_types` are JSON."""

    id: str
    organization_id: str
    name: str | None
    url: str
    events: str
    object_types: str
    active: bool
    disabled_reason: DisabledReason | None
    failing_since: int | None
    held_until: int | None
    max_per_second: int | None
    contract: str
    secret: bytes | None
    previous_secret: bytes | None
    previous_secret_until: int | None
    ending: DeliveryState | None
    version: int
    created_at: int
    updated_at: int
    removed_at: int | None

    def sealed_secrets(self, now: int) -> tuple[bytes, ...]:
        """The secrets that sign at *now*, sealed for its id; the newest first."""
        if self.secret is None:
            return ()
        if self.previous_secret is None or (self.previous_secret_until or 0) <= now:
            return (bytes(self.secret),)
        return bytes(self.secret), bytes(self.previous_secret)


class DeliveryRow(NamedTuple):
    """A delivery."""

    id: str
    organization_id: str
    webhook_id: str
    event_id: str | None
    type: str
    subject: str
    place: int
    state: DeliveryState
    next_attempt_at: int | None
    attempts: int
    failures: int
    replayed: bool
    run_id: str | None
    created_at: int
    done_at: int | None

    @property
    def progress(self) -> DeliveryProgress:
        return DeliveryProgress(
            state=self.state,
            next_attempt_at=self.next_attempt_at,
            attempts=self.attempts,
            failures=self.failures,
            done_at=self.done_at,
            replayed=bool(self.replayed),
        )
