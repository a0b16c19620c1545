"""Channels: messages that come in, replies that waiting bridges get, and the memory of many Outboxes."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median, quantiles
from typing import Final

import msgspec
import trio

from bench import _owners as owners
from bench._bridges import Facts, Line, Seen, pull_each
from bench._load import Load, finish_load, require_wrk, start_load
from bench._machine import Server, actors_live, free_port, is_ready, load_prefix, program, running, start
from bench._report import Target, print_table, print_targets, save
from bench._world import workspace
from svc.cli.data_directory import DataDirectory
from svc.clock import WallClock
from svc.domain.channels.connections import Account, Connection
from svc.domain.channels.limits import CONNECTIONS_MAX
from svc.domain.channels.messages import Author
from svc.domain.crypto.sealing import Sealer
from svc.storage import provisioning
from svc.storage.channels import connections, conversations, replying
from svc.storage.channels import keys as channel_keys
from svc.storage.channels.connections import NewConnection
from svc.storage.channels.replying import NewReply
from svc.storage.channels.rows import Conversation
from svc.storage.identity.organizations import NewOrganization
from svc.storage.sqlite.inline import inline_store
from svc.storage.sqlite.store import migrate_to_head
from svc.storage.store import Tx

DOOR: Final = "/api/channels/v1/channel.message.receive"
KEYS: Final = 400
"""Channel keys that messages come in with: each may call 600 times a minute."""
ROUNDS: Final = 3
SECONDS: Final = 6
CONNECTIONS: Final = 64
WAITING: Final = 1_000
CONVERSATIONS: Final = 4
REPLY_SECONDS: Final = 10
REPLIES_A_SECOND: Final = 200
OUTBOXES: Final = 10_000
SETTLE_SECONDS: Final = 3

EMPTY_SHARE_MIN: Final = 0.6
HANDED_P99_MS_MAX: Final = 25
AWAKE_MIB_MAX: Final = 150

OURS: Final = "svc, message received"
STOCK: Final = "empty route, stock hypercorn"
OWN: Final = "empty route, svc's server"


class Handed(msgspec.Struct, frozen=True):
    """How long replies took to the bridge that waited, ms."""

    written: int
    received: int
    p50_ms: float
    p99_ms: float
    max_ms: float
    whole_p99_ms: float
    """From the request of who wrote it."""


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What was found."""

    received: dict[str, list[Load]]
    handed: Handed
    before_mib: float
    awake_mib: float


def main() -> None:
    """Measure, print, and say which targets hold."""
    require_wrk()
    with workspace() as space:
        received = _receive(space / "receive")
        handed = _hand_out(space / "waiting")
        before, awake = _awake(space / "outboxes")
    _show(Found(received=received, handed=handed, before_mib=before, awake_mib=awake))


def _make(data: Path, many: int, *, waits: bool = False, conversations_each: int = 0) -> Facts:
    """A data directory with so many pull connections; where *waits*, each has a reply that waits."""
    directory = DataDirectory(data)
    directory.make()
    sealer = Sealer(directory.open_key().derive("sealing"))

    async def make() -> Facts:
        async with inline_store(
            WallClock(), directory.database, prepare=migrate_to_head, sealer=sealer
        ) as store:
            lines: list[Line] = []
            api_key = ""
            while len(lines) < many:
                share = min(many - len(lines), CONNECTIONS_MAX)
                key, made = await store.write(_fill, share, conversations_each, waits)
                api_key = api_key or key
                lines += made
            return Facts(0, api_key, lines)

    return trio.run(make)


def _fill(tx: Tx, many: int, conversations_each: int, waits: bool) -> tuple[str, list[Line]]:
    organization = provisioning.create(tx, NewOrganization(name="Bench", country="DE", plan="pro"))
    [key] = owners.mint(tx, owners.add(tx, organization.id), 1)
    return key, [_connect(tx, organization.id, conversations_each, waits) for _ in range(many)]


def _connect(tx: Tx, organization_id: str, conversations_each: int, waits: bool) -> Line:
    new = NewConnection(name="Shop", account=Account("organization"), messenger="telegram", delivery="pull")
    made, _ = connections.create(tx, organization_id, new)
    key = channel_keys.mint(tx, organization_id, made.id).key
    opened = [
        conversations.get_or_create(tx, organization_id, made.id, f"chat-{number}")
        for number in range(max(conversations_each, int(waits)))
    ]
    if waits:
        _write(tx, made, opened[0])
    return Line(key, [one.id for one in opened])


def _write(tx: Tx, connection: Connection, conversation: Conversation) -> None:
    author = Author(kind="member", name="Olga")
    replying.write(tx, connection, conversation, NewReply(text="Your lamp is ready."), author=author)


def _receive(data: Path) -> dict[str, list[Load]]:
    """Messages a second, durable, beside empty routes, in turns."""
    listed = data.with_suffix(".keys")
    listed.write_text("".join(f"{line.key} -\n" for line in _make(data, KEYS).lines))
    ports = {name: free_port() for name in (OURS, STOCK, OWN)}
    commands = {
        OURS: program(data, ports[OURS], free_port()),
        STOCK: [sys.executable, "-m", "bench.peers.quart_empty", "stock", str(ports[STOCK])],
        OWN: [sys.executable, "-m", "bench.peers.quart_empty", "svc", str(ports[OWN])],
    }
    with ExitStack() as stack:
        urls = {
            name: stack.enter_context(running(command, ports[name], log=data.with_suffix(".log"))).url
            for name, command in commands.items()
        }
        urls[OURS] = f"http://127.0.0.1:{ports[OURS]}{DOOR}"
        loads: dict[str, list[Load]] = {name: [] for name in commands}
        for seed in range(ROUNDS):
            for name, found in loads.items():
                wrk = start_load(
                    urls[name],
                    listed,
                    tail=f"m{seed}",
                    seconds=SECONDS,
                    connections=CONNECTIONS,
                    mode="messages",
                    seed=seed,
                )
                found.append(finish_load(wrk))
    for load in loads[OURS]:
        if load.limited + load.other + load.broken:
            raise SystemExit(f"messages were refused: {load}")
    return loads


@contextmanager
def _served(data: Path) -> Iterator[tuple[Server, int, int]]:
    """The program over *data*, ready, with its port and its operator's."""
    port, operator_port = free_port(), free_port()
    os.environ["SVC_SERVER__CONNECTIONS_MAX"] = "3000"
    os.environ["SVC_SERVER__WAITING_PER_ADDRESS_MAX"] = "3000"
    os.environ["SVC_TOOLS__CALLS_PER_MINUTE"] = "100000"
    server = start(
        program(data, port, operator_port),
        port,
        log=data.with_suffix(".log"),
        ready=lambda: is_ready(operator_port, data),
    )
    try:
        yield server, port, operator_port
    finally:
        server.stop()


def _hand_out(data: Path) -> Handed:
    """How long replies take to bridges of which each waits."""
    facts = _make(data, WAITING, conversations_each=CONVERSATIONS)
    listed = data.with_suffix(".facts")
    with _served(data) as (_, port, _):
        listed.write_bytes(msgspec.json.encode(msgspec.structs.replace(facts, port=port)))
        bridges = [sys.executable, "-m", "bench._bridges", str(listed)]
        done = subprocess.run(
            [*load_prefix(), *bridges, str(REPLY_SECONDS), str(REPLIES_A_SECOND)],
            stdout=subprocess.PIPE,
            check=True,
            timeout=120,
        )
    seen = msgspec.json.decode(done.stdout, type=Seen)
    if seen.pulling < WAITING or seen.answered.keys() - seen.received.keys():
        raise SystemExit(f"{len(seen.answered)} replies were written, {len(seen.received)} received")
    took = [(seen.received[text] - at) * 1_000 for text, at in seen.answered.items()]
    whole = [(seen.received[text] - at) * 1_000 for text, at in seen.asked.items() if text in seen.received]
    return Handed(
        written=len(seen.answered),
        received=len(seen.received),
        p50_ms=median(took),
        p99_ms=quantiles(took, n=100)[98],
        max_ms=max(took),
        whole_p99_ms=quantiles(whole, n=100)[98],
    )


def _awake(data: Path) -> tuple[float, float]:
    """Memory beside connections that sleep, and after each has handed out a reply."""
    facts = _make(data, OUTBOXES, waits=True)
    with _served(data) as (server, port, operator_port):
        time.sleep(SETTLE_SECONDS)
        before = server.rss_mib()
        trio.run(pull_each, port, facts.lines)
        awake = server.rss_mib()
        live = actors_live(operator_port, data, "Outbox")
    if live < OUTBOXES:
        raise SystemExit(f"{live} of {OUTBOXES} outboxes are awake")
    return before, awake


def _rate(loads: list[Load]) -> float:
    return median(load.rate for load in loads)


def _show(found: Found) -> None:
    print_table(
        "Messages received, durable, medians",
        ["", "a second", "p50 ms", "p99 ms"],
        [
            [
                name,
                _rate(loads),
                median(load.p50_ms for load in loads),
                median(load.p99_ms for load in loads),
            ]
            for name, loads in found.received.items()
        ],
    )
    handed = found.handed
    print_table(
        f"Replies to {WAITING:,} waiting bridges, {REPLIES_A_SECOND} a second",
        ["", "ms"],
        [
            ["from the answer to who wrote it, p50", handed.p50_ms],
            ["p99", handed.p99_ms],
            ["slowest", handed.max_ms],
            ["from the request, p99", handed.whole_p99_ms],
        ],
    )
    targets = [
        *(
            Target(
                name=f"messages received beside the {name}",
                figure=_rate(found.received[OURS]) / _rate(found.received[name]),
                bound=EMPTY_SHARE_MIN,
                at_least=True,
            )
            for name in (STOCK, OWN)
        ),
        Target(
            name="a reply handed to a waiting bridge, p99",
            figure=handed.p99_ms,
            bound=HANDED_P99_MS_MAX,
            unit="ms",
        ),
        Target(
            name=f"{OUTBOXES:,} outboxes awake, more than asleep",
            figure=found.awake_mib - found.before_mib,
            bound=AWAKE_MIB_MAX,
            unit="MiB",
        ),
    ]
    print_targets(targets)
    save("channels", found, targets)
