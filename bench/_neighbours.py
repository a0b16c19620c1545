"""Organizations whose programs post forms, create records and list records, and what they feel of others.

Three honest clients, one request at a time each with a pause between.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from statistics import median, quantiles
from typing import Final

import msgspec
import trio

from bench._client import Client
from bench._machine import Server, free_port, is_ready, program, running
from bench._world import DATABASE, make_world
from svc.clock import WallClock
from svc.domain.identity.callers import Call, Caller, operator_call
from svc.domain.identity.roles import PERMISSIONS
from svc.storage.identity import accounts, api_keys, members, organizations
from svc.storage.identity.accounts import NewAccount
from svc.storage.identity.api_keys import NewKey
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
    return _mint(tx, first.id, "first"), _mint(tx, second.id, "second")


def _mint(tx: Tx, organization_id: str, name: str) -> list[str]:
    person = accounts.create(
        tx, NewAccount(email=f"{name}@owners.example", name="Owner", home_organization_id=organization_id)
    )
    members.add(tx, operator_call(organization_id), person.id, "owner")
    caller = Caller(
        organization_id=organization_id,
        kind="person",
        id=person.id,
        person_id=person.id,
        permissions=PERMISSIONS,
        confirmed_at=tx.now,
    )
    call = Call(caller=caller, door="app")
    return [api_keys.mint(tx, call, NewKey(name=f"Key {number}")).key for number in range(KEYS)]


@contextmanager
def serving(world: World, budget: int, operator_port: int | None = None) -> Iterator[Server]:
    port, operator_port = free_port(), operator_port or free_port()
    command = [
        "env",
        f"SVC_TOOLS__CALLS_PER_MINUTE={budget}",
        *program(world.data, port, operator_port),
    ]

    def ready() -> bool:
        return is_ready(operator_port, world.data)

    with running(command, port, log=world.data.with_suffix(".log"), ready=ready) as server:
        yield server


def probe(server: Server, world: World, *, seconds: float) -> list[Felt]:
    """What the honest clients feel, all three at once."""
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
        threading.Thread(target=lambda w=what, a=ask: felt.append(_ask(server.port, w, a, seconds)))
        for what, ask in asks.items()
    ]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    return sorted(felt, key=lambda one: one.what)


def _ask(port: int, what: str, ask: Callable[[], Request], seconds: float) -> Felt:
    took_ms, refused = [], 0
    deadline = time.monotonic() + seconds
    with Client(port, "content-type: application/json") as client:
        while time.monotonic() < deadline:
            path, body, headers = ask()
            began = time.perf_counter()
            status, _ = client.post(path, body, *headers)
            took_ms.append((time.perf_counter() - began) * 1e3)
            refused += status != _OK
            time.sleep(PAUSE_SECONDS)
    return Felt(what, took_ms, refused)
