"""The service's process: opens the store, the actor system and the listeners, and closes them in reverse."""

import os
from collections.abc import AsyncIterator, Callable, Container, Mapping
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Final

import structlog
import trio

from svc import logging
from svc.actors.ai.upstreams import BuiltIn, Upstreams
from svc.actors.backups.backup_keeper import BACKUP_KEEPER, BackupKeeper
from svc.actors.backups.backups import Backups, configured_backups
from svc.actors.certificates.certificate_keeper import CERTIFICATE_KEEPER, CertificateKeeper
from svc.actors.certificates.issuer import Challenges, Issuer
from svc.actors.change_dispatch import ChangeDispatcher
from svc.actors.kinds import KINDS
from svc.actors.mail.smtp import MailServer
from svc.actors.outbound.client import OutboundHttp
from svc.actors.outbound.streamed_response import StreamLimits
from svc.actors.reconciler import Reconciler
from svc.actors.stream_places import StreamPlaces
from svc.actors.system import Secrets, System
from svc.cli import certificates, sockets
from svc.cli.data_directory import DataDirectory, ServiceAddresses
from svc.cli.demo_files import DemoFacts, open_demo, refuse_other_data
from svc.cli.endpoints import Endpoints, endpoints, reachable_host
from svc.cli.failures import as_failure
from svc.cli.listeners import Listeners, served_certificate
from svc.cli.supervision.service_manager import READY, STOPPING, ServiceManager
from svc.cli.supervision.signals import stop_on_signal
from svc.cli.supervision.watchdog import Watchdog
from svc.clock import Clock, WallClock
from svc.domain.ai.models import ModelCatalogue
from svc.domain.crypto.sealing import Sealer
from svc.domain.errors import Unavailable
from svc.domain.identity.people import WELCOME_PATH
from svc.domain.limits import AI_ANSWER_BYTES_MAX
from svc.domain.net.client_addresses import parse_networks
from svc.domain.times import DAY_MS
from svc.http.screens import assets as screens
from svc.http.screens.assets import ScreensNotBuilt
from svc.services import first_owner
from svc.settings import Settings
from svc.storage.clock import marks as clock_marks
from svc.storage.files.contents import FileStore
from svc.storage.files.directory import DirectoryFiles
from svc.storage.sqlite.migration_process import migrate_apart
from svc.storage.sqlite.store import open_store
from svc.storage.store import Store

log = structlog.get_logger("svc.service")

CLOSING_SECONDS: Final = 30
"""For closing the store and other work that cannot be cancelled, once everything else has ended."""
LOST_LINES_SECONDS: Final = 1
"""Interval at which lost log lines are reported."""

Announce = Callable[[Endpoints, DemoFacts | None, str | None], None]
"""Called once the service accepts connections, with the first owner's link if there is no organization."""


async def run(
    settings: Settings,
    directory: DataDirectory,
    announce: Announce,
    watchdog: Watchdog,
    *,
    manager: ServiceManager,
    models: ModelCatalogue,
    built_in: Mapping[str, BuiltIn],
    mail_server: MailServer | None,
    demo: bool,
    movable: Container[str] = (),
) -> None:
    """Run the service until a signal to stop, then shut down without losing anything that was accepted.

    Everything that can fail without writing is done first: loading the screens and the certificate, the check
    of the demo's directory, opening the sockets. Clients that connect before the service is ready wait for
    their first response, or are reset if the start fails. *watchdog* bounds every way in which this ends.

    *manager* is told when the service is ready, that its event loop responds, and when it stops.
    *models*: those of the configuration. *built_in*: providers of theirs that need no server. *mail_server*:
    None to send no mail. *movable*: keys of the binds that may move to free ports.

    Raises `Failure`, and the errors of `open_store` and `serve`, in groups.
    """
    with as_failure(ScreensNotBuilt):
        screens.built()
    if demo:
        refuse_other_data(directory)
    served = served_certificate(settings, certificates.stored(directory))
    challenges = Challenges()
    async with (
        sockets.opened(settings.server.bind, may_move="server.bind" in movable) as public,
        sockets.opened(settings.operator.bind, may_move="operator.bind" in movable) as operator,
        sockets.opened(settings.tls.http_bind if settings.tls.domain else ()) as plain,
    ):
        directory.make()
        key = directory.open_key()
        token = settings.operator.token or directory.open_token()
        bound = endpoints(settings, token, sockets.addresses(public), sockets.addresses(operator))
        secrets = Secrets(sender=key.derive("sender"), sealing=key.derive("sealing"))
        clock = WallClock()
        async with (
            manager.assured(),
            stop_on_signal(partial(_begin_stop, settings, watchdog, manager)) as stop,
            _lost_lines_reported(),
            open_store(
                directory.database,
                clock,
                prepare=migrate_apart,
                sealer=Sealer(secrets.sealing),
                mails=mail_server is not None,
            ) as store,
            _bounded_end(watchdog),
        ):
            facts = None
            if demo:
                host = reachable_host(settings.server.bind[0])
                starting = int(settings.ai.starting_credits)
                facts = await open_demo(
                    directory, store, secrets.sender, bound, host, starting_micro_credits=starting
                )
            # Again inside the system: cancelling it may have to wait for a turn that cannot be cancelled.
            async with (
                _live_system(
                    settings,
                    store,
                    clock,
                    secrets,
                    files=DirectoryFiles(directory.files),
                    models=models,
                    built_in=built_in,
                    certificates=certificates.issuer(settings, directory, served, challenges, clock),
                    backups=configured_backups(settings.backup, directory.originals),
                    mail_server=mail_server,
                ) as system,
                _bounded_end(watchdog),
            ):
                system.base_url = settings.server.public_url or bound.base_url
                directory.note_service(ServiceAddresses(os.getpid(), system.base_url, bound.operator_url))
                listeners = Listeners.over(
                    system,
                    settings,
                    public,
                    operator,
                    plain=plain,
                    challenges=challenges,
                    served=served,
                    token=token,
                    demo=facts,
                )
                await listeners.serve(
                    stop,
                    partial(
                        _ready,
                        system,
                        manager,
                        partial(announce, bound, facts, await _first_owner_link(system)),
                    ),
                    partial(_quiesce, system),
                    partial(_drain, system, settings.actors.drain_seconds),
                )
    log.info("stopped")


def _begin_stop(settings: Settings, watchdog: Watchdog, manager: ServiceManager) -> None:
    watchdog.end_within(_stopping_seconds(settings))
    manager.tell(STOPPING, "STATUS=Finishing what was accepted")


def _stopping_seconds(settings: Settings) -> float:
    """The longest regular shutdown: the requests of both listeners, the drain between, and closing."""
    return 2 * settings.server.graceful_seconds + settings.actors.drain_seconds + CLOSING_SECONDS


@asynccontextmanager
async def _bounded_end(watchdog: Watchdog) -> AsyncIterator[None]:
    """Start *watchdog*'s countdown as soon as the block ends or is cancelled, for whatever reason."""

    async def watch() -> None:
        try:
            await trio.sleep_forever()
        finally:
            watchdog.end_within(CLOSING_SECONDS)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(watch)
        yield
        nursery.cancel_scope.cancel()


@asynccontextmanager
async def _lost_lines_reported() -> AsyncIterator[None]:
    """Log how many log lines were lost, soon after the stream accepts lines again."""

    async def report() -> None:
        while True:
            await trio.sleep(LOST_LINES_SECONDS)
            logging.report_lost()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(report)
        yield
        nursery.cancel_scope.cancel()


@asynccontextmanager
async def _live_system(
    settings: Settings,
    store: Store,
    clock: Clock,
    secrets: Secrets,
    *,
    files: FileStore,
    models: ModelCatalogue,
    built_in: Mapping[str, BuiltIn],
    certificates: Issuer | None,
    backups: Backups | None,
    mail_server: MailServer | None,
) -> AsyncIterator[System]:
    """The running actor system over *store*, reconciled: work that an earlier process left is under way."""
    allowed = parse_networks(settings.outgoing.allowed_networks)
    outbound_http = OutboundHttp(allowed)
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
        connections_max=settings.server.connections_max,
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
        certificates=certificates,
        backups=backups,
        mail_server=mail_server,
    )
    store.listen(ChangeDispatcher(system))
    try:
        await system.settlements.begin()
        async with (
            outbound_http.live(),
            upstreams.live(),
            system.settlements.live(),
            system.open_calls.live(),
            system.live(),
        ):
            await Reconciler(system, "main").start()
            yield system
    finally:
        with trio.CancelScope(shield=True), suppress(Unavailable):
            await store.write(clock_marks.mark)


def _ready(system: System, manager: ServiceManager, announce: Callable[[], None]) -> None:
    """Announce the service, order its certificate, which needs the listeners, and make backups."""
    announce()
    manager.tell(READY, f"STATUS=Serving {system.base_url}")
    if system.certificates is not None:
        CertificateKeeper(system, CERTIFICATE_KEEPER).start.tell()
    if system.backups is not None:
        BackupKeeper(system, BACKUP_KEEPER).start.tell()


async def _first_owner_link(system: System) -> str | None:
    token = await first_owner.link(system)
    return None if token is None else f"{system.base_url}{WELCOME_PATH}#{token}"


def _quiesce(system: System) -> None:
    """Start no new background work, end the long polls and live events, and soon the AI calls."""
    system.quiesce()
    system.open_calls.stop()
    system.wakeups.close()
    system.screen_hints.close()


async def _drain(system: System, seconds: float) -> None:
    late = await system.drain(seconds)
    if late:
        log.warning("actors were still at work when their time was over", actors=late)
