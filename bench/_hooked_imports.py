"""An import whose events go to 20 webhooks that answer at once."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec
import trio

from bench._event_receivers import LOOPBACK, Counts, counts, receiver
from bench._import_jobs import BUDGET, LINES, POLL_SECONDS, Job
from bench._machine import free_ports
from bench._neighbours import Felt, World, probe, serving
from svc.cli.data_directory import DataDirectory
from svc.clock import WallClock
from svc.domain.crypto.sealing import Sealer
from svc.domain.webhooks.subscriptions import SubscriptionSettings
from svc.storage.identity import organizations
from svc.storage.sqlite.inline import inline_store
from svc.storage.store import Tx
from svc.storage.webhooks import webhooks

WEBHOOKS: Final = 20
IDLE_SECONDS_MAX: Final = 60
"""How long nothing may come before the deliveries are over."""


class Hooked(msgspec.Struct, frozen=True, kw_only=True):
    """An import whose events go to webhooks, which answer at once."""

    webhooks: int
    lines: int
    seconds: float
    """Until the import was done; its deliveries go on."""
    cpu_seconds: float
    delivered_seconds: float
    """Until the last delivery had come."""
    deliveries: int
    lost: int
    doubled: int

    @property
    def rate_of_core(self) -> float:
        """Records a second of the core's own time, deliveries meanwhile included."""
        return self.lines / self.cpu_seconds


def measure(world: World, file: Path, other: Path, seconds: float) -> tuple[Hooked, list[Felt]]:
    """Import *file*; then, while *other* is imported, what the clients of another organization feel."""
    ports = free_ports(WEBHOOKS)
    _subscribe(world, [f"http://127.0.0.1:{port}/count/{number}" for number, port in enumerate(ports)])
    with receiver(ports), serving(world, BUDGET) as server:
        job = Job(server, world)
        opened = job.upload(file)
        cpu, began = server.cpu_seconds(), time.monotonic()
        job.call("import.start", id=opened["id"])
        job.wait()
        took, cpu_seconds = time.monotonic() - began, server.cpu_seconds() - cpu
        came = _wait_delivered(ports[0])
        delivered_seconds = time.monotonic() - began
        job.call("import.start", id=job.upload(other)["id"])
        felt = probe(server, world, seconds=seconds)
        if job.call("import.get")["state"] != "running":
            raise SystemExit("the import with webhooks ended before the probe")
    hooked = Hooked(
        webhooks=WEBHOOKS,
        lines=LINES,
        seconds=took,
        cpu_seconds=cpu_seconds,
        delivered_seconds=delivered_seconds,
        deliveries=came.deliveries,
        lost=LINES * WEBHOOKS - (came.deliveries - came.again),
        doubled=came.again,
    )
    return hooked, felt


def _wait_delivered(port: int) -> Counts:
    came, idle_since = counts(port), time.monotonic()
    while came.deliveries < LINES * WEBHOOKS and time.monotonic() < idle_since + IDLE_SECONDS_MAX:
        time.sleep(POLL_SECONDS)
        before, came = came, counts(port)
        if came.deliveries > before.deliveries:
            idle_since = time.monotonic()
    return came


def _subscribe(world: World, urls: Sequence[str]) -> None:
    """Subscribe the organization that imports to new records, at each of *urls*."""
    directory = DataDirectory(world.data)
    sealer = Sealer(directory.open_key().derive("sealing"))

    def fill(tx: Tx) -> None:
        organization, *_ = organizations.list_all(tx.conn)
        for url in urls:
            settings = SubscriptionSettings(url=url, events=("record.created",))
            webhooks.create(tx, organization.id, settings, allowed=LOOPBACK)

    async def filled() -> None:
        async with inline_store(WallClock(), directory.database, sealer=sealer) as store:
            await store.write(fill)

    trio.run(filled)
