"""How far a mail is: it waits, until it was sent or given up."""

from typing import Final, Literal

import msgspec

from svc.domain.mail.limits import MAIL_RETRIES_MS, MAIL_RETRY_SPREAD
from svc.domain.retries import RetryPlan

MailState = Literal["waiting", "sent", "failed"]

_TEMPORARY: Final = range(400, 500)
_PERMANENT: Final = range(500, 600)
_PLAN: Final = RetryPlan(MAIL_RETRIES_MS, MAIL_RETRY_SPREAD)

Verdict = Literal["sent", "deferred", "rejected"]


class MailOutcome(msgspec.Struct, frozen=True):
    """What became of an attempt: the mail server took the mail, refused it for now, or for good."""

    verdict: Verdict
    answer: str = ""
    """The server's words."""


def verdict_of(code: int) -> Verdict | None:
    """What a reply *code* other than the expected one says of the mail; None if it is no refusal at all.

    RFC 5321 section 4.2.1: 4yz are worth another attempt, 5yz are not.
    """
    if code in _TEMPORARY:
        return "deferred"
    return "rejected" if code in _PERMANENT else None


class MailProgress(msgspec.Struct, frozen=True, kw_only=True):
    """A mail on its way. Times are ms since the epoch."""

    state: MailState = "waiting"
    failures: int = 0
    next_attempt_at: int | None
    """None once it has ended."""
    expires_at: int
    done_at: int | None = None
    reason: str | None = None
    """What the server said last."""


def attempted(mail: MailProgress, outcome: MailOutcome, now: int, spread: float) -> MailProgress:
    """*mail* after an attempt ended at *now*.

    *spread* is a random number from 0 to 1, which moves the next attempt by up to 10 % either way. A mail
    that would be attempted only after it has expired is given up at once.
    """
    if mail.state != "waiting":
        return mail
    if outcome.verdict == "sent":
        return _ended(mail, "sent", now, None)
    if outcome.verdict == "rejected":
        return _ended(mail, "failed", now, outcome.answer)
    deferred = msgspec.structs.replace(mail, failures=mail.failures + 1, reason=outcome.answer)
    wait_ms = _PLAN.wait_ms(mail.failures, spread)
    if wait_ms is None or now + wait_ms >= mail.expires_at:
        return _ended(deferred, "failed", now, outcome.answer)
    return msgspec.structs.replace(deferred, next_attempt_at=now + wait_ms)


def _ended(mail: MailProgress, state: MailState, now: int, reason: str | None) -> MailProgress:
    return msgspec.structs.replace(mail, state=state, next_attempt_at=None, done_at=now, reason=reason)
