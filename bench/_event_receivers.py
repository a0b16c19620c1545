"""Receivers of events, databases with subscriptions at them, and the service that sends to them."""

import http.client
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import msgspec
import trio

from bench._event_life import SECRETS
from bench._machine import PROJECT, START_SECONDS_MAX, load_prefix, server_prefix
from svc.clock import WallClock
from svc.domain.crypto.sealing import Sealer
from svc.domain.events import EVENT_TYPES
from svc.domain.net.client_addresses import parse_networks
from svc.domain.webhooks.subscriptions import SubscriptionSettings
from svc.storage import provisioning
from svc.storage.identity.organizations import NewOrganization
from svc.storage.sqlite.inline import inline_store
from svc.storage.sqlite.store import migrate_to_head
from svc.storage.store import Tx
from svc.storage.webhooks import webhooks

LOOPBACK: Final = parse_networks(["127.0.0.0/8"])

Got = tuple[str, str, str, int, float]
"""Delivery id, digest of the body, subject, number, and ms since it happened."""


@contextmanager
def receiver(ports: Sequence[int]) -> Iterator[None]:
    """A receiver at these ports, on the core of the load."""
    command = [*load_prefix(), sys.executable, "-m", "bench.peers.event_receiver", *map(str, ports)]
    process = subprocess.Popen(command, cwd=PROJECT)
    deadline = time.monotonic() + START_SECONDS_MAX
    try:
        while True:
            try:
                counts(ports[-1])
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)
            else:
                break
        yield
    finally:
        process.kill()
        process.wait()


def report(port: int) -> dict[str, list[Got]]:
    with closing(http.client.HTTPConnection("127.0.0.1", port)) as connection:
        connection.request("GET", "/report")
        return msgspec.json.decode(connection.getresponse().read(), type=dict[str, list[Got]])


class Counts(msgspec.Struct, frozen=True):
    """What came to `/count/NUMBER`."""

    deliveries: int = 0
    again: int = 0
    """Of these, those that had come to the same number before."""


def counts(port: int) -> Counts:
    with closing(http.client.HTTPConnection("127.0.0.1", port)) as connection:
        connection.request("GET", "/counts")
        return msgspec.json.decode(connection.getresponse().read(), type=Counts)


def make(path: Path, urls: Sequence[Sequence[str]]) -> None:
    """A database with an organization for each of *urls*, and a subscription at each of its addresses."""

    def fill(tx: Tx) -> None:
        for of_organization in urls:
            made = provisioning.create(tx, NewOrganization(name="Lamps"))
            for url in of_organization:
                settings = SubscriptionSettings(url=url, events=EVENT_TYPES)
                webhooks.create(tx, made.id, settings, allowed=LOOPBACK)

    async def filled() -> None:
        sealer = Sealer(SECRETS.sealing)
        async with inline_store(WallClock(), path, prepare=migrate_to_head, sealer=sealer) as store:
            await store.write(fill)

    trio.run(filled)


def life(path: Path, rate: float, seconds: float) -> list[str]:
    """The command of a service to which things happen."""
    given = [str(path), str(rate), str(seconds)]
    return [*server_prefix(), sys.executable, "-m", "bench._event_life", *given]
