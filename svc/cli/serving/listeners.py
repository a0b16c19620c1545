"""The public, the operator's and the plain listener: what each serves, and the order in which they stop."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, Self
from urllib.parse import urlsplit

import msgspec
import structlog
import trio
from quart import Blueprint

from svc.actors.certificates.issuer import Challenges
from svc.actors.system import System
from svc.cli.failures import Failure, in_a_line, leaves
from svc.cli.serving import sockets
from svc.config.settings import Secret, ServerSettings, Settings
from svc.domain.net.client_addresses import parse_networks
from svc.domain.randomness import Randomness
from svc.http.app import public_app
from svc.http.asgi import ASGIApp
from svc.http.docs.demo_shop import DemoShop
from svc.http.operator.app import operator_app
from svc.http.operator.event_loop import EventLoopWatch
from svc.http.plain_door import plain_app
from svc.http.server import Bind, Certificate, CertificateError, ServedCertificate, ServerOptions, serve
from svc.http.traffic import Traffic

if TYPE_CHECKING:
    from svc.cli.demo_files import DemoFacts

log = structlog.get_logger("svc.service")

OPERATOR_CONNECTIONS_MAX: Final = 100
OPERATOR_DESCRIPTORS: Final = 8
"""File descriptors that are held back for operators, who look when the service has none left."""
PLAIN_CONNECTIONS_MAX: Final = 100
HTTPS_PORT: Final = 443


class Listener(NamedTuple):
    """An application, the sockets that it is served on, the server's options and randomness, and its TLS."""

    app: ASGIApp
    sockets: Sequence[trio.SocketListener]
    options: ServerOptions
    random: Randomness
    served: ServedCertificate | None = None

    async def start(self, nursery: trio.Nursery, stop: trio.Event) -> None:
        """Serve in *nursery* until *stop*. Return once connections are accepted."""
        await nursery.start(partial(self._serve, stop=stop))

    async def _serve(self, *, stop: trio.Event, task_status: trio.TaskStatus[list[Bind]]) -> None:
        addresses = ", ".join(sockets.addresses(self.sockets))
        try:
            await serve(
                self.app,
                listeners=self.sockets,
                options=self.options,
                served=self.served,
                random=self.random,
                stop=stop,
                task_status=task_status,
            )
        except Exception as error:
            errors = leaves(error)
            if not all(isinstance(leaf, OSError) for leaf in errors):
                raise  # reported by its own message, or a fault of the program
            message = f"the listener on {addresses} has failed: {in_a_line(errors)}"
            log.critical(message, exc_info=error)
            raise Failure(message) from error


class Listeners(NamedTuple):
    """The listeners of the service."""

    public: Listener
    operator: Listener
    plain: Listener | None
    """On port 80, where the service has its certificate by ACME."""
    event_loop: EventLoopWatch

    @classmethod
    def over(
        cls,
        system: System,
        settings: Settings,
        public: Sequence[trio.SocketListener],
        operator: Sequence[trio.SocketListener],
        *,
        plain: Sequence[trio.SocketListener],
        challenges: Challenges,
        served: ServedCertificate | None,
        token: Secret,
        demo: "DemoFacts | None",
    ) -> Self:
        """The listeners that serve *system* on the sockets *public*, *operator* and *plain*.

        *served* is the certificate of the first. The last, if there is one, answers *challenges*.
        """
        traffic, event_loop = Traffic(), EventLoopWatch()
        return cls(
            public=_public(system, settings, public, served, demo=demo, traffic=traffic),
            operator=_operator(system, settings, operator, token, traffic=traffic, event_loop=event_loop),
            plain=_plain(system, settings, plain, public, challenges) if plain else None,
            event_loop=event_loop,
        )

    async def serve(
        self,
        stop: trio.Event,
        on_ready: Callable[[], None],
        on_stop: Callable[[], None],
        drain: Callable[[], Awaitable[None]],
    ) -> None:
        """Serve all until *stop*; then finish the public requests, await *drain*, and stop the operator's.

        *on_stop* is called as soon as *stop* is set. The operator's listener stops last, so that an operator
        can see what the shutdown is waiting for.
        """
        drained = trio.Event()
        async with trio.open_nursery() as outer:
            await self.operator.start(outer, drained)
            async with trio.open_nursery() as inner:
                await self.public.start(inner, stop)
                if self.plain is not None:
                    await self.plain.start(inner, stop)
                on_ready()
                await stop.wait()
                on_stop()
            await drain()
            drained.set()


def served_certificate(settings: Settings, stored: Path) -> ServedCertificate | None:
    """The certificate to serve: the configured one, or the one that ACME has *stored*.

    None if the public listener does not use TLS. Raises `CertificateError` for a configured one that cannot
    be used; for a stored one that cannot be, another is ordered.
    """
    server, served = settings.server, ServedCertificate()
    if server.tls_certificate is not None and server.tls_key is not None:
        served.use(Certificate(server.tls_certificate, server.tls_key))
        return served
    if not settings.tls.domain:
        return None
    if stored.exists():
        try:
            served.use(Certificate(stored, stored))
        except CertificateError as error:
            log.warning("the stored certificate cannot be served; another is ordered", why=str(error))
    return served


def _public(
    system: System,
    settings: Settings,
    public: Sequence[trio.SocketListener],
    served: ServedCertificate | None,
    *,
    demo: "DemoFacts | None",
    traffic: Traffic,
) -> Listener:
    server = settings.server
    by_tls = served is not None or bool(server.trusted_proxies)
    shop: DemoShop | None = None
    blueprints: tuple[Blueprint, ...] = ()
    if demo is not None:
        from svc.demo.shop_page import shop_blueprint  # noqa: PLC0415  # a service without the demo keeps none of it in memory

        shop = _shop(demo, settings)
        blueprints = (shop_blueprint(shop),)
    app = public_app(
        system,
        trusted_proxies=parse_networks(server.trusted_proxies),
        public_url="" if server.public_url is None else server.public_url.text,
        strict_transport_seconds=server.hsts_seconds if by_tls else 0,
        demo=shop,
        blueprints=blueprints,
        traffic=traffic,
    )
    return Listener(app, public, _options(server), system.random, served)


def _shop(demo: "DemoFacts", settings: Settings) -> DemoShop:
    from svc.demo.shop import HONEYPOT, NAME  # noqa: PLC0415  # as above

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
    system: System,
    settings: Settings,
    operator: Sequence[trio.SocketListener],
    token: Secret,
    *,
    traffic: Traffic,
    event_loop: EventLoopWatch,
) -> Listener:
    options = msgspec.structs.replace(
        _options(settings.server),
        connections_max=OPERATOR_CONNECTIONS_MAX,
        spare_descriptors=OPERATOR_DESCRIPTORS,
    )
    return Listener(operator_app(system, token, traffic, event_loop), operator, options, system.random)


def _plain(
    system: System,
    settings: Settings,
    plain: Sequence[trio.SocketListener],
    public: Sequence[trio.SocketListener],
    challenges: Challenges,
) -> Listener:
    app = plain_app(challenges, settings.tls.domain, _https_port(settings, public), system.random)
    options = msgspec.structs.replace(_options(settings.server), connections_max=PLAIN_CONNECTIONS_MAX)
    return Listener(app, plain, options, system.random)


def _https_port(settings: Settings, public: Sequence[trio.SocketListener]) -> int:
    """The port that the outside knows: that of `server.public_url`, or else the one that is listened on."""
    server = settings.server
    if server.public_url is not None and server.public_url.is_https:
        return urlsplit(server.public_url.text).port or HTTPS_PORT
    return sockets.addresses(public)[0].port


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
