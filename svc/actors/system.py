"""The actor system of this program, with the store, the caches and the limiters that turns may use."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

import msgspec
import structlog

from svc.actors._core import Actor, ActorError, ActorSystem, BoundTurn
from svc.actors.agent.resources import AgentResources
from svc.actors.ai.open_calls import STOP_SECONDS
from svc.actors.ai.resources import AiResources
from svc.actors.ai.upstreams import Upstreams
from svc.actors.backups.backups import Backups
from svc.actors.call_resources import CallResources
from svc.actors.certificates.issuer import Issuer
from svc.actors.channels.resources import ChannelResources
from svc.actors.embeds.resources import EmbedResources
from svc.actors.exports.resources import ExportResources
from svc.actors.files.resources import FileResources
from svc.actors.forms.resources import FormResources
from svc.actors.grants.resources import GrantResources
from svc.actors.identity.password_hashing import PasswordHashing
from svc.actors.identity.resources import IdentityResources
from svc.actors.inbox.presences import Presences
from svc.actors.mail.resources import MailResources
from svc.actors.mail.smtp import MailServer
from svc.actors.outbound.client import OutboundHttp
from svc.actors.outbound.resources import OutgoingResources
from svc.actors.request_pace import RequestPace
from svc.actors.requests.request_log import RequestLog
from svc.actors.screen_hints import ScreenHints
from svc.actors.sites.resources import SiteResources
from svc.actors.stream_places import StreamPlaces
from svc.actors.wakeups import Wakeups
from svc.clock import Clock
from svc.domain.ai.models import ModelCatalogue
from svc.domain.crypto.sealing import Sealer
from svc.domain.errors import Unavailable
from svc.domain.identity.callers import Installation, ToolRegistry
from svc.domain.limits import CALLS_MAX, EVENT_LIFE_MS
from svc.domain.randomness import SYSTEM, Randomness
from svc.runs.runner import RUNNER
from svc.storage.files.contents import FileStore
from svc.storage.store import Owner, Store, StoreFailed
from svc.telemetry.spans import Tracer

log = structlog.get_logger("svc.actors.system")


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

    def __init__(
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
        exports: FileStore | None = None,
        certificates: Issuer | None = None,
        backups: Backups | None = None,
        mail_server: MailServer | None = None,
        random: Randomness = SYSTEM,
        tracer: Tracer | None = None,
    ) -> None:
        super().__init__(kinds)
        self.tracer = tracer
        self.store = store
        self.clock = clock
        self.secrets = secrets
        self.random = random
        """The source of session tokens, request ids, and whatever else is made outside of units."""
        self.sealer = Sealer(secrets.sealing, random)
        self.started_at: Final = clock.now()
        """When this run of the service began, in ms since the epoch."""
        self.base_url = ""
        """The public base URL, for links in embeds; set once the listener is open."""
        self.event_life_ms = event_life_ms
        """How long an event is kept after it was dispatched."""
        self.starting_micro_credits = starting_micro_credits
        """What the first owner's organization is given for AI calls."""
        self.wakeups = Wakeups()
        """Wakeups of long polls: for replies by connection, for events by organization."""
        self.stream_places = stream_places or StreamPlaces()
        self.screen_hints = ScreenHints(clock)
        """What has changed, for open screens."""
        self.presences = Presences()
        """Who has which conversation open."""
        self.request_pace = RequestPace(store)
        """Whether requests are served, for which work of the service's own makes way."""
        self.certificates = certificates
        """The issuer of this installation's certificate, where it has one by ACME."""
        self.backups = backups
        """The backups by schedule, where they are configured."""
        self.calls = CallResources(calls_per_minute)
        self.request_log = RequestLog(store, clock)
        """What keys call, to be written behind."""
        self.identity = IdentityResources(store, clock, passwords)
        self.mail = MailResources(clock, secrets.sender, mail_server)
        self.files = FileResources(secrets.sealing, files)
        self.exports = ExportResources(exports)
        self.outgoing = OutgoingResources(self.request_pace, outbound_http)
        self.grants = GrantResources(clock, secrets.sealing, self.outgoing.http.allowed)
        self.sites = SiteResources(store, clock)
        self.forms = FormResources(store, clock)
        self.embeds = EmbedResources(store, clock)
        self.channels = ChannelResources(store, clock)
        self.ai = AiResources(
            store,
            clock,
            self.identity.access_revisions,
            models=models,
            upstreams=upstreams,
            stop_seconds=ai_stop_seconds,
        )
        self.agent = AgentResources()

    def installation(self, registry: ToolRegistry) -> Installation:
        """What the tools of *registry* are given of this installation."""
        return Installation(
            registry=registry,
            runner=RUNNER,
            models=self.ai.models,
            allowed_networks=self.outgoing.http.allowed,
        )

    def wake(self, wake: BoundTurn[[], None]) -> None:
        """Wake an actor that has stored work. What is refused is found by the Reconciler's next round.

        Once the system is quiesced, the actor would start nothing, and delay the shutdown: it is left alone.
        """
        if self.quiesced:
            return
        try:
            wake.tell()
        except (ActorError, Unavailable) as error:
            log.warning("not woken; the next round tries again", wake=repr(wake), why=error)

    async def check_store(self) -> None:
        """Check that the store completes a unit of work. Raises `Unavailable`.

        The unit writes to the disk only after a write has failed, to find out whether the disk works again.
        """
        with suppress(StoreFailed):  # its message is for operators; the caller gets the one below
            await self.store.of(Owner.HEALTH).write(_change_nothing)
        failure = self.store.statistics().failure
        if failure is not None:
            raise Unavailable(f"the data cannot be written: {failure}")


def _change_nothing(_tx: object) -> None:
    """The empty unit of work."""
