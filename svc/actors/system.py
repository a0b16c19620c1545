"""The system: the actor system of this program, with what its actors may use."""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

import msgspec

from svc.actors._core import Actor, ActorSystem
from svc.actors.concurrency_limits import Company, KeyedLimiter
from svc.actors.credential_cache import CredentialCache
from svc.actors.embeds.embed_snapshots import EmbedSnapshots
from svc.actors.outbound_http import OutboundHttp
from svc.actors.password_hashing import PasswordHashing
from svc.actors.revisions import Revisions
from svc.actors.unknown_keys import UnknownKeys
from svc.actors.wakeups import Wakeups
from svc.clock import Clock
from svc.domain.crypto.sealing import Sealer
from svc.domain.errors import Unavailable
from svc.domain.identity.sessions import Session
from svc.domain.limits import (
    ADMISSIONS_AT_ONCE,
    CALLS_MAX,
    CALLS_WAITING_MAX,
    CHANNEL_CALLS_MAX,
    CHANNEL_WINDOW_MS,
    EMBED_CACHES_MAX,
    READS_AT_ONCE,
    WRITES_AT_ONCE,
)
from svc.domain.rate_limits.keyed_windows import KeyedWindows
from svc.storage.channels import keys as channel_keys
from svc.storage.channels.keys import ChannelRoute
from svc.storage.embeds import embeds
from svc.storage.forms import forms
from svc.storage.identity import api_keys, sessions
from svc.storage.identity.api_keys import Route
from svc.storage.sites import sites
from svc.storage.store import Owner, Store, StoreFailed

EMBEDS_AT_ONCE: Final = 2
"""Embeds of one organization that are made at once: the store makes one after the other, and the next is
there in time."""


class Secrets(msgspec.Struct, frozen=True):
    """Keys of this installation, derived from its one key file. They never leave the process."""

    sender: bytes
    """Under which senders' addresses are hashed, and the accounts that sign-ins failed at; and with which
    the salts of passwords and the marks of known browsers are made."""
    sealing: bytes
    """Under which secrets that are needed again are stored: see `svc.domain.crypto.sealing`."""

    def __repr__(self) -> str:
        return "Secrets(•••)"


class System(ActorSystem):
    """Where the actors of the business live."""

    def __init__(
        self,
        kinds: Sequence[type[Actor[Any, Any]]],
        store: Store,
        clock: Clock,
        secrets: Secrets,
        passwords: PasswordHashing | None = None,
        *,
        calls_per_minute: int = CALLS_MAX,
        outbound_http: OutboundHttp | None = None,
    ) -> None:
        super().__init__(kinds)
        self.store = store
        self.clock = clock
        self.secrets = secrets
        self.passwords = passwords or PasswordHashing()
        self.calls_per_minute = calls_per_minute
        """The budget of each key, and of each signed-in person."""
        self.under_way: set[tuple[str, str, str, str]] = set()
        """Writes under an idempotency key that are being done now: by organization, caller, tool and key."""
        self.keys: CredentialCache[Route] = CredentialCache(store, clock, api_keys.route)
        """Where live API and gateway keys lead."""
        self.sessions: CredentialCache[Session] = CredentialCache(store, clock, sessions.find)
        """The sessions of signed-in people."""
        self.channel_keys: CredentialCache[ChannelRoute] = CredentialCache(store, clock, channel_keys.route)
        """Where live channel keys lead."""
        self.channel_calls = KeyedWindows(CHANNEL_WINDOW_MS, CHANNEL_CALLS_MAX)
        """The calls of the last minute, by channel key."""
        company = Company()
        self.admissions = KeyedLimiter(ADMISSIONS_AT_ONCE, CALLS_WAITING_MAX, company)
        """Requests that are let in or refused, by organization, form or channel key."""
        self.writes = KeyedLimiter(WRITES_AT_ONCE, CALLS_WAITING_MAX, company)
        """Calls that write, by organization."""
        self.reads = KeyedLimiter(READS_AT_ONCE, CALLS_WAITING_MAX, company)
        """Calls that read, by organization."""
        self.sealer = Sealer(secrets.sealing)
        self.outbound_http = outbound_http or OutboundHttp()
        """What requests to other people's servers go through."""
        self.wakeups = Wakeups()
        """Rung where pulls wait for replies, by connection."""
        self.access_revisions: Counter[str] = Counter()
        """How often what decides about callers has changed since the start, by organization."""
        self.form_revisions = Revisions()
        """Of what decides about submissions, by form and by organization."""
        self.embed_snapshots = EmbedSnapshots()
        """What is ready of embeds, for their door to read."""
        self.unknown_forms = UnknownKeys(store.of(Owner.FORMS), clock, forms.by_key)
        """Form keys that are nobody's."""
        self.unknown_embeds = UnknownKeys(store.of(Owner.EMBEDS), clock, embeds.by_key)
        """Embed keys that are nobody's."""
        self.unknown_hosts = UnknownKeys(store.of(Owner.HOSTS), clock, sites.at_host)
        """Hosts of page views that nobody tracks."""
        self.embed_pace = KeyedLimiter(EMBEDS_AT_ONCE, EMBED_CACHES_MAX)
        """Embeds that are made, by organization."""
        self.base_url = ""
        """Where the public listener is reached, for pages elsewhere; known once it listens."""
        self.visitor_keys: tuple[bytes, ...] = ()
        """The keys that visitors are named under, the newest first; `Reconciler` replaces the tuple."""

    async def check_store(self) -> None:
        """Send a unit of work all the way to the store's writer and back. Raises `Unavailable`.

        It writes only after something that was to be written was lost: then it shows whether writing works.
        """
        with suppress(StoreFailed):  # it says more to an operator than to a caller
            await self.store.write(_change_nothing)
        failure = self.store.statistics().failure
        if failure is not None:
            raise Unavailable(f"the data cannot be written: {failure}")


def _change_nothing(_tx: object) -> None:
    """A unit of work with nothing in it."""
