"""How mail stands, for operators."""

import msgspec

from svc.actors.mail.smtp_client import FailureClass
from svc.actors.system import System
from svc.domain.locale.times import SECOND_MS
from svc.storage.mail import statistics


class MailState(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The outbox of all organizations, and the mail server."""

    configured: bool
    waiting: int
    oldest_waiting_seconds: float | None
    """How long the oldest mail has waited that was not sent yet."""
    deferred: int
    """Of those that wait: how many the mail server has refused for now."""
    sent_last_day: int
    failed_last_day: int
    server_failures: int
    """Failures of the mail server in a row."""
    server_failure: str | None
    """Why it failed last; null since it has worked again."""
    server_failure_class: FailureClass | None
    """What kind of failure that was."""
    server_rests_seconds: float


async def read(system: System) -> MailState:
    """As it is now."""
    now, mailing = system.clock.now(), system.mail.mailing
    outbox = await system.store.read_long(statistics.statistics, now)
    oldest = outbox.oldest_created_at
    return MailState(
        configured=mailing.server is not None,
        waiting=outbox.waiting,
        oldest_waiting_seconds=None if oldest is None else max(0, now - oldest) / SECOND_MS,
        deferred=outbox.deferred,
        sent_last_day=outbox.sent_last_day,
        failed_last_day=outbox.failed_last_day,
        server_failures=mailing.failures,
        server_failure=mailing.last_failure,
        server_failure_class=mailing.failure_class,
        server_rests_seconds=mailing.rest_ms() / SECOND_MS,
    )
