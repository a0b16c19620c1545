"""A thousand embeds in rotation: fresh hits beside the same bytes of an empty route, refreshes, memory."""

import gzip
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Final

import httpx
import msgspec
import trio

from bench._load import Load, finish_load, require_wrk, start_load
from bench._machine import Server, free_port, is_ready, program, running, turns_taken
from bench._report import Target, print_table, print_targets, save
from bench._world import workspace
from svc.cli.data_directory import DataDirectory
from svc.clock import WallClock
from svc.domain.embeds.blocks import HeroBlock, RecordsBlock, TextBlock
from svc.domain.embeds.limits import EMBED_FRESH_MS
from svc.domain.records.properties import Property
from svc.domain.records.queries import Sort
from svc.storage import provisioning
from svc.storage.embeds import embeds
from svc.storage.identity.organizations import NewOrganization
from svc.storage.records import objects, properties
from svc.storage.records.writes.items import write_many
from svc.storage.records.writes.ways import Item
from svc.storage.sqlite.inline import inline_store
from svc.storage.sqlite.store import migrate_to_head
from svc.storage.store import Tx

EMBEDS: Final = 1_000
ORGANIZATIONS: Final = 50
RECORDS: Final = 30
"""Of each organization; a block shows twelve of them."""
ROUNDS: Final = 3
SECONDS: Final = 4
CONNECTIONS: Final = 64
STORM_SECONDS: Final = 8
REFRESHED_MIN: Final = 100
"""Embeds that must be made anew in the storm for it to be one."""
WARM_CONNECTIONS: Final = 8
SETTLE_SECONDS: Final = 2

SHARE_MIN: Final = 0.85
STORM_TIMES_MAX: Final = 3
WARM_KIB_MAX: Final = 64

EMBED: Final = "svc, 1,000 embeds, fresh"
STOCK: Final = "the same bytes, stock hypercorn and quart-trio"
OWN: Final = "the same bytes, Quart on svc's server"

_PROPERTIES: Final = (
    Property(slug="price", label="Price", type="amount"),
    Property(slug="material", label="Material", type="text"),
    Property(slug="watts", label="Watts", type="number"),
    Property(slug="next_batch", label="Next batch", type="date"),
)


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What was found."""

    rounds: dict[str, list[Load]]
    calm: list[Load]
    storms: list[Load]
    refreshed: list[int]
    """Embeds that were made anew in each storm; where that is not all of them, it went on behind it."""
    sleeping_mib: float
    """Resident, with a few embeds made, so that all that makes them is there."""
    warm_mib: float
    bytes_mib: float
    """What is kept of all embeds: JSON and HTML, each as it is and compressed."""
    answer_bytes: int

    def rate(self, server: str) -> float:
        return median(load.rate for load in self.rounds[server])

    @property
    def warm_kib(self) -> float:
        """What a warm embed takes beyond its bytes."""
        return (self.warm_mib - self.sleeping_mib - self.bytes_mib) * 1024 / EMBEDS


def main() -> None:
    """Measure, print, and say which targets hold."""
    require_wrk()
    with workspace() as space:
        found = _measure(space)
    _show(found)


def _measure(space: Path) -> Found:
    data = space / "embeds"
    keys = _make_embeds(data)
    listed = data.with_suffix(".paths")
    listed.write_text("".join(f"/api/e/{key} -\n" for key in keys))
    ports = {name: free_port() for name in (EMBED, STOCK, OWN)}
    operator_port = free_port()
    with ExitStack() as stack:
        svc = stack.enter_context(
            running(
                program(data, ports[EMBED], operator_port),
                ports[EMBED],
                log=data.with_suffix(".log"),
                ready=lambda: is_ready(operator_port, data),
            )
        )
        with httpx.Client(base_url=f"http://127.0.0.1:{svc.port}", headers={"accept-encoding": ""}) as client:
            for key in keys[: EMBEDS // ORGANIZATIONS]:
                client.get(f"/api/e/{key}").raise_for_status()
            answer = client.get(f"/api/e/{keys[0]}").content
            html = client.get(f"/api/e/{keys[0]}?format=html").content
        time.sleep(SETTLE_SECONDS)
        sleeping_mib = svc.rss_mib()
        body = data.with_suffix(".json")
        body.write_bytes(answer)
        servers = {EMBED: svc}
        for name, kind in ((STOCK, "stock"), (OWN, "svc")):
            command = [sys.executable, "-m", "bench.peers.quart_bytes", kind, str(ports[name]), str(body)]
            servers[name] = stack.enter_context(
                running(command, ports[name], log=data.with_name(f"{kind}.log"))
            )
        _warm(svc, listed)
        warmed = time.monotonic()
        warm_mib = svc.rss_mib()
        rounds: dict[str, list[Load]] = {name: [] for name in servers}
        for seed in range(ROUNDS):
            for name, loads in rounds.items():
                loads.append(_read(servers[name], listed, seed, SECONDS))
        calm, storms, refreshed = [], [], []
        for _ in range(ROUNDS):
            calm.append(_read(svc, listed, ROUNDS, STORM_SECONDS))
            # All were made within seconds, and have been refreshed by nobody: they grow stale together.
            time.sleep(max(0.0, warmed + EMBED_FRESH_MS / 1_000 - time.monotonic()))
            turns = turns_taken(operator_port, data, "EmbedCache")
            storms.append(_read(svc, listed, ROUNDS, STORM_SECONDS))
            refreshed.append(turns_taken(operator_port, data, "EmbedCache") - turns)
            if refreshed[-1] < REFRESHED_MIN:
                raise SystemExit(f"{refreshed[-1]} embeds were made anew: no storm")
            _warm(svc, listed)
            warmed = time.monotonic()
    kept = sum(len(one) + len(gzip.compress(one, 6)) for one in (answer, html)) * EMBEDS
    return Found(
        rounds=rounds,
        calm=calm,
        storms=storms,
        refreshed=refreshed,
        sleeping_mib=sleeping_mib,
        warm_mib=warm_mib,
        bytes_mib=kept / 2**20,
        answer_bytes=len(answer),
    )


def _make_embeds(data: Path) -> list[str]:
    """Make a data directory with the embeds, all much alike; returns their keys."""
    directory = DataDirectory(data)
    directory.make()
    directory.open_key()

    async def make() -> list[str]:
        async with inline_store(WallClock(), directory.database, prepare=migrate_to_head) as store:
            return await store.write(_fill)

    return trio.run(make)


def _fill(tx: Tx) -> list[str]:
    keys: list[str] = []
    for index in range(ORGANIZATIONS):
        organization = provisioning.create(
            tx, NewOrganization(name=f"Organization {index}", country="DE", currency="EUR", locale="de_DE")
        )
        objects.create(tx, organization.id, "lamp", "Lamp", "Lamps")
        for prop in _PROPERTIES:
            properties.create(tx, organization.id, "lamp", prop)
        objects.publish(tx, organization.id, "lamp", publishable=True)
        lamps = [
            Item(
                {
                    "name": f"Lamp {number:03}",
                    "price": 100.5 + number,
                    "material": "Brass",
                    "watts": number,
                    "next_batch": "2026-10-05",
                }
            )
            for number in range(RECORDS)
        ]
        lamp = objects.get(tx.conn, organization.id, "lamp")
        write_many(tx, organization, lamp, "create", lamps, source={"kind": "api"})
        keys += [_make_embed(tx, organization.id, number) for number in range(EMBEDS // ORGANIZATIONS)]
    return keys


def _make_embed(tx: Tx, organization_id: str, number: int) -> str:
    blocks = (
        HeroBlock(
            title="Light for long evenings", subtitle="Made to order", cta_label="Ask", cta_href="/ask"
        ),
        RecordsBlock(
            object_type="lamp",
            heading="In the workshop now",
            fields=("name", "price", "material", "watts", "next_batch"),
            sort=(Sort("price"),),
        ),
        TextBlock(heading="Delivery", body="Two days **within the country**, a week [elsewhere](/delivery)."),
    )
    return embeds.create(tx, organization_id, name=f"Embed {number}", blocks=blocks).embed_key


def _read(server: Server, listed: Path, seed: int, seconds: int) -> Load:
    load = finish_load(
        start_load(
            f"http://127.0.0.1:{server.port}/",
            listed,
            tail="",
            seconds=seconds,
            connections=CONNECTIONS,
            mode="get",
            seed=seed,
        )
    )
    if load.ok < load.requests or load.broken:
        raise SystemExit(f"not every answer was 200: {load}")
    return load


def _warm(server: Server, listed: Path) -> None:
    """Have every embed made, and a little more than that, so that all connections were everywhere."""
    finish_load(
        start_load(
            f"http://127.0.0.1:{server.port}/",
            listed,
            tail="",
            seconds=30,
            connections=WARM_CONNECTIONS,
            mode="get",
            posts_max=3 * EMBEDS,
        )
    )
    time.sleep(SETTLE_SECONDS)


def _show(found: Found) -> None:
    print_table(
        f"Reading {found.answer_bytes:,} bytes of JSON, {CONNECTIONS} connections, medians",
        ["", "answers/s", "p50 ms", "p99 ms"],
        [
            [
                name,
                found.rate(name),
                median(load.p50_ms for load in loads),
                median(load.p99_ms for load in loads),
            ]
            for name, loads in found.rounds.items()
        ],
    )
    print_table(
        f"Once all {EMBEDS:,} are stale, medians",
        ["", "answers/s", "p50 ms", "p99 ms", "max ms", "made anew"],
        [
            [
                name,
                median(load.rate for load in loads),
                median(load.p50_ms for load in loads),
                median(load.p99_ms for load in loads),
                max(load.max_ms for load in loads),
                made,
            ]
            for name, loads, made in (
                ("calm", found.calm, 0),
                ("storm", found.storms, median(found.refreshed)),
            )
        ],
    )
    print_table(
        f"Memory of {EMBEDS:,} warm embeds",
        ["", ""],
        [
            ["resident before, MiB", found.sleeping_mib],
            ["with all of them warm, MiB", found.warm_mib],
            ["their bytes, MiB", found.bytes_mib],
            ["each beyond its bytes, KiB", found.warm_kib],
        ],
    )
    targets = [
        Target(
            name=f"fresh hits beside {name}",
            figure=found.rate(EMBED) / found.rate(name),
            bound=SHARE_MIN,
            at_least=True,
        )
        for name in (STOCK, OWN)
    ]
    targets += [
        Target(
            name="p99 in the storm, times the calm one",
            figure=median(load.p99_ms for load in found.storms) / median(load.p99_ms for load in found.calm),
            bound=STORM_TIMES_MAX,
        ),
        Target(name="a warm embed beyond its bytes", figure=found.warm_kib, bound=WARM_KIB_MAX, unit="KiB"),
    ]
    print_targets(targets)
    save("embeds", found, targets)
