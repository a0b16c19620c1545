"""`svc run`: run the service."""

import gc
import os
import shlex
import sys
from collections.abc import Container
from functools import partial
from typing import TYPE_CHECKING, Final

import click
import structlog
import trio
from msgspec.structs import replace

from svc.actors.ai.upstreams import BuiltIn
from svc.actors.mail.configured import mail_server_of
from svc.cli import descriptors, server_process
from svc.cli.data_directory import DataDirectory
from svc.cli.failures import BadConfiguration, as_failure
from svc.cli.invocation import program
from svc.cli.options import configured
from svc.cli.serving.endpoints import Endpoints
from svc.cli.supervision.service_manager import ServiceManager
from svc.cli.supervision.watchdog import Watchdog
from svc.config.checks import ConfigError
from svc.config.loading import Configuration
from svc.config.models import model_catalogue
from svc.config.settings import Settings
from svc.domain.ai.money import MICRO, Credits
from svc.domain.identity.limits import FIRST_OWNER_LIFE_MS
from svc.domain.locale.times import MINUTE_MS
from svc.http.server import CertificateError, ListenError
from svc.logging import setup as logging
from svc.logging.output import Output
from svc.storage.store import StoreError
from svc.telemetry.tracing import tracing_of
from svc.version import VERSION

if TYPE_CHECKING:
    from svc.cli.demo_files import DemoFacts

log = structlog.get_logger("svc.service")

SWITCH_SECONDS: Final = 0.0005
"""Switch interval of the interpreter. While the event loop is busy, the store's threads wait this long
several times in each transaction, which adds up with the default of 5 ms."""

GARBAGE_THRESHOLDS: Final = (10_000, 20, 50)
"""Thresholds of the garbage collector, which also ignores everything that was imported at the start. Both
together make requests a tenth cheaper, and none has to pay for a scan of all modules."""

BINDS: Final = ("server.bind", "operator.bind")
"""Settings whose default ports the demo may replace if they are taken."""

DEMO_CREDITS: Final = Credits(100 * MICRO)
"""Starting credits of the demo's organization, unless others are set."""


@click.command("run")
@click.option("--bind", multiple=True, metavar="HOST:PORT", help="Listen here, port 0 is any free one.")
@click.option("--operator-bind", multiple=True, metavar="HOST:PORT", help="Listen here for the operator.")
@click.option(
    "--demo", is_flag=True, help="Run with a demo shop, which is created in an empty data directory."
)
@click.option(
    "--domain",
    multiple=True,
    metavar="NAME",
    help="Serve this name by TLS, with a certificate by ACME. May be given several times.",
)
@click.option(
    "--database",
    metavar="URL",
    help="Have the data in this PostgreSQL database: postgresql://USER:PASSWORD@HOST:PORT/NAME.",
)
@configured(
    ("bind", "--bind", "server.bind"),
    ("operator_bind", "--operator-bind", "operator.bind"),
    ("domain", "--domain", "tls.domain"),
    ("database", "--database", "data.database"),
)
def command(configuration: Configuration, *, demo: bool) -> None:
    """Run the service until SIGINT or SIGTERM. A second signal ends it at once."""
    settings = _with_demo_credits(configuration) if demo else configuration.settings
    try:
        configured = configuration.changed_at("ai.models")
        models = model_catalogue(settings.ai, os.environ, created=configured)
        mail_server = mail_server_of(settings.mail, os.environ)
        tracing = tracing_of(settings.tracing, os.environ)
    except ConfigError as error:
        raise BadConfiguration(str(error)) from error
    _reserve_standard_descriptors()
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GARBAGE_THRESHOLDS)
    settings = replace(settings, server=descriptors.fitted(settings.server))
    directory = DataDirectory.of(settings.data)
    movable = [key for key in BINDS if demo and configuration.is_default(key)]

    def announce(bound: Endpoints, facts: "DemoFacts | None", first_owner: str | None) -> None:
        token = (
            configuration.origins["operator.token"]
            if settings.operator.token
            else str(directory.operator_token)
        )
        lines = [
            f"svc {VERSION} is ready",
            f"Public      {'  '.join(bound.public_urls)}",
            f"Operator    {'  '.join(bound.operator_urls)}  (token: {token})",
        ]
        if facts is not None:
            from svc.cli.demo_files import welcome  # noqa: PLC0415  # a service without the demo keeps none of it in memory

            lines = [
                f"svc {VERSION} is ready, with a demo shop in {directory.path}",
                *_moved(settings, movable, bound),
                *(f"It is at {url} as well" for url in bound.public_urls[1:]),
                "",
                welcome(directory, facts, token).rstrip("\n"),
            ]
        elif first_owner is not None:
            data = shlex.quote(str(directory.path))
            lines.append(
                "There is no organization yet. This link makes one with you as its owner, once, within"
                f" {FIRST_OWNER_LIFE_MS // MINUTE_MS} minutes:\n"
                f"  {first_owner}\n"
                "Or, in a second terminal, this makes one, and its first API key:\n"
                f"  {program()} setup --data {data}"
            )
        if not Output(sys.stdout).write("\n".join(lines) + "\n"):
            log.warning(
                "ready, and the standard output takes nothing",
                public=bound.public_urls,
                operator=bound.operator_urls,
            )

    built_in: dict[str, BuiltIn] = {}
    if demo:
        from svc.demo.ai import DEMO_PROVIDER, echo, with_demo  # noqa: PLC0415  # a service without the demo keeps none of it in memory

        models, built_in = with_demo(models), {DEMO_PROVIDER: echo}
    watchdog = Watchdog()
    with as_failure(StoreError, ListenError, CertificateError), logging.faults_logged(), watchdog.watch():
        trio.run(
            partial(
                server_process.run,
                settings,
                directory,
                announce,
                watchdog,
                manager=ServiceManager.of_environment(os.environ),
                models=models,
                built_in=built_in,
                mail_server=mail_server,
                tracing=tracing,
                demo=demo,
                movable=movable,
                config_file=configuration.file and configuration.file.absolute(),
            )
        )


def _with_demo_credits(configuration: Configuration) -> Settings:
    """The settings, with the demo's starting credits where none are set."""
    settings = configuration.settings
    if not configuration.is_default("ai.starting_credits"):
        return settings
    return replace(settings, ai=replace(settings.ai, starting_credits=DEMO_CREDITS))


def _moved(settings: Settings, movable: Container[str], bound: Endpoints) -> list[str]:
    """A line for each default address that another program uses."""
    addresses = {
        "server.bind": (settings.server.bind[0], bound.base_url),
        "operator.bind": (settings.operator.bind[0], bound.operator_url),
    }
    return [
        f"Another program listens at {bind}, so this is at {url} today"
        for key, (bind, url) in addresses.items()
        if key in movable and not url.endswith(f":{bind.port}")
    ]


def _reserve_standard_descriptors() -> None:
    """Open closed standard streams on the null device, so that no other file gets their descriptors."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free descriptor
