"""One API key hammered by 512 connections: what other organizations feel of it.

Three honest clients of other organizations post forms, create records and list records, one request at a
time with a pause between; first in the calm, then while one key of another organization is flooded with
writes, and with reads. Once under the usual budget, where most of the flood is answered 429, and once with a
budget so high that every call of the flood is done.
"""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from statistics import median, quantiles
from typing import Final

import msgspec
import trio

from bench._client import Client
from bench._load import Load, finish_load, require_wrk, start_calls
from bench._machine import Server, free_port, is_ready, program, running, stand_aside
from bench._report import print_table
from bench._world import DATABASE, make_world, workspace
from svc.clock import WallClock
from svc.domain.identity.callers import Call, Caller, operator_call
from svc.domain.identity.roles import PERMISSIONS
from svc.domain.limits import CALLS_MAX
from svc.storage.identity import accounts, api_keys, members, organizations
from svc.storage.identity.accounts import NewAccount
from svc.storage.identity.api_keys import NewKey
from svc.storage.sqlite.inline import inline_store
from svc.storage.sqlite.store import migrate_to_head
from svc.storage.store import Tx

BUDGETS: Final = (CALLS_MAX, 100_000)
ORGANIZATIONS: Final = 22
FORMS: Final = 440
KEYS: Final = 10
"""Of each of the two organizations that call tools: an honest one stays within its budget."""
CONNECTIONS: Final = 512
SECONDS: Final = 8
RAMP_SECONDS: Final = 2
REST_SECONDS: Final = 2
PAUSE_SECONDS: Final = 0.01
WARM_UP_SECONDS: Final = 2

_CREATE: Final = b'{"objectType":"contact","properties":{"name":"Anna Petrova","city":"Kiel"}}'
_LIST: Final = b'{"objectType":"contact","limit":20}'
_OK: Final = 200

FLOODS: Final = {"record.create": _CREATE, "record.list": _LIST}


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


class Phase(msgspec.Struct, frozen=True):
    """What the honest clients felt, and the flood meanwhile, if there was one."""

    felt: list[Felt]
    flood: Load | None = None


def run() -> None:
    """Print calm and flooded figures under each budget."""
    require_wrk()
    stand_aside()
    for budget in BUDGETS:
        with workspace() as space:
            world = _make(space / "world")
            with _serving(world, budget) as server:
                _probe(server, world, seconds=WARM_UP_SECONDS)
                phases = {"calm": Phase(_probe(server, world, seconds=SECONDS))}
                for tool, key in zip(FLOODS, world.flooding_keys, strict=False):
                    phases[tool] = _flooded(server, world, tool, key)
        _show(budget, phases)


def _make(data: Path) -> World:
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
def _serving(world: World, budget: int) -> Iterator[Server]:
    port, operator_port = free_port(), free_port()
    command = [
        "env",
        f"SVC_TOOLS__CALLS_PER_MINUTE={budget}",
        *program(world.data, port, operator_port),
    ]

    def ready() -> bool:
        return is_ready(operator_port, world.data)

    with running(command, port, log=world.data.with_suffix(".log"), ready=ready) as server:
        yield server


def _flooded(server: Server, world: World, tool: str, key: str) -> Phase:
    bodies = world.data.with_name(f"{tool}.bodies")
    bodies.write_bytes(FLOODS[tool] + b"\n")
    url = f"http://127.0.0.1:{server.port}/api/v1/tools/{tool}"
    flood = start_calls(url, bodies, [key], seconds=RAMP_SECONDS + SECONDS + 1, connections=CONNECTIONS)
    time.sleep(RAMP_SECONDS)
    felt = _probe(server, world, seconds=SECONDS)
    load = finish_load(flood)
    time.sleep(REST_SECONDS)
    return Phase(felt, load)


def _probe(server: Server, world: World, *, seconds: float) -> list[Felt]:
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
        "record.create": call("record.create", _CREATE),
        "record.list": call("record.list", _LIST),
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


def _show(budget: int, phases: Mapping[str, Phase]) -> None:
    calm = {one.what: one for one in phases["calm"].felt}
    print_table(
        f"Other organizations, with a budget of {budget:,} calls a minute",
        ["", "flooded with", "p50 ms", "p99 ms", "p99, times", "refused", "of"],
        [
            [
                one.what,
                name,
                one.p50_ms,
                one.p99_ms,
                one.p99_ms / calm[one.what].p99_ms,
                str(one.refused),
                str(len(one.took_ms)),
            ]
            for name, phase in phases.items()
            for one in phase.felt
        ],
    )
    print_table(
        f"The flood itself: {CONNECTIONS} connections with one key",
        ["", "answers/s", "200", "429", "other", "broken"],
        [
            [name, flood.rate, str(flood.ok), str(flood.limited), str(flood.other), str(flood.broken)]
            for name, phase in phases.items()
            if (flood := phase.flood) is not None
        ],
    )


if __name__ == "__main__":
    run()
