"""The cookie of an operator's browser, which stands for the token that was typed in once.

It is stateless: its end, signed with a key that is derived from the token. So nothing is stored, and
with another token every cookie is worthless.
"""

import hmac
from typing import Final

from svc.domain.locale.times import HOUR_MS

SESSION_COOKIE: Final = "svc_operator"
SESSION_LIFE_MS: Final = 12 * HOUR_MS


class OperatorSessions:
    """Issues and verifies the cookies of one token. Times are Unix milliseconds."""

    def __init__(self, token: str) -> None:
        self._key = hmac.digest(token.encode(), b"svc:operator-session", "sha256")

    def issue(self, now: int) -> str:
        """A new cookie."""
        ends_at = now + SESSION_LIFE_MS
        return f"{ends_at}.{self._sign(str(ends_at))}"

    def ends_at(self, cookie: str, now: int) -> int | None:
        """When *cookie* ends; None if it is not ours, or is over."""
        end, _, signature = cookie.partition(".")
        if not hmac.compare_digest(signature.encode(), self._sign(end).encode()):
            return None
        return int(end) if int(end) > now else None

    def csrf_token(self, cookie: str) -> str:
        """The CSRF token that unsafe requests with *cookie* must carry, and other sites cannot know."""
        return self._sign(f"csrf {cookie}")

    def _sign(self, text: str) -> str:
        return hmac.digest(self._key, text.encode(), "sha256").hex()
