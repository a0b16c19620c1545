"""The actor system of a running service: made of its settings, reconciled, and ended."""

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, nullcontext, suppress

import structlog
import trio

from svc.actors.ai.upstreams import BuiltIn, Upstreams
from svc.actors.backups.backups import Backups
from svc.actors.certificates.issuer import Issuer
from svc.actors.change_dispatch import ChangeDispatcher
from svc.actors.kinds import KINDS
from svc.actors.mail.smtp import MailServer
from svc.actors.outbound.client import OutboundHttp
from svc.actors.outbound.names import NameLookups
from svc.actors.outbound.streamed_response import StreamLimits
from svc.actors.reconciler import Reconciler
from svc.actors.stream_places import StreamPlaces
from svc.actors.system import Secrets, System
from svc.cli.failures import Failure
from svc.clock import Clock
from svc.config.settings import Settings
from svc.domain.agent.limits import AGENT_RUNS_AT_ONCE_IN_ALL
from svc.domain.ai.limits import AI_ANSWER_BYTES_MAX
from svc.domain.ai.models import ModelCatalogue
from svc.domain.errors import Unavailable
from svc.domain.locale.times import DAY_MS
from svc.domain.net.client_addresses import parse_networks
from svc.storage.clock import marks as clock_marks
from svc.storage.files.contents import FileStore
from svc.storage.store import Store
from svc.telemetry.tracing import Tracing

log = structlog.get_logger("svc.service")


@asynccontextmanager
async def live_system(
    settings: Settings,
    place: str,
    store: Store,
    clock: Clock,
    secrets: Secrets,
    *,
    files: FileStore,
    exports: FileStore,
    models: ModelCatalogue,
    built_in: Mapping[str, BuiltIn],
    certificates: Issuer | None,
    backups: Backups | None,
    mail_server: MailServer | None,
    tracing: Tracing | None,
) -> AsyncIterator[System]:
    """The running actor system over *store*, reconciled: work that an earlier process left is under way."""
    allowed = parse_networks(settings.outgoing.allowed_networks)
    names = NameLookups()
    outbound_http = OutboundHttp(allowed, names)
    ai = settings.ai
    upstreams = Upstreams(
        allowed,
        StreamLimits(
            connect_seconds=ai.connect_seconds,
            first_byte_seconds=ai.first_byte_seconds,
            idle_seconds=ai.idle_seconds,
            total_seconds=ai.total_seconds,
            answer_bytes_max=AI_ANSWER_BYTES_MAX,
        ),
        names=names,
        connections_max=settings.server.connections_max + 2 * AGENT_RUNS_AT_ONCE_IN_ALL,
        built_in=built_in,
    )
    system = System(
        KINDS,
        store,
        clock,
        secrets,
        calls_per_minute=settings.tools.calls_per_minute,
        starting_micro_credits=int(settings.ai.starting_credits),
        event_life_ms=settings.data.history_days * DAY_MS,
        outbound_http=outbound_http,
        models=models,
        upstreams=upstreams,
        ai_stop_seconds=settings.server.graceful_seconds / 2,
        stream_places=StreamPlaces(settings.server.connections_max),
        files=files,
        exports=exports,
        certificates=certificates,
        backups=backups,
        mail_server=mail_server,
        tracer=None if tracing is None else tracing.tracer,
    )
    store.listen(ChangeDispatcher(system))
    try:
        with _writing(place):
            await system.ai.settlements.begin()
        async with (
            nullcontext() if tracing is None else tracing.exporter.live(),
            outbound_http.live(),
            upstreams.live(),
            system.ai.settlements.live(),
            system.ai.open_calls.live(),
            system.request_log.live(),
            system.live(),
        ):
            with _writing(place):
                await Reconciler(system, "main").start()
            yield system
    finally:
        with trio.CancelScope(shield=True), suppress(Unavailable):
            await store.alone.write(clock_marks.mark)


@contextmanager
def _writing(place: str) -> Iterator[None]:
    """Raise `Failure`, which names the *place* of the data, where a write of the start is refused."""
    try:
        yield
    except Unavailable as error:
        raise Failure(f"{place} cannot be used: {error}") from error


def quiesce(system: System) -> None:
    """Start no new background work, end the long polls and live events, and soon the AI calls."""
    system.quiesce()
    system.ai.open_calls.stop()
    system.wakeups.close()
    system.screen_hints.close()


async def drain(system: System, seconds: float) -> None:
    """Let every actor end what it has accepted; after *seconds*, log those that have not."""
    late = await system.drain(seconds)
    if late:
        log.warning("actors were still at work when their time was over", actors=late)
