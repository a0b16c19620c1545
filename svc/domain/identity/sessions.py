"""Sessions of signed-in browsers."""

import hmac

import msgspec

from svc.domain.identity.limits import CONFIRMATION_MS, SESSION_IDLE_MS


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """A session that is not revoked. Times are ms since the epoch."""

    id: str
    person_id: str
    created_at: int
    confirmed_at: int
    """When the person last confirmed their identity."""
    seen_at: int
    """When it was last used, to the minute."""
    expires_at: int

    def lives_at(self, now: int) -> bool:
        """Whether it has neither expired nor been idle for too long."""
        return now < min(self.expires_at, self.seen_at + SESSION_IDLE_MS)


def is_fresh(confirmed_at: int | None, now: int) -> bool:
    """Whether a sign-in confirmed at *confirmed_at* is recent enough to issue keys."""
    # A time in the future was taken from a wrong clock, so the true time is unknown.
    return confirmed_at is not None and confirmed_at <= now < confirmed_at + CONFIRMATION_MS


def csrf_token(session_token: str) -> str:
    """The CSRF token that unsafe requests must carry, and other sites cannot know.

    It is derived from the session's token, so it is not stored; the derivation cannot be inverted.
    """
    return hmac.digest(session_token.encode(), b"svc:csrf", "sha256").hex()
