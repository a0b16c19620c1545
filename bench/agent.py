"""A thousand conversations with a message each at once: all answered once, and what the tools feel of it."""

import json
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final

import msgspec
import trio

from bench import _owners as owners
from bench._client import Client
from bench._machine import Server, actors_live, free_port, is_ready, program, running, stand_aside
from bench._neighbours import Felt, World, make, print_beside_calm, probe, times_calm
from bench._report import Target, print_targets, save
from bench._world import DATABASE, workspace
from svc.clock import WallClock
from svc.domain.agent.agents import Agent
from svc.domain.agent.limits import AGENT_BEGINS_MS
from svc.domain.ai.money import MICRO
from svc.domain.channels.connections import Account
from svc.domain.limits import CALLS_MAX
from svc.domain.locale.times import SECOND_MS
from svc.storage.agent import agents
from svc.storage.ai import ledger
from svc.storage.channels import connections
from svc.storage.channels import keys as channel_keys
from svc.storage.channels.connections import NewConnection
from svc.storage.identity import organizations
from svc.storage.sqlite.inline import inline_store
from svc.storage.sqlite.store import migrate_to_head
from svc.storage.store import Tx

CONVERSATIONS: Final = 1_000
BRIDGES: Final = 4
"""Connections, whose bridges send at once: one key has a budget of 600 calls a minute."""
MODEL_SECONDS: Final = 0.2
SETTLE_SECONDS: Final = 3
PROBE_SECONDS: Final = 10
PATIENCE_SECONDS: Final = 180
P99_TIMES_MAX: Final = 3

_ANSWER: Final = json.dumps(
    {
        "id": "c",
        "object": "chat.completion",
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": "We do."}, "finish_reason": "stop"}
        ],
        "usage": {"prompt_tokens": 100, "completion_tokens": 5, "total_tokens": 105},
    }
).encode()
_CONFIG: Final = """
[[ai.providers]]
name = "near"
base_url = "http://127.0.0.1:{port}/v1"
key = "k"

[[ai.models]]
id = "small"
providers = ["near"]
input = "0.01"
output = "0.01"
context_tokens = 32000
output_tokens_max = 4096
"""


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What was found."""

    conversations: int
    sent_seconds: float
    """From the first message to the last."""
    answered_seconds: float
    """From the last message to the last reply."""
    replies: int
    doubled: int
    """Conversations with more than one reply, or with one before its message."""
    actors_after: int
    """Actors of agents that are left a while later."""
    calm: list[Felt]
    busy: list[Felt]


class _Model(BaseHTTPRequestHandler):
    """A provider of a model that thinks for a while."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        time.sleep(MODEL_SECONDS)
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(_ANSWER)))
        self.end_headers()
        self.wfile.write(_ANSWER)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


def main() -> None:
    """Measure, print, and say which targets hold."""
    stand_aside()
    with workspace() as space, _provider() as port:
        world = make(space / "world")
        config = space / "svc.toml"
        config.write_text(_CONFIG.format(port=port))
        keys = trio.run(_set_agents, world)
        operator_port = free_port()
        with _serving(world, operator_port, config) as server:
            time.sleep(SETTLE_SECONDS)
            probe(server, world, seconds=2)
            calm = probe(server, world, seconds=PROBE_SECONDS)
            felt: list[Felt] = []
            probing = threading.Thread(
                target=lambda: felt.extend(probe(server, world, seconds=PROBE_SECONDS))
            )
            probing.start()
            began = time.monotonic()
            _send_all(server.port, keys)
            sent = time.monotonic()
            _wait_answered(world.data)
            answered = time.monotonic()
            probing.join()
            time.sleep(15)  # longer than an idle actor stays
            actors = actors_live(operator_port, world.data, "AgentConversation")
        replies, doubled = _replies(world.data)
    _show(
        Found(
            conversations=CONVERSATIONS,
            sent_seconds=sent - began,
            answered_seconds=answered - sent,
            replies=replies,
            doubled=doubled,
            actors_after=actors,
            calm=calm,
            busy=felt,
        )
    )


@contextmanager
def _provider() -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Model)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()


@contextmanager
def _serving(world: World, operator_port: int, config: Path) -> Iterator[Server]:
    port = free_port()
    command = [
        "env",
        f"SVC_TOOLS__CALLS_PER_MINUTE={CALLS_MAX}",
        *program(world.data, port, operator_port),
        "--config",
        str(config),
    ]

    def ready() -> bool:
        return is_ready(operator_port, world.data)

    with running(command, port, log=world.data.with_suffix(".log"), ready=ready) as server:
        yield server


async def _set_agents(world: World) -> list[str]:
    """An agent on each connection of the organization whose tools are probed; their channel keys."""
    async with inline_store(WallClock(), world.data / DATABASE, prepare=migrate_to_head) as store:
        return await store.write(_agents)


def _agents(tx: Tx) -> list[str]:
    organization = organizations.list_all(tx.conn)[1]
    owner = owners.call_of_one(tx, organization.id).caller
    ledger.grant(tx, organization.id, 1_000 * MICRO, "for the bench")
    keys = []
    for number in range(BRIDGES):
        new = NewConnection(
            name=f"Bridge {number}", account=Account("organization"), messenger="other", delivery="pull"
        )
        connection, _ = connections.create(tx, organization.id, new)
        agents.save(
            tx,
            Agent(
                connection_id=connection.id,
                organization_id=organization.id,
                enabled=True,
                instructions="You answer for a shop that repairs lamps.",
                model="small",
                role_id="viewer",
                tools=None,
                daily_micro_credits=1_000 * MICRO,
                set_by=owner.id,
                created_at=tx.now,
                updated_at=tx.now,
            ),
        )
        keys.append(channel_keys.mint(tx, organization.id, connection.id).key)
    return keys


def _send_all(port: int, keys: list[str]) -> None:
    def send(key: str) -> None:
        with Client(port, "content-type: application/json", f"authorization: Bearer {key}") as client:
            for number in range(CONVERSATIONS // BRIDGES):
                message = {
                    "conversationId": f"chat-{number}",
                    "messageId": "m-1",
                    "direction": "in",
                    "text": "Do you repair brass lamps?",
                }
                status, body = client.post(
                    "/api/channels/v1/channel.message.receive", msgspec.json.encode(message)
                )
                if status != 200:  # the status of HTTP
                    raise SystemExit(f"a message was answered {status}: {body!r}")

    bridges = [threading.Thread(target=send, args=(key,)) for key in keys]
    for bridge in bridges:
        bridge.start()
    for bridge in bridges:
        bridge.join()


def _wait_answered(data: Path) -> None:
    """Return when no run is open. Ends the program if one did not reply, or they take too long."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    found: dict[str, int] = {}
    with closing(sqlite3.connect(f"file:{data / DATABASE}?mode=ro", uri=True)) as db:
        while time.monotonic() < deadline:
            found = dict(db.execute("SELECT state, count(*) FROM agent_runs GROUP BY state").fetchall())
            if found == {"replied": CONVERSATIONS}:
                return
            time.sleep(0.25)
        reasons = db.execute("SELECT reason, count(*) FROM agent_runs GROUP BY reason").fetchall()
    raise SystemExit(f"not all replied: {found}, {reasons}")


def _replies(data: Path) -> tuple[int, int]:
    """How many replies there are, and how many conversations are not a message and then a reply."""
    with closing(sqlite3.connect(f"file:{data / DATABASE}?mode=ro", uri=True)) as db:
        [replies] = db.execute("SELECT count(*) FROM replies").fetchone()
        said = db.execute(
            "SELECT conversation_id, direction FROM messages ORDER BY conversation_id, id"
        ).fetchall()
    by_conversation: dict[str, list[str]] = {}
    for conversation_id, direction in said:
        by_conversation.setdefault(conversation_id, []).append(direction)
    return int(replies), sum(found != ["in", "out"] for found in by_conversation.values())


def _show(found: Found) -> None:
    rate = found.conversations / max(found.answered_seconds - AGENT_BEGINS_MS / SECOND_MS, 0.001)
    print_beside_calm(
        f"The organization's own tools, while {found.conversations:,} conversations are answered",
        "busy",
        found.calm,
        found.busy,
    )
    print(
        f"sent in {found.sent_seconds:.1f} s, answered {found.answered_seconds:.1f} s later:"
        f" {rate:.0f} a second"
    )
    targets = [
        Target(name="replies", figure=found.replies, bound=found.conversations),
        Target(name="replies", figure=found.replies, bound=found.conversations, at_least=True),
        Target(name="conversations not answered once, and in order", figure=found.doubled, bound=0),
        Target(name="actors of agents, once all is answered", figure=found.actors_after, bound=0),
        *times_calm(found.calm, found.busy, P99_TIMES_MAX),
    ]
    print_targets(targets)
    save("agent", found, targets)


if __name__ == "__main__":
    main()
