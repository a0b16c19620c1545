"""A session: what a signed-in browser shows by its cookie."""

import hmac

import msgspec

from svc.domain.limits import CONFIRMATION_MS, SESSION_IDLE_MS


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """A session that is not revoked. Times are ms since the epoch."""

    id: str
    person_id: str
    created_at: int
    confirmed_at: int
    """When the person last showed who they are."""
    seen_at: int
    """When it was last used, to the minute."""
    expires_at: int

    def lives_at(self, now: int) -> bool:
        """Whether it still counts: it is neither too old nor was idle for too long."""
        return now < min(self.expires_at, self.seen_at + SESSION_IDLE_MS)


def is_fresh(confirmed_at: int | None, now: int) -> bool:
    """Whether a person who showed who they are at *confirmed_at* may issue keys."""
    # One from the future was noted by a clock that was wrong: it says nothing of when that was.
    return confirmed_at is not None and confirmed_at <= now < confirmed_at + CONFIRMATION_MS


def csrf_token(session_token: str) -> str:
    """What a page has to send along to change something: other sites' pages cannot know it.

    It is derived, so it is not kept; and from it nobody finds the session's token.
    """
    return hmac.digest(session_token.encode(), b"svc:csrf", "sha256").hex()
