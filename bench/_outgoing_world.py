"""Two organizations that send to others' servers, and those servers: what one feels of the other's.

The honest one has a webhook, a provider of its own and people who are mailed; the servers of all three have
names, answer at once, and close each connection. What the hostile one has, the benches say.
"""

import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import cycle
from pathlib import Path
from statistics import median, quantiles
from typing import Any, Final

import msgspec
import trio
from aiosmtpd.controller import Controller

from bench import _owners as owners
from bench._client import Client
from bench._machine import Server, free_port, free_ports, is_ready, program, running
from bench._report import Target, print_table
from bench._world import DATABASE
from bench.peers.chat_upstream import WHOLE
from svc.cli.data_directory import DataDirectory
from svc.clock import WallClock
from svc.domain.ai.models import OwnModel
from svc.domain.crypto.sealing import Sealer
from svc.domain.identity.callers import operator_call
from svc.domain.net.client_addresses import parse_networks
from svc.domain.webhooks.subscriptions import SubscriptionSettings
from svc.storage import provisioning
from svc.storage.ai import providers
from svc.storage.ai.providers import NewProvider
from svc.storage.identity import accounts, members
from svc.storage.identity.accounts import NewAccount
from svc.storage.identity.organizations import NewOrganization
from svc.storage.sqlite.inline import inline_store
from svc.storage.sqlite.store import migrate_to_head
from svc.storage.store import Tx
from svc.storage.webhooks import webhooks

PERIOD_SECONDS: Final = 15.0
PAUSE_SECONDS: Final = 0.1
LATE_SECONDS: Final = 10.0
"""How long is waited for what has not arrived when the time is over."""
MAILS: Final = 10
"""In each phase: an address may ask for 20 resets in an hour."""
SLOW_SECONDS: Final = (5.0, 6.1, 7.2, 8.3, 9.4)
"""In turn, so that not all that hang answer at the same moment."""
KEYS: Final = 10
TIMES_MAX: Final = 2
GROWTH_MIB_MAX: Final = 64
CHAT: Final = b'{"model":"small","messages":[{"role":"user","content":"Which lamp?"}]}'
CREATE: Final = b'{"objectType":"contact","properties":{"name":"Anna Petrova","city":"Kiel"}}'
JSON: Final = "content-type: application/json"
_OK: Final = 200


class World(msgspec.Struct, frozen=True):
    """A data directory, and the keys of both organizations."""

    data: Path
    honest_key: str
    honest_gateway_key: str
    hostile_key: str
    hostile_gateway_keys: list[str]


class Felt(msgspec.Struct, frozen=True, kw_only=True):
    """How long the honest organization's requests took to arrive, or to be answered, in one phase."""

    what: str
    expected: int
    took_ms: list[float]

    @property
    def p50_ms(self) -> float:
        return median(self.took_ms) if self.took_ms else float("inf")

    @property
    def p99_ms(self) -> float:
        return quantiles(self.took_ms, n=100)[98] if len(self.took_ms) > 1 else float("inf")


class Servers:
    """The servers of both: `/take` and the provider answer at once, `/slow` after seconds; a mail server."""

    def __init__(self) -> None:
        self.deliveries_ms: list[float] = []
        """How long after its event each delivery arrived."""
        self.mails_at: list[float] = []
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.http.daemon_threads = True
        self.http.request_queue_size = 1_000
        self.mail = Controller(_Mails(self), hostname="127.0.0.1", port=free_port())

    @property
    def port(self) -> int:
        return int(self.http.server_address[1])

    @contextmanager
    def live(self) -> Iterator[None]:
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        self.mail.start()
        try:
            yield
        finally:
            self.mail.stop()
            self.http.shutdown()


class _Mails:
    def __init__(self, servers: Servers) -> None:
        self._servers = servers

    async def handle_DATA(self, *_: Any) -> str:  # noqa: N802  # the library's name
        self._servers.mails_at.append(time.monotonic())
        return "250 taken"


def _handler(servers: Servers) -> type[BaseHTTPRequestHandler]:
    slow = cycle(SLOW_SECONDS)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.path.startswith("/v1"):
                self.wfile.write(WHOLE.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n", 1))
                self.close_connection = True
                return
            if self.path == "/slow":
                time.sleep(next(slow))
            else:
                happened = datetime.fromisoformat(msgspec.json.decode(body)["timestamp"]).timestamp()
                servers.deliveries_ms.append((time.time() - happened) * 1e3)
            self.send_response(_OK)
            self.send_header("Content-Length", "0")
            self.send_header("Connection", "close")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    return Handler


def make(data: Path, port: int, *, hooks: Sequence[str] = (), provider: str | None = None) -> World:
    """Make the data directory at *data*; the hostile organization has these *hooks* and this *provider*."""
    directory = DataDirectory(data)
    directory.make()
    sealer = Sealer(directory.open_key().derive("sealing"))
    here = f"http://own.here.test:{port}"

    def fill(tx: Tx) -> World:
        honest, hostile = (
            provisioning.create(tx, NewOrganization(name=name, country="DE", plan="pro"))
            for name in ("Honest", "Hostile")
        )
        _hook(tx, honest.id, f"{here}/take")
        for url in hooks:
            _hook(tx, hostile.id, url)
        for organization, base_url in ((honest, f"{here}/v1"), (hostile, provider)):
            if base_url is not None:
                models = (OwnModel(id="small", upstream="small"),)
                new = NewProvider(name="own", base_url=base_url, key="sk-own", models=models)
                providers.set_one(tx, organization.id, new)
        for number in range(2 * MAILS):
            account = NewAccount(email=_email(number), name="Anna", home_organization_id=honest.id)
            members.add(tx, operator_call(honest.id), accounts.create(tx, account).id, "viewer")
        honest_owner, hostile_owner = owners.add(tx, honest.id), owners.add(tx, hostile.id)
        return World(
            data,
            owners.mint(tx, honest_owner, 1)[0],
            owners.mint(tx, honest_owner, 1, limited_to="ai.gateway")[0],
            owners.mint(tx, hostile_owner, 1)[0],
            owners.mint(tx, hostile_owner, KEYS, limited_to="ai.gateway"),
        )

    async def filled() -> World:
        async with inline_store(
            WallClock(), directory.database, prepare=migrate_to_head, sealer=sealer
        ) as store:
            return await store.write(fill)

    assert directory.database.name == DATABASE  # what the other benches count on
    return trio.run(filled)


def _hook(tx: Tx, organization_id: str, url: str) -> None:
    settings = SubscriptionSettings(url=url, events=("record.created",))
    webhooks.create(tx, organization_id, settings, allowed=parse_networks(["127.0.0.0/8"]))


def _email(number: int) -> str:
    return f"anna{number}@customers.example"


@contextmanager
def serving(world: World, servers: Servers) -> Iterator[Server]:
    """The program over *world*, with a resolver of its own: see `_dead_names`."""
    port, operator_port = free_ports(2)
    _, *options = program(world.data, port, operator_port)
    config = world.data.with_suffix(".toml")
    config.write_text(
        "[server]\nwaiting_per_address_max = 1000\n[tools]\ncalls_per_minute = 100000\n"
        '[outgoing]\nallowed_networks = ["127.0.0.0/8"]\n'
        f'[mail]\nserver = "mail.here.test"\nport = {servers.mail.port}\nsecurity = "none"\n'
        'sender = "Harbour Lamps <crm@harbour.example>"\n'
    )
    command = [sys.executable, "-m", "bench._dead_names", *options, f"--config={config}"]

    def ready() -> bool:
        return is_ready(operator_port, world.data)

    with running(command, port, log=world.data.with_suffix(".log"), ready=ready) as server:
        yield server


def probe(server: Server, world: World, servers: Servers, *, phase: int) -> list[Felt]:
    """What the honest organization feels: deliveries, calls of its own provider, and mails, all at once."""
    servers.deliveries_ms.clear()
    servers.mails_at.clear()
    asked_at: list[float] = []
    chats: list[float] = []
    counts = {"deliveries": 0, "calls": 0}

    def create(client: Client) -> None:
        status, _ = client.post("/api/v1/tools/record.create", CREATE)
        counts["deliveries"] += status == _OK

    def chat(client: Client) -> None:
        counts["calls"] += 1
        began = time.perf_counter()
        status, _ = client.post("/api/ai/v1/chat/completions", CHAT)
        if status == _OK:
            chats.append((time.perf_counter() - began) * 1e3)

    def reset(client: Client) -> None:
        if len(asked_at) < MAILS:
            body = msgspec.json.encode({"email": _email(phase * MAILS + len(asked_at))})
            asked_at.append(time.monotonic())
            client.post("/app/api/password-reset", body)
        time.sleep(PERIOD_SECONDS / MAILS - PAUSE_SECONDS)

    repeat_all(
        server.port,
        [(create, [world.honest_key]), (chat, [world.honest_gateway_key]), (reset, [None])],
        until=time.monotonic() + PERIOD_SECONDS,
    )
    deadline = time.monotonic() + LATE_SECONDS
    while time.monotonic() < deadline and (
        len(servers.deliveries_ms) < counts["deliveries"] or len(servers.mails_at) < len(asked_at)
    ):
        time.sleep(0.05)
    mails = [(came - asked) * 1e3 for asked, came in zip(asked_at, servers.mails_at, strict=False)]
    return [
        Felt(what="deliveries", expected=counts["deliveries"], took_ms=list(servers.deliveries_ms)),
        Felt(what="calls of its own provider", expected=counts["calls"], took_ms=chats),
        Felt(what="mails", expected=len(asked_at), took_ms=mails),
    ]


Doing = tuple[Callable[[Client], None], Sequence[str | None]]
"""What is done again and again, by a client for each of these keys."""


def repeat_all(port: int, doings: Sequence[Doing], *, until: float, pause: float = PAUSE_SECONDS) -> None:
    """Do all of it at once until then, in Python's monotonic time."""

    def repeat(do: Callable[[Client], None], key: str | None) -> None:
        headers = [JSON] if key is None else [JSON, f"authorization: Bearer {key}"]
        with suppress(OSError), Client(port, *headers) as client:
            while time.monotonic() < until:
                do(client)
                time.sleep(pause)

    threads = [threading.Thread(target=repeat, args=(do, key)) for do, keys in doings for key in keys]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@contextmanager
def abusing(port: int, doings: Sequence[Doing], *, seconds: float, pause: float) -> Iterator[None]:
    """Do it beside the block, which takes less than *seconds*."""
    abuse = threading.Thread(
        target=lambda: repeat_all(port, doings, until=time.monotonic() + seconds, pause=pause)
    )
    abuse.start()
    with ExitStack() as stack:
        stack.callback(abuse.join)
        yield


def show(title: str, calm: Sequence[Felt], busy: Sequence[Felt], grown_mib: float) -> list[Target]:
    """Print what was felt in both phases, and return what has to hold."""
    print_table(
        title,
        ["", "calm", "p50 ms", "p99 ms", "meanwhile", "p50 ms", "p99 ms", "p99, times"],
        [
            [
                before.what,
                f"{len(before.took_ms)} of {before.expected}",
                before.p50_ms,
                before.p99_ms,
                f"{len(one.took_ms)} of {one.expected}",
                one.p50_ms,
                one.p99_ms,
                one.p99_ms / before.p99_ms,
            ]
            for before, one in zip(calm, busy, strict=True)
        ],
    )
    return [
        *(
            Target(name=f"{one.what} that came to nothing", figure=one.expected - len(one.took_ms), bound=0)
            for one in busy
        ),
        *(
            Target(name=f"p99 of {one.what}, times calm", figure=one.p99_ms / before.p99_ms, bound=TIMES_MAX)
            for before, one in zip(calm, busy, strict=True)
            if one.what != "mails"  # too few for a p99
        ),
        Target(name="memory grown", figure=grown_mib, bound=GROWTH_MIB_MAX, unit="MiB"),
    ]
