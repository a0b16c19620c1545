"""The service's process: opens the store, the actor system and the listeners, and closes them in reverse."""

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Container, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import structlog
import trio

from svc.actors.ai.upstreams import BuiltIn
from svc.actors.backups.backup_keeper import BACKUP_KEEPER, BackupKeeper
from svc.actors.backups.backups import configured_backups
from svc.actors.certificates.certificate_keeper import CERTIFICATE_KEEPER, CertificateKeeper
from svc.actors.certificates.issuer import Challenges
from svc.actors.mail.smtp import MailServer
from svc.actors.system import Secrets, System
from svc.cli import certificates
from svc.cli.data_directory import DataDirectory, ServiceAddresses
from svc.cli.data_store import serving_store
from svc.cli.failures import Failure, as_failure
from svc.cli.serving import sockets
from svc.cli.serving.endpoints import Endpoints, endpoints, reachable_host
from svc.cli.serving.listeners import Listeners, served_certificate
from svc.cli.serving.live_system import drain, live_system, quiesce
from svc.cli.serving.reserve import Reserve
from svc.cli.supervision.actor_report import report_on_signal
from svc.cli.supervision.service_manager import READY, STOPPING, ServiceManager
from svc.cli.supervision.signals import stop_on_signal
from svc.cli.supervision.watchdog import Watchdog
from svc.clock import WallClock
from svc.config.settings import Settings
from svc.domain.ai.models import ModelCatalogue
from svc.domain.crypto.sealing import Sealer
from svc.domain.errors import Unavailable
from svc.domain.identity.people import WELCOME_PATH
from svc.http.screens import assets as screens
from svc.http.screens.assets import ScreensNotBuilt
from svc.logging import setup as logging
from svc.services.identity import first_owner
from svc.storage.clock import marks as clock_marks
from svc.storage.files.directory import DirectoryFiles
from svc.storage.identity import organizations
from svc.storage.store import Store
from svc.telemetry.tracing import Tracing

if TYPE_CHECKING:
    from svc.cli.demo_files import DemoFacts

log = structlog.get_logger("svc.service")

CLOSING_SECONDS: Final = 30
"""For closing the store and other work that cannot be cancelled, once everything else has ended."""
LOST_LINES_SECONDS: Final = 1
"""Interval at which lost log lines are reported."""

Announce = Callable[[Endpoints, "DemoFacts | None", str | None], None]
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
    tracing: Tracing | None,
    demo: bool,
    movable: Container[str] = (),
    config_file: Path | None = None,
) -> None:
    """Run the service until a signal to stop, then shut down without losing anything that was accepted.

    Everything that can fail without writing is done first: loading the screens and the certificate, the check
    of the demo's directory, opening the sockets. Clients that connect before the service is ready wait for
    their first response, or are reset if the start fails. *watchdog* bounds every way in which this ends.

    *manager* is told when the service is ready, that its event loop responds, and when it stops.
    *models*: those of the configuration. *built_in*: providers of theirs that need no server. *mail_server*:
    None to send no mail. *tracing*: None to record no traces. *movable*: keys of the binds that may move to
    free ports. *config_file*: the file that *settings* are from, for commands that look at this service.

    Raises `Failure`, and the errors of `open_store` and `serve`, in groups.
    """
    with as_failure(ScreensNotBuilt):
        screens.built()
    if demo:
        from svc.cli.demo_files import refuse_other_data  # noqa: PLC0415  # a service without the demo keeps none of it in memory

        refuse_other_data(directory)
    served = served_certificate(settings, certificates.stored(directory))
    challenges = Challenges()
    async with (
        sockets.opened(settings.server.bind, may_move="server.bind" in movable) as public,
        sockets.opened(settings.operator.bind, may_move="operator.bind" in movable) as operator,
        sockets.opened(settings.tls.http_bind if settings.tls.domain else ()) as plain,
    ):
        directory.make()
        reserve = Reserve(directory.reserve)
        reserve.give_up_if_needed()
        has_key = directory.secret_key.exists()
        key = directory.open_key()
        token = settings.operator.token or directory.open_token()
        bound = endpoints(settings, token, sockets.addresses(public), sockets.addresses(operator))
        secrets = Secrets(sender=key.derive("sender"), sealing=key.derive("sealing"))
        clock = WallClock()
        async with (
            manager.assured(),
            stop_on_signal(partial(_begin_stop, settings, watchdog, manager)) as stop,
            _beside(_report_lost_lines),
            _beside(reserve.keep),
            serving_store(
                directory, clock, sealer=Sealer(secrets.sealing), mails=mail_server is not None
            ) as store,
            _bounded_end(watchdog),
        ):
            if not has_key and settings.data.database is not None:
                await _refuse_data_of_another_key(directory, store)
            facts = None
            if demo:
                from svc.cli.demo_files import open_demo  # noqa: PLC0415  # as above

                host = reachable_host(settings.server.bind[0])
                starting = int(settings.ai.starting_credits)
                facts = await open_demo(
                    directory, store, secrets.sender, bound, host, starting_micro_credits=starting
                )
            # Again inside the system: cancelling it may have to wait for a turn that cannot be cancelled.
            async with (
                live_system(
                    settings,
                    directory.place,
                    store,
                    clock,
                    secrets,
                    files=DirectoryFiles(directory.files),
                    exports=DirectoryFiles(directory.exports),
                    models=models,
                    built_in=built_in,
                    certificates=certificates.issuer(settings, directory, served, challenges, clock),
                    backups=configured_backups(
                        settings.backup, directory.originals, directory.open_installation
                    ),
                    mail_server=mail_server,
                    tracing=tracing,
                ) as system,
                _beside(partial(report_on_signal, system)),
                _bounded_end(watchdog),
            ):
                system.base_url = settings.server.base_url(bound.base_url)
                listening = {"server.bind": public, "operator.bind": operator, "tls.http_bind": plain}
                directory.note_service(
                    ServiceAddresses(
                        os.getpid(),
                        system.base_url,
                        bound.operator_url,
                        {key: tuple(map(str, sockets.addresses(found))) for key, found in listening.items()},
                        None if config_file is None else str(config_file),
                    )
                )
                await _take_back(reserve, store)
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
                async with _beside(listeners.event_loop.run):
                    await listeners.serve(
                        stop,
                        partial(
                            _ready,
                            system,
                            manager,
                            partial(announce, bound, facts, await _first_owner_link(system)),
                        ),
                        partial(quiesce, system),
                        partial(drain, system, settings.actors.drain_seconds),
                    )
    log.info("stopped")


async def _refuse_data_of_another_key(directory: DataDirectory, store: Store) -> None:
    """Raise `Failure` if there is data that was written with another key than the one just made."""
    if await store.read(organizations.is_any):
        directory.secret_key.unlink()
        raise Failure(
            f"{directory.secret_key} is missing, and there is data in {directory.place}. What is stored"
            " encrypted could never be read with a new key. Put the key back."
        )


async def _take_back(reserve: Reserve, store: Store) -> None:
    """Take the rest of the reserve back; the next write shows to `/readyz` that there is no room."""
    if reserve.is_needed:
        reserve.take_back()
        with suppress(Unavailable):
            await store.alone.write(clock_marks.mark)


def _begin_stop(settings: Settings, watchdog: Watchdog, manager: ServiceManager) -> None:
    watchdog.end_within(_stopping_seconds(settings))
    manager.tell(STOPPING, "STATUS=Finishing what was accepted")


def _stopping_seconds(settings: Settings) -> float:
    """The longest regular shutdown: the requests of both listeners, the drain between, and closing."""
    return 2 * settings.server.graceful_seconds + settings.actors.drain_seconds + CLOSING_SECONDS


def _bounded_end(watchdog: Watchdog) -> AbstractAsyncContextManager[None]:
    """Start *watchdog*'s countdown as soon as the block ends or is cancelled, for whatever reason."""

    async def watch() -> None:
        try:
            await trio.sleep_forever()
        finally:
            watchdog.end_within(CLOSING_SECONDS)

    return _beside(watch)


@asynccontextmanager
async def _beside(work: Callable[[], Awaitable[None]]) -> AsyncIterator[None]:
    """Run *work* until the block ends."""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(work)
        yield
        nursery.cancel_scope.cancel()


async def _report_lost_lines() -> None:
    """Log how many log lines were lost, soon after the stream accepts lines again."""
    while True:
        await trio.sleep(LOST_LINES_SECONDS)
        logging.report_lost()


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
