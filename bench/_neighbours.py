"""Organizations whose programs post forms, create records and list records, and what they feel of others.

Three honest clients, one request at a time each with a pause between.
"""

import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from statistics import median, quantiles
from types import MappingProxyType
from typing import Final

import msgspec
import trio

from bench import _owners as owners
from bench._client import Client
from bench._machine import Server, free_port, is_ready, program, running
from bench._report import Target, print_table
from bench._world import DATABASE, make_world
from svc.clock import WallClock
from svc.storage.identity import organizations
from svc.storage.sqlite.inline import inline_store
from svc.storage.sqlite.store import migrate_to_head
from svc.storage.store import Tx

ORGANIZATIONS: Final = 22
FORMS: Final = 440
KEYS: Final = 10
"""Of each of the two organizations that call tools: an honest one stays within its budget."""
PAUSE_SECONDS: Final = 0.01

CREATE: Final = b'{"objectType":"contact","properties":{"name":"Anna Petrova","city":"Kiel"}}'
LIST: Final = b'{"objectType":"contact","limit":20}'
_OK: Final = 200
NO_SETTINGS: Final[Mapping[str, str]] = MappingProxyType({})

Request = tuple[str, bytes, tuple[str, ...]]
"""A path, a body, and headers."""


class Felt(msgspec.Struct, frozen=True):
    """How long the requests of one honest client took, in one phase."""

    what: str
    took_ms: list[float]
    refused: int

    @property
    def p50_ms(self) -> float:
        return median(self.took_ms)

    @property
    def p99_ms(self) -> float:
        return quantiles(self.took_ms, n=100)[98]


def print_beside_calm(title: str, phase: str, calm: Sequence[Felt], busy: Sequence[Felt]) -> None:
    """Print what each client felt in a *phase* beside what it felt in the calm."""
    print_table(
        title,
        ["", "calm p50 ms", "p99 ms", f"{phase} p50 ms", "p99 ms", "p99, times", "refused"],
        [
            [one.what, before.p50_ms, before.p99_ms, one.p50_ms, one.p99_ms, times, str(one.refused)]
            for before, one, times in _beside(calm, busy)
        ],
    )


def times_calm(calm: Sequence[Felt], busy: Sequence[Felt], bound: float, phase: str = "") -> list[Target]:
    """Each client's p99, named with that *phase*, may be *bound* times that of the calm."""
    return [
        Target(
            name=f"p99 of {one.what}{phase and f' {phase}'}, times that of the calm",
            figure=times,
            bound=bound,
        )
        for _, one, times in _beside(calm, busy)
    ]


def _beside(calm: Sequence[Felt], busy: Sequence[Felt]) -> Iterator[tuple[Felt, Felt, float]]:
    before = {one.what: one for one in calm}
    for one in busy:
        yield before[one.what], one, one.p99_ms / before[one.what].p99_ms


class World(msgspec.Struct, frozen=True):
    """A data directory, and who calls there."""

    data: Path
    forms: list[str]
    honest_keys: list[str]
    flooding_keys: list[str]


def make(data: Path) -> World:
    listed = make_world(data, organizations_count=ORGANIZATIONS, forms_count=FORMS)
    lines = [line.split() for line in listed.read_text().splitlines()]

    async def make() -> tuple[list[str], list[str]]:
        async with inline_store(WallClock(), data / DATABASE, prepare=migrate_to_head) as store:
            return await store.write(_keys)

    flooding, honest = trio.run(make)
    forms = [
        key for key, customer in lines if customer.split("customers")[1] not in {"0.example", "1.example"}
    ]
    return World(data, forms, honest, flooding)


def _keys(tx: Tx) -> tuple[list[str], list[str]]:
    first, second, *_ = organizations.list_all(tx.conn)
    return (
        owners.mint(tx, owners.add(tx, first.id), KEYS),
        owners.mint(tx, owners.add(tx, second.id), KEYS),
    )


@contextmanager
def serving(
    world: World, budget: int, operator_port: int | None = None, settings: Mapping[str, str] = NO_SETTINGS
) -> Iterator[Server]:
    """The program over *world*, with *settings* in its environment."""
    port, operator_port = free_port(), operator_port or free_port()
    command = [
        "env",
        f"SVC_TOOLS__CALLS_PER_MINUTE={budget}",
        'SVC_OUTGOING__ALLOWED_NETWORKS=["127.0.0.0/8"]',
        *(f"{name}={value}" for name, value in settings.items()),
        *program(world.data, port, operator_port),
    ]

    def ready() -> bool:
        return is_ready(operator_port, world.data)

    with running(command, port, log=world.data.with_suffix(".log"), ready=ready) as server:
        yield server


def probe(server: Server, world: World, *, seconds: float, tls: ssl.SSLContext | None = None) -> list[Felt]:
    """What the honest clients feel, all three at once; they trust *tls* where the server has it."""
    forms, keys = cycle(world.forms), cycle(world.honest_keys)
    posts = iter(range(10**9))

    def form() -> Request:
        email = f"{next(posts)}.{time.time_ns()}@mail.example"
        values = {"name": "Anna Petrova", "email": email, "message": "Hello, please call back."}
        return "/api/f/s", msgspec.json.encode({"f": next(forms), "v": values}), ()

    def call(tool: str, body: bytes) -> Callable[[], Request]:
        return lambda: (f"/api/v1/tools/{tool}", body, (f"authorization: Bearer {next(keys)}",))

    asks = {
        "form": form,
        "record.create": call("record.create", CREATE),
        "record.list": call("record.list", LIST),
    }
    felt: list[Felt] = []
    clients = [
        threading.Thread(target=lambda w=what, a=ask: felt.append(_ask(server.port, w, a, seconds, tls)))
        for what, ask in asks.items()
    ]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    return sorted(felt, key=lambda one: one.what)


def _ask(
    port: int, what: str, ask: Callable[[], Request], seconds: float, tls: ssl.SSLContext | None
) -> Felt:
    took_ms, refused = [], 0
    deadline = time.monotonic() + seconds
    with Client(port, "content-type: application/json", tls=tls) as client:
        while time.monotonic() < deadline:
            path, body, headers = ask()
            began = time.perf_counter()
            status, _ = client.post(path, body, *headers)
            took_ms.append((time.perf_counter() - began) * 1e3)
            refused += status != _OK
            time.sleep(PAUSE_SECONDS)
    return Felt(what, took_ms, refused)
