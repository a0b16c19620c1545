"""300,000 records without indexes, and others' writes while indexes are built and events are pruned."""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median
from typing import Any, Final

import msgspec
import sqlalchemy as sa
import trio

from bench._lamps import database, fill, unit
from bench._report import Target, print_table
from bench._world import workspace
from svc.clock import WallClock
from svc.domain.limits import EVENT_LIFE_MS
from svc.domain.records.queries import Filter, Sort
from svc.storage import provisioning, retention, tables
from svc.storage.identity.organizations import NewOrganization
from svc.storage.identity.tables import organizations as organizations_table
from svc.storage.records import objects
from svc.storage.records import tables as record_tables
from svc.storage.records.listing import index_builds, lists
from svc.storage.sqlite.store import open_store
from svc.storage.store import Store, Tx

RECORDS: Final = 300_000
EVENTS: Final = 300_000
CALLS: Final = 20
WRITE_EVERY_SECONDS: Final = 0.003
CALM_SECONDS: Final = 2
_CHUNK: Final = 5_000
FIRST_MS_MAX: Final = 1_000.0
CONTAINS_MS_MAX: Final = 300.0
INDEX_SECONDS_MAX: Final = 60.0
PIECE_MS_MAX: Final = 20.0

_BY_PRICE: Final = {"sort": [Sort("price", "desc")]}
_WITHOUT_HIT: Final = {"filters": [Filter("name", "contains", "no lamp has this")]}


class FirstLists(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen, in ms, each p50 and the longest."""

    by_price: tuple[float, float]
    """A list sorted by a property without an index."""
    without_hit: tuple[float, float]
    """A filter `contains` that nothing passes, once its property has an index."""
    index_seconds: float
    """Until both properties had one."""
    index_pieces: tuple[float, float]
    """Units that built them, without their commits."""
    prune_seconds: float
    prune_pieces: tuple[float, float]
    """Units that pruned events, without their commits."""
    writes: dict[str, tuple[float, float]]
    """Another organization's writes: in the calm, and beside these."""


def measure() -> tuple[FirstLists, list[Target]]:
    """Print what was seen, and return it with the targets."""
    with workspace() as space:
        path = space / "svc.db"
        with database(path) as conn:
            first = fill(conn, RECORDS, indexed=False).id
            with unit(conn) as tx:
                other = provisioning.create(tx, NewOrganization(name="Others", country="DE")).id
            _add_events(conn, first)
        found = trio.run(_measure, path, first, other)
    writes: list[list[str | float]] = [
        [f"another's write, {when}", *took] for when, took in found.writes.items()
    ]
    print_table(
        f"{RECORDS:,} records, {EVENTS:,} old events: ms",
        ["", "p50", "longest"],
        [
            ["list sorted by a property without an index", *found.by_price],
            ["list, `contains` without a hit", *found.without_hit],
            [f"units of two indexes, done in {found.index_seconds:.0f} s", *found.index_pieces],
            [f"units of pruning, done in {found.prune_seconds:.0f} s", *found.prune_pieces],
            *writes,
        ],
    )
    return found, [
        Target(
            name="first sort by a property, longest", figure=found.by_price[1], bound=FIRST_MS_MAX, unit="ms"
        ),
        Target(
            name="contains without a hit, p50", figure=found.without_hit[0], bound=CONTAINS_MS_MAX, unit="ms"
        ),
        Target(name="two indexes built", figure=found.index_seconds, bound=INDEX_SECONDS_MAX, unit="s"),
        Target(name="a unit of an index, p50", figure=found.index_pieces[0], bound=PIECE_MS_MAX, unit="ms"),
        Target(name="a unit of pruning, p50", figure=found.prune_pieces[0], bound=PIECE_MS_MAX, unit="ms"),
    ]


def _add_events(conn: sa.Connection, organization_id: str) -> None:
    """Add dispatched events that are to be pruned."""
    old = round(time.time() * 1_000) - 2 * EVENT_LIFE_MS
    data = msgspec.json.encode({"record": {"properties": {"name": "x" * 100}}}).decode()
    for first in range(0, EVENTS, _CHUNK):
        with unit(conn, old) as tx:
            rows = [
                {
                    "id": tx.new_id("evt"),
                    "organization_id": organization_id,
                    "type": "record.created",
                    "at": old + number,
                    "data": data,
                    "subject": f"rec_{number}",
                    "object_type": "lamp",
                    "depth": 0,
                    "position": number + 1,
                }
                for number in range(first, first + _CHUNK)
            ]
            tx.conn.execute(sa.insert(tables.events), rows)


async def _measure(path: Path, first: str, other: str) -> FirstLists:
    async with open_store(path, WallClock()) as store:
        writes: dict[str, tuple[float, float]] = {}
        async with _writes(store, other, writes, "in the calm"):
            await trio.sleep(CALM_SECONDS)
        by_price = await _lists(store, first, _BY_PRICE)
        index_pieces: list[float] = []
        began = time.perf_counter()
        async with _writes(store, other, writes, "beside the building of indexes"):
            await store.write(_want, first)
            build = _timed(index_pieces, index_builds.build)
            while await store.of(first).write_behind(build, first):
                pass
        index_seconds = time.perf_counter() - began
        without_hit = await _lists(store, first, _WITHOUT_HIT)
        prune_pieces: list[float] = []
        began = time.perf_counter()
        async with _writes(store, other, writes, "beside pruning"):
            while overdue := await store.read_long(retention.find, WallClock().now(), EVENT_LIFE_MS):
                for owner, rows in overdue.by_owner.items():
                    prune = _timed(prune_pieces, retention.prune)
                    await store.of(owner).write_behind(prune, overdue.number, rows, EVENT_LIFE_MS)
        return FirstLists(
            by_price=by_price,
            without_hit=without_hit,
            index_seconds=index_seconds,
            index_pieces=_told(index_pieces),
            prune_seconds=time.perf_counter() - began,
            prune_pieces=_told(prune_pieces),
            writes=writes,
        )


def _want(tx: Tx, organization_id: str) -> None:
    columns = record_tables.properties.c
    of = sa.select(columns.id).where(
        columns.organization_id == organization_id, columns.slug.in_(["price", "name"])
    )
    index_builds.want(tx, organization_id, tx.conn.scalars(of).all())


async def _lists(store: Store, organization_id: str, asked: dict[str, Any]) -> tuple[float, float]:
    took: list[float] = []

    def list_(conn: sa.Connection) -> None:
        lists.list_page(conn, objects.get(conn, organization_id, "lamp"), country="DE", **asked)

    for _ in range(CALLS):
        began = time.perf_counter()
        await store.of(organization_id).read_long(list_)
        took.append((time.perf_counter() - began) * 1e3)
    return _told(took)


@asynccontextmanager
async def _writes(
    store: Store, organization_id: str, told: dict[str, tuple[float, float]], when: str
) -> AsyncIterator[None]:
    """Have another organization write again and again meanwhile, and tell how long it waited."""
    took: list[float] = []

    async def write() -> None:
        while True:
            began = time.perf_counter()
            await store.of(organization_id).write(_write, organization_id)
            took.append((time.perf_counter() - began) * 1e3)
            await trio.sleep(WRITE_EVERY_SECONDS)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(write)
        yield
        nursery.cancel_scope.cancel()
    told[when] = _told(took)


def _write(tx: Tx, organization_id: str) -> None:
    columns = organizations_table.c
    one = columns.id == organization_id
    tx.conn.execute(sa.update(organizations_table).where(one).values(version=columns.version + 1))


def _timed(took: list[float], work: Callable[..., Any]) -> Callable[..., Any]:
    def timed(*args: Any) -> Any:
        began = time.perf_counter()
        done = work(*args)
        took.append((time.perf_counter() - began) * 1e3)
        return done

    return timed


def _told(took: list[float]) -> tuple[float, float]:
    return median(took), max(took)
