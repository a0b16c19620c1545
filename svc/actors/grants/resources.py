"""What apps are known by, and what refresh tokens follow from."""

import hmac
from collections.abc import Sequence

from svc.actors.grants.documents import ClientDocuments
from svc.clock import Clock
from svc.domain.crypto.keys import REFRESH_TOKEN, derived_key
from svc.domain.net.client_addresses import Network


class GrantResources:
    """The cache of metadata documents, and the successors of refresh tokens."""

    def __init__(self, clock: Clock, key: bytes, allowed: Sequence[Network] = ()) -> None:
        """*key* is the installation's; *allowed* networks may be reached although they are not public."""
        self.documents = ClientDocuments(clock, allowed)
        # A key of its own: what follows from it opens nothing else that the installation's key is for.
        self._key = hmac.digest(key, b"svc:refresh tokens", "sha256")

    def successor(self, refresh_token: str) -> str:
        """The refresh token that takes the place of *refresh_token*: always the same one.

        So a client that lost the answer gets the same again, and of two processes that refresh at once both
        have the one that counts. Without the installation's key nobody can tell it.
        """
        return derived_key(REFRESH_TOKEN, hmac.digest(self._key, refresh_token.encode(), "sha256"))
