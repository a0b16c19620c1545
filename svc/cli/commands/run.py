"""`svc run`: the service itself."""

import gc
import os
import resource
import shlex
import sys
from collections.abc import Container
from functools import partial
from typing import Final

import click
import structlog
import trio

from svc import logging
from svc.cli import offline, server_process
from svc.cli.data_directory import DataDirectory
from svc.cli.demo_files import DemoFacts, welcome
from svc.cli.endpoints import Endpoints
from svc.cli.failures import as_failure
from svc.cli.invocation import program
from svc.cli.options import configured
from svc.cli.watchdog import Watchdog
from svc.config import Configuration
from svc.http.server import CertificateError, ListenError
from svc.output import Output
from svc.settings import Settings
from svc.storage.identity import organizations
from svc.storage.store import StoreError
from svc.version import VERSION

log = structlog.get_logger("svc.service")

SWITCH_SECONDS: Final = 0.0005
"""How long a thread may keep the interpreter while another wants it. A busy event loop makes the store's
threads wait this long again and again within one transaction, and the usual 5 ms adds up."""

GARBAGE_THRESHOLDS: Final = (10_000, 20, 50)
"""How much is made before the collector looks for cycles. What was imported is never looked at again. With
both, requests cost a tenth less, and none of them pays for a walk over all modules."""

BINDS: Final = ("server.bind", "operator.bind")
"""Where the demo gives way to a program that listens there already, unless they are set: a newcomer chose
neither."""

OWN_FILES: Final = 400
"""Files that the process has open besides its connections: the operator's, those that are being turned away,
the database, the log."""


@click.command("run")
@click.option("--bind", multiple=True, metavar="HOST:PORT", help="Listen here, port 0 is any free one.")
@click.option("--operator-bind", multiple=True, metavar="HOST:PORT", help="Listen here for the operator.")
@click.option("--demo", is_flag=True, help="Open a demo shop in an empty data directory.")
@configured(("bind", "--bind", "server.bind"), ("operator_bind", "--operator-bind", "operator.bind"))
def command(configuration: Configuration, *, demo: bool) -> None:
    """Run the service until SIGINT or SIGTERM; a second one ends it at once."""
    settings = configuration.settings
    _hold_standard_streams()
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GARBAGE_THRESHOLDS)
    _allow_files(settings.server.connections_max + OWN_FILES)
    directory = DataDirectory(settings.data.directory)
    movable = [key for key in BINDS if demo and configuration.is_usual(key)]

    def announce(doors: Endpoints, facts: DemoFacts | None) -> None:
        token = (
            configuration.origins["operator.token"]
            if settings.operator.token
            else str(directory.operator_token)
        )
        lines = [
            f"svc {VERSION} is ready",
            f"Public      {'  '.join(doors.public_urls)}",
            f"Operator    {'  '.join(doors.operator_urls)}  (token: {token})",
        ]
        if facts is not None:
            lines = [
                f"svc {VERSION} is ready, with a demo shop in {directory.path}",
                *_moved(settings, movable, doors),
                *(f"It is at {url} as well" for url in doors.public_urls[1:]),
                "",
                welcome(directory, facts, token).rstrip("\n"),
            ]
        elif not offline.read(directory, organizations.is_any):
            data = shlex.quote(str(directory.path))
            lines.append(
                "There is no organization yet. In a second terminal, this makes one, and its first API key:\n"
                f"  {program()} setup --data {data}"
            )
        if not Output(sys.stdout).write("\n".join(lines) + "\n"):
            log.warning(
                "ready, and the standard output takes nothing",
                public=doors.public_urls,
                operator=doors.operator_urls,
            )

    watchdog = Watchdog()
    with as_failure(StoreError, ListenError, CertificateError), logging.faults_logged(), watchdog.watch():
        trio.run(
            partial(server_process.run, settings, directory, announce, watchdog, demo=demo, movable=movable)
        )


def _moved(settings: Settings, movable: Container[str], doors: Endpoints) -> list[str]:
    """A line for each address that was not taken as usual."""
    usual = {
        "server.bind": (settings.server.bind[0], doors.base_url),
        "operator.bind": (settings.operator.bind[0], doors.operator_url),
    }
    return [
        f"Another program listens at {bind}, so this is at {url} today"
        for key, (bind, url) in usual.items()
        if key in movable and not url.endswith(f":{bind.port}")
    ]


def _hold_standard_streams() -> None:
    """Have something open under the numbers of the standard streams, so that no file of ours gets one."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free


def _allow_files(needed: int) -> None:
    """Raise the number of files that this process may open to what its connections need."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < needed:
        allowed = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
        if allowed < needed:
            log.warning(
                "fewer files may be open than server.connections_max needs", may=allowed, needs=needed
            )
