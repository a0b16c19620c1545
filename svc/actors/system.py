"""The actor system of this program, with the store, the caches and the limiters that turns may use."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

import msgspec
import structlog
import trio

from svc.actors._core import Actor, ActorError, ActorSystem, BoundTurn
from svc.actors.ai.body_bytes import BodyBytes
from svc.actors.ai.open_calls import STOP_SECONDS, OpenCalls
from svc.actors.ai.settlements import Settlements
from svc.actors.ai.upstreams import Upstreams
from svc.actors.backups.backups import Backups
from svc.actors.certificates.issuer import Issuer
from svc.actors.concurrency_limits import ActiveKeys, KeyedLimiter, KeyedPace
from svc.actors.credential_cache import CredentialCache
from svc.actors.embeds.embed_snapshots import EmbedSnapshots
from svc.actors.mail.mailing import Mailing
from svc.actors.mail.smtp import MailServer
from svc.actors.outbound.client import OutboundHttp
from svc.actors.password_hashing import PasswordHashing
from svc.actors.revisions import Revisions
from svc.actors.screen_hints import ScreenHints
from svc.actors.stream_places import StreamPlaces
from svc.actors.unknown_keys import UnknownKeys
from svc.actors.wakeups import Wakeups
from svc.actors.webhooks.attempt_places import AttemptPlaces
from svc.clock import Clock
from svc.domain.ai.models import ModelCatalogue
from svc.domain.ai.routing import Rests
from svc.domain.crypto.sealing import Sealer
from svc.domain.errors import Unavailable
from svc.domain.files.addresses import FileAddresses
from svc.domain.identity.first_owner import FirstOwnerLink
from svc.domain.identity.reset_pace import ResetPace
from svc.domain.identity.sessions import Session
from svc.domain.limits import (
    ADMISSIONS_AT_ONCE,
    AGENT_RUNS_AT_ONCE,
    AGENT_RUNS_SPACING_MS,
    AGENT_RUNS_WAITING_MAX,
    CALLS_MAX,
    CALLS_WAITING_MAX,
    CHANNEL_CALLS_MAX,
    CHANNEL_WINDOW_MS,
    EMBED_CACHES_MAX,
    EVENT_LIFE_MS,
    READS_AT_ONCE,
    UPLOADS_AT_ONCE,
    UPLOADS_AT_ONCE_OF_SENDER,
    WRITES_AT_ONCE,
)
from svc.domain.randomness import SYSTEM, Randomness
from svc.domain.rate_limits.keyed_windows import KeyedWindows
from svc.domain.times import SECOND_MS
from svc.storage.channels import keys as channel_keys
from svc.storage.channels.keys import ChannelRoute
from svc.storage.embeds import embeds
from svc.storage.files.contents import FileStore
from svc.storage.files.memory import MemoryFiles
from svc.storage.forms import forms
from svc.storage.identity import api_keys, sessions
from svc.storage.identity.api_keys import Route
from svc.storage.sites import sites
from svc.storage.store import Owner, Store, StoreFailed

log = structlog.get_logger("svc.actors.system")

EMBEDS_AT_ONCE: Final = 2
"""Embeds of one organization that are rendered at once: the store renders one, and the next is ready."""


class Secrets(msgspec.Struct, frozen=True):
    """Secret keys, derived from the installation's key file. They never leave the process."""

    sender: bytes
    """Keys the hashes of senders' addresses and of accounts at which sign-ins failed, the salts of passwords
    and the marks of known browsers."""
    sealing: bytes
    """Encrypts stored secrets: see `svc.domain.crypto.sealing`."""

    def __repr__(self) -> str:
        return "Secrets(•••)"


class System(ActorSystem):
    """The actor system, with the resources that turns share."""

    def __init__(  # noqa: PLR0915  # a line for each resource
        self,
        kinds: Sequence[type[Actor[Any, Any]]],
        store: Store,
        clock: Clock,
        secrets: Secrets,
        passwords: PasswordHashing | None = None,
        *,
        calls_per_minute: int = CALLS_MAX,
        event_life_ms: int = EVENT_LIFE_MS,
        starting_micro_credits: int = 0,
        outbound_http: OutboundHttp | None = None,
        models: ModelCatalogue | None = None,
        upstreams: Upstreams | None = None,
        ai_stop_seconds: float = STOP_SECONDS,
        stream_places: StreamPlaces | None = None,
        files: FileStore | None = None,
        certificates: Issuer | None = None,
        backups: Backups | None = None,
        mail_server: MailServer | None = None,
        random: Randomness = SYSTEM,
    ) -> None:
        super().__init__(kinds)
        self.store = store
        self.clock = clock
        self.secrets = secrets
        self.stream_places = stream_places or StreamPlaces()
        self.random = random
        """The source of session tokens, request ids, and whatever else is made outside of units."""
        self.passwords = passwords or PasswordHashing()
        self.calls_per_minute = calls_per_minute
        """The budget of each key and of each signed-in person."""
        self.event_life_ms = event_life_ms
        """How long an event is kept after it was dispatched."""
        self.starting_micro_credits = starting_micro_credits
        """What the first owner's organization is given for AI calls."""
        self.under_way: set[tuple[str, str, str, str]] = set()
        """Writes with an idempotency key that are in progress: organization, caller, tool and key."""
        self.keys: CredentialCache[Route] = CredentialCache(store, clock, api_keys.route)
        """API and gateway keys, and the organization of each."""
        self.sessions: CredentialCache[Session] = CredentialCache(store, clock, sessions.find)
        """The sessions of signed-in people."""
        self.channel_keys: CredentialCache[ChannelRoute] = CredentialCache(store, clock, channel_keys.route)
        """Channel keys, and the connection of each."""
        self.channel_calls = KeyedWindows(CHANNEL_WINDOW_MS, CHANNEL_CALLS_MAX)
        """The calls of the last minute, by channel key."""
        active_keys = ActiveKeys()
        self.admissions = KeyedLimiter(ADMISSIONS_AT_ONCE, CALLS_WAITING_MAX, active_keys)
        """Admissions of requests, by organization, form or connection."""
        self.writes = KeyedLimiter(WRITES_AT_ONCE, CALLS_WAITING_MAX, active_keys)
        """Calls that write, by organization."""
        self.reads = KeyedLimiter(READS_AT_ONCE, CALLS_WAITING_MAX, active_keys)
        """Calls that read, by organization."""
        self.sealer = Sealer(secrets.sealing, random)
        self.outbound_http = outbound_http or OutboundHttp()
        """The client for requests to third parties."""
        self.attempt_places = AttemptPlaces(self.outbound_http)
        """How many attempts of webhooks may be under way."""
        self.models = models or ModelCatalogue()
        """The AI models of the configuration."""
        self.upstreams = upstreams or Upstreams()
        """The clients of AI providers."""
        self.rests = Rests()
        """Which AI providers rest."""
        self.settlements = Settlements(store)
        """The ends of AI calls."""
        self.large_bodies = trio.CapacityLimiter(1)
        """The thread that decodes large bodies of AI calls."""
        self.ai_bodies = BodyBytes()
        """The memory of AI calls' bodies."""
        self.agent_runs = KeyedLimiter(AGENT_RUNS_AT_ONCE, AGENT_RUNS_WAITING_MAX)
        """Runs of agents under way, by organization."""
        self.agent_pace = KeyedPace(AGENT_RUNS_SPACING_MS / SECOND_MS)
        """The pace at which runs of agents begin, by organization."""
        self.mailing = Mailing(clock, mail_server)
        """The mail server, if there is one."""
        self.reset_pace = ResetPace(secrets.sender)
        """Password resets and proofs that were asked for lately."""
        self.wakeups = Wakeups()
        """Wakeups of long polls: for replies by connection, for events by organization."""
        self.screen_hints = ScreenHints(clock)
        """What has changed, for open screens."""
        self.access_revisions = Revisions()
        """Changes of access, by organization."""
        self.model_revisions = Revisions()
        """Changes of the AI models that an organization may run, and of its providers, by organization."""
        self.open_calls = OpenCalls(store, clock, self.access_revisions, ai_stop_seconds)
        """AI calls under way."""
        self.form_revisions = Revisions()
        """Changes of forms, their sites and server keys, by form key and by organization."""
        self.embed_snapshots = EmbedSnapshots()
        """Rendered embeds, for their door to serve."""
        self.unknown_forms = UnknownKeys(store.of(Owner.FORMS), clock, forms.by_key)
        """Form keys that do not exist."""
        self.unknown_embeds = UnknownKeys(store.of(Owner.EMBEDS), clock, embeds.by_key)
        """Embed keys that do not exist."""
        self.unknown_hosts = UnknownKeys(store.of(Owner.HOSTS), clock, sites.at_host)
        """Hosts of page views that no organization tracks."""
        self.embed_pace = KeyedLimiter(EMBEDS_AT_ONCE, EMBED_CACHES_MAX)
        """Renderings of embeds, by organization."""
        self.files: FileStore = files or MemoryFiles()
        """The contents of files."""
        self.file_addresses = FileAddresses(secrets.sealing)
        """What signs addresses of files."""
        self.certificates = certificates
        """The issuer of this installation's certificate, where it has one by ACME."""
        self.backups = backups
        """The backups by schedule, where they are configured."""
        self.uploads = KeyedLimiter(UPLOADS_AT_ONCE, 0)
        """Uploads under way, by organization."""
        self.uploads_of_senders = KeyedLimiter(UPLOADS_AT_ONCE_OF_SENDER, 0)
        """Uploads under way, by who sends them."""
        self.base_url = ""
        """The public base URL, for links in embeds; set once the listener is open."""
        self.first_owner = FirstOwnerLink()
        """What opens the first organization; nothing does until the service begins to listen."""
        self.visitor_keys: tuple[bytes, ...] = ()
        """The keys under which visitors are hashed, newest first; `Reconciler` replaces the tuple."""

    def wake(self, wake: BoundTurn[[], None]) -> None:
        """Wake an actor that has stored work. What is refused is found by the Reconciler's next round.

        Once the system is quiesced, the actor would start nothing, and delay the shutdown: it is left alone.
        """
        if self.quiesced:
            return
        try:
            wake.tell()
        except (ActorError, Unavailable) as error:
            log.warning("not woken; the next round tries again", wake=repr(wake), why=repr(error))

    async def check_store(self) -> None:
        """Check that the store completes a unit of work. Raises `Unavailable`.

        The unit writes to the disk only after a write has failed, to find out whether the disk works again.
        """
        with suppress(StoreFailed):  # its message is for operators; the caller gets the one below
            await self.store.write(_change_nothing)
        failure = self.store.statistics().failure
        if failure is not None:
            raise Unavailable(f"the data cannot be written: {failure}")


def _change_nothing(_tx: object) -> None:
    """The empty unit of work."""
