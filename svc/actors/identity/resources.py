"""What callers of all kinds share."""

from svc.actors.credential_cache import CredentialCache
from svc.actors.identity.password_hashing import PasswordHashing
from svc.actors.revisions import Revisions
from svc.clock import Clock
from svc.domain.identity.first_owner import FirstOwnerLink
from svc.domain.identity.sessions import Session
from svc.storage.identity import api_keys, grants, sessions
from svc.storage.identity.api_keys import Route
from svc.storage.identity.grants import TokenRoute
from svc.storage.store import Store


class IdentityResources:
    """Credentials, and changes of access."""

    def __init__(self, store: Store, clock: Clock, passwords: PasswordHashing | None = None) -> None:
        self.passwords = passwords or PasswordHashing()
        self.keys: CredentialCache[Route] = CredentialCache(store, clock, api_keys.route)
        """API and gateway keys, and the organization of each."""
        self.access_tokens: CredentialCache[TokenRoute] = CredentialCache(store, clock, grants.route)
        """Access tokens of connected apps, and the grant of each."""
        self.sessions: CredentialCache[Session] = CredentialCache(store, clock, sessions.find)
        """The sessions of signed-in people."""
        self.access_revisions = Revisions()
        """Changes of access, by organization."""
        self.first_owner = FirstOwnerLink()
        """What opens the first organization; nothing does until the service begins to listen."""
