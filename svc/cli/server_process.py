"""The service: the store, the system over it, two listeners over that, and their end in the reverse order."""

import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Container, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Final, NamedTuple

import msgspec
import structlog
import trio

from svc import logging
from svc.actors.change_dispatch import ChangeDispatcher
from svc.actors.kinds import KINDS
from svc.actors.outbound_http import OutboundHttp
from svc.actors.reconciler import Reconciler
from svc.actors.system import Secrets, System
from svc.cli import sockets
from svc.cli.data_directory import DataDirectory, ServiceAddresses
from svc.cli.demo import DemoFacts, open_demo, refuse_other_data
from svc.cli.endpoints import Endpoints, endpoints, reachable_host
from svc.cli.failures import Failure, in_a_line, leaves
from svc.cli.watchdog import Watchdog
from svc.clock import Clock, WallClock
from svc.config import Secret, ServerSettings, Settings
from svc.demo.shop import HONEYPOT, NAME
from svc.demo.shop_page import demo_doors
from svc.domain.crypto.sealing import Sealer
from svc.domain.errors import Unavailable
from svc.domain.net.client_addresses import parse_networks
from svc.http.app import public_app
from svc.http.asgi import ASGIApp
from svc.http.docs.demo_shop import DemoShop
from svc.http.operator.app import operator_app
from svc.http.server import Bind, Certificate, ServerOptions, check_certificate, serve
from svc.storage.clock import marks as clock_marks
from svc.storage.sqlite.store import open_store
from svc.storage.store import Store

log = structlog.get_logger("svc.service")

_STOPPING: Final = (signal.SIGINT, signal.SIGTERM)
OPERATOR_CONNECTIONS_MAX: Final = 100
CLOSING_SECONDS: Final = 30
"""For the store to close, and all else that nothing can cut short, once the rest of the service has ended."""
LOST_LINES_SECONDS: Final = 1
"""Between two looks whether the log takes lines again."""

Announce = Callable[[Endpoints, DemoFacts | None], None]
"""Called once everything is ready."""


async def run(
    settings: Settings,
    directory: DataDirectory,
    announce: Announce,
    watchdog: Watchdog,
    *,
    demo: bool,
    movable: Container[str] = (),
) -> None:
    """Serve until a signal asks to stop, then stop so that nothing accepted is lost.

    What can be found to be in the way without writing anything is found first: the demo's directory is
    looked at, the certificate read, and the sockets are opened. Clients that connect from then on wait for
    the first answer, or are reset if the start fails. However it ends, *watchdog* sees to it that it does.

    *movable*: keys of binds that may give way to free ports. Raises what `open_store` and `serve` raise, in
    groups, and `Failure`.
    """
    if demo:
        refuse_other_data(directory)
    certificate = _certificate(settings.server)
    if certificate is not None:
        check_certificate(certificate)
    async with (
        sockets.opened(settings.server.bind, may_move="server.bind" in movable) as public,
        sockets.opened(settings.operator.bind, may_move="operator.bind" in movable) as operator,
    ):
        directory.make()
        key = directory.open_key()
        token = settings.operator.token or directory.open_token()
        real = endpoints(settings, token, sockets.addresses(public), sockets.addresses(operator))
        secrets = Secrets(sender=key.derive("sender"), sealing=key.derive("sealing"))
        clock = WallClock()
        async with (
            _stop_on_signal(partial(watchdog.end_within, _stopping_seconds(settings))) as stop,
            _lost_lines_reported(),
            open_store(directory.database, clock, sealer=Sealer(secrets.sealing)) as store,
            _bounded_end(watchdog),
        ):
            facts = None
            if demo:
                host = reachable_host(settings.server.bind[0])
                facts = await open_demo(directory, store, secrets.sender, real, host)
            # Once more inside: what cuts off the system may have to wait for a turn that nothing can cancel.
            async with _live_system(settings, store, clock, secrets) as system, _bounded_end(watchdog):
                system.base_url = settings.server.public_url or real.base_url
                directory.note_service(ServiceAddresses(os.getpid(), system.base_url, real.operator_url))
                listeners = _Listeners(
                    public=_public(system, settings, public, certificate, facts),
                    operator=_operator(system, settings, operator, token),
                )
                await listeners.serve(
                    stop,
                    partial(announce, real, facts),
                    partial(_quiesce, system),
                    partial(_drain, system, settings.actors.drain_seconds),
                )
    log.info("stopped")


def _stopping_seconds(settings: Settings) -> float:
    """What a stop may take: the requests of each listener in turn, the actors in between, and the store."""
    return 2 * settings.server.graceful_seconds + settings.actors.drain_seconds + CLOSING_SECONDS


@asynccontextmanager
async def _bounded_end(watchdog: Watchdog) -> AsyncIterator[None]:
    """Tell *watchdog* as soon as this block ends or is cut off, whatever it is that failed."""

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
    """Meanwhile, say in the log how many lines were lost, soon after it takes lines again."""

    async def report() -> None:
        while True:
            await trio.sleep(LOST_LINES_SECONDS)
            logging.report_lost()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(report)
        yield
        nursery.cancel_scope.cancel()


@asynccontextmanager
async def _stop_on_signal(stopping: Callable[[], None]) -> AsyncIterator[trio.Event]:
    """An event that the first SIGINT or SIGTERM sets, after *stopping*; the second ends the process at once.

    That is the kernel's doing, so it works however stuck this program is: what was answered is on disk.
    """
    stop = trio.Event()

    async def wait(signals: AsyncIterator[int]) -> None:
        async for number in signals:
            for one in _STOPPING:
                signal.signal(one, signal.SIG_DFL)
            stopping()
            stop.set()
            log.info("stopping", signal=signal.Signals(number).name)
            return

    with trio.open_signal_receiver(*_STOPPING) as signals:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(wait, signals)
            yield stop
            nursery.cancel_scope.cancel()


@asynccontextmanager
async def _live_system(
    settings: Settings, store: Store, clock: Clock, secrets: Secrets
) -> AsyncIterator[System]:
    """The system over *store*, in order: what an earlier life left undone is being done."""
    outgoing = OutboundHttp(parse_networks(settings.outgoing.allowed_networks))
    system = System(
        KINDS,
        store,
        clock,
        secrets,
        calls_per_minute=settings.tools.calls_per_minute,
        outbound_http=outgoing,
    )
    store.listen(ChangeDispatcher(system))
    try:
        async with system.live():
            await Reconciler(system, "main").start()
            yield system
    finally:
        with trio.CancelScope(shield=True):
            await outgoing.aclose()
            with suppress(Unavailable):
                await store.write(clock_marks.mark)


def _quiesce(system: System) -> None:
    """Begin nothing any more but what the last requests ask for, and let none of those only wait."""
    system.quiesce()
    system.wakeups.close()


async def _drain(system: System, seconds: float) -> None:
    late = await system.drain(seconds)
    if late:
        log.warning("actors were still at work when their time was over", actors=late)


class _Listener(NamedTuple):
    """What is served, where, and how."""

    app: ASGIApp
    listeners: Sequence[trio.SocketListener]
    options: ServerOptions

    async def open(self, nursery: trio.Nursery, stop: trio.Event) -> None:
        """Serve in *nursery* until *stop*; return once connections are accepted."""
        await nursery.start(partial(self._serve, stop=stop))

    async def _serve(self, *, stop: trio.Event, task_status: trio.TaskStatus[list[Bind]]) -> None:
        where = ", ".join(sockets.addresses(self.listeners))
        try:
            await serve(
                self.app,
                listeners=self.listeners,
                options=self.options,
                stop=stop,
                task_status=task_status,
            )
        except Exception as error:
            found = leaves(error)
            if not all(isinstance(one, OSError) for one in found):
                raise  # told by what it is, or a fault of the program
            failed = f"the listener on {where} has failed: {in_a_line(found)}"
            log.critical(failed, exc_info=error)
            raise Failure(failed) from error


class _Listeners(NamedTuple):
    public: _Listener
    operator: _Listener

    async def serve(
        self,
        stop: trio.Event,
        ready: Callable[[], None],
        stopping: Callable[[], None],
        drain: Callable[[], Awaitable[None]],
    ) -> None:
        """Serve both until *stop*; then the public one finishes its requests, and *drain* the rest.

        *stopping* is called at once.

        The operator's goes last, so that whoever waits for the end can see what it waits for.
        """
        drained = trio.Event()
        async with trio.open_nursery() as outer:
            await self.operator.open(outer, drained)
            async with trio.open_nursery() as inner:
                await self.public.open(inner, stop)
                ready()
                await stop.wait()
                stopping()
            await drain()
            drained.set()


def _certificate(server: ServerSettings) -> Certificate | None:
    if server.tls_certificate is None or server.tls_key is None:
        return None
    return Certificate(server.tls_certificate, server.tls_key)


def _public(
    system: System,
    settings: Settings,
    listeners: Sequence[trio.SocketListener],
    certificate: Certificate | None,
    demo: DemoFacts | None,
) -> _Listener:
    server = settings.server
    by_tls = certificate is not None or bool(server.trusted_proxies)
    shop = None if demo is None else _shop(demo, settings)
    app = public_app(
        system,
        trusted_proxies=parse_networks(server.trusted_proxies),
        public_https=(server.public_url or "").startswith("https://"),
        strict_transport_seconds=server.hsts_seconds if by_tls else 0,
        demo=shop,
        blueprints=() if shop is None else (demo_doors(shop),),
    )
    options = _options(server)
    return _Listener(app, listeners, msgspec.structs.replace(options, certificate=certificate))


def _shop(demo: DemoFacts, settings: Settings) -> DemoShop:
    return DemoShop(
        name=NAME,
        form_key=demo.form_key,
        honeypot=HONEYPOT,
        embed_key=demo.embed_key,
        owner_email=demo.owner.email,
        directory=str(settings.data.directory),
        example_ids=demo.example_ids,
    )


def _operator(
    system: System, settings: Settings, listeners: Sequence[trio.SocketListener], token: Secret
) -> _Listener:
    options = msgspec.structs.replace(_options(settings.server), connections_max=OPERATOR_CONNECTIONS_MAX)
    return _Listener(operator_app(system, token), listeners, options)


def _options(server: ServerSettings) -> ServerOptions:
    return ServerOptions(
        head_seconds=server.head_seconds,
        body_seconds=server.body_seconds,
        keep_alive_seconds=server.keep_alive_seconds,
        write_seconds=server.write_seconds,
        graceful_seconds=server.graceful_seconds,
        connections_max=server.connections_max,
        waiting_per_address_max=server.waiting_per_address_max,
        trusted_proxies=parse_networks(server.trusted_proxies),
    )
