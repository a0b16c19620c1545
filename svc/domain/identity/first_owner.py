"""The link by which the first owner of an installation makes its organization."""

import hmac

from svc.domain.crypto.keys import FIRST_OWNER, digest, new_key
from svc.domain.identity.limits import FIRST_OWNER_LIFE_MS
from svc.domain.randomness import Randomness


class FirstOwnerLink:
    """It is in memory alone: each start makes another, as long as there is no organization."""

    def __init__(self) -> None:
        self._digest = ""
        self._expires_at = 0

    def renew(self, now: int, random: Randomness) -> str:
        """A new token, which replaces the one before."""
        token = new_key(FIRST_OWNER, random)
        self._digest, self._expires_at = digest(token), now + FIRST_OWNER_LIFE_MS
        return token

    def opens(self, token: str, now: int) -> bool:
        """Whether *token* is the present one."""
        return now < self._expires_at and hmac.compare_digest(self._digest, digest(token))

    def end(self) -> None:
        """Have no token open anything any more."""
        self._expires_at = 0
