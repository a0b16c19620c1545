"""SIGTERM while many pushes are due: how many begin after it, and what becomes of the others.

One connection pushes to a receiver on loopback that takes a second for each; many replies are due at once.
"""

import os
import signal
import sqlite3
import time
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Final

import trio

from bench._machine import free_port, is_ready, program, start
from bench._report import print_table
from bench._world import DATABASE, workspace
from svc.cli.data_directory import DataDirectory
from svc.clock import WallClock
from svc.domain.channels.connections import Account
from svc.domain.channels.messages import Author
from svc.domain.crypto.sealing import Sealer
from svc.storage import provisioning
from svc.storage.channels import connections, conversations, replying
from svc.storage.channels.connections import NewConnection
from svc.storage.channels.replying import NewReply
from svc.storage.identity.organizations import NewOrganization
from svc.storage.sqlite.inline import inline_store
from svc.storage.sqlite.store import migrate_to_head
from svc.storage.store import Tx

DUE: Final = 100
ANSWER_SECONDS: Final = 1.0
"""How long the receiver takes for one push."""
FIRST_SECONDS_MAX: Final = 20
END_SECONDS_MAX: Final = 40


class Receiver:
    """Answers each push with 200, late, and notes when it came."""

    def __init__(self) -> None:
        self.came: list[float] = []
        self.first = trio.Event()

    async def serve(self, stream: trio.SocketStream) -> None:
        async with stream:
            data = b""
            async for part in stream:
                data += part
                head, found, body = data.partition(b"\r\n\r\n")
                if found and len(body) >= int(
                    head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
                ):
                    self.came.append(time.monotonic())
                    self.first.set()
                    data = b""
                    await trio.sleep(ANSWER_SECONDS)
                    await stream.send_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")


def _fill(tx: Tx, url: str) -> None:
    organization = provisioning.create(tx, NewOrganization(name="Bench", country="DE", plan="pro"))
    new = NewConnection(
        name="Shop", account=Account("organization"), messenger="telegram", delivery="push", url=url
    )
    made, _ = connections.create(tx, organization.id, new)
    author = Author(kind="member", name="Olga")
    for number in range(DUE):
        opened = conversations.get_or_create(tx, organization.id, made.id, f"chat-{number}")
        replying.write(tx, made, opened, NewReply(text="Your lamp is ready."), author=author)


async def run() -> None:
    """Stop the service in the middle of its pushes, and print what was begun when."""
    with workspace() as space:
        receiver = Receiver()
        async with trio.open_nursery() as nursery:
            serve = partial(trio.serve_tcp, receiver.serve, 0, host="127.0.0.1")
            listeners = await nursery.start(serve)
            port: int = listeners[0].socket.getsockname()[1]
            data = space / "data"
            await _make(data, f"http://127.0.0.1:{port}/hook")
            stopped_at, took = await _stop_in_the_middle(data, receiver)
            nursery.cancel_scope.cancel()
        _show(data, receiver, stopped_at, took)


async def _make(data: Path, url: str) -> None:
    directory = DataDirectory(data)
    directory.make()
    sealer = Sealer(directory.open_key().derive("sealing"))
    async with inline_store(WallClock(), directory.database, prepare=migrate_to_head, sealer=sealer) as store:
        await store.write(_fill, url)


async def _stop_in_the_middle(data: Path, receiver: Receiver) -> tuple[float, float]:
    """When the signal was sent, and how long the end took, in seconds."""
    os.environ["SVC_OUTGOING__ALLOWED_NETWORKS"] = '["127.0.0.0/8"]'
    port, operator_port = free_port(), free_port()
    server = await trio.to_thread.run_sync(
        lambda: start(
            program(data, port, operator_port),
            port,
            log=data.with_suffix(".log"),
            ready=lambda: is_ready(operator_port, data),
        )
    )
    try:
        with trio.fail_after(FIRST_SECONDS_MAX):
            await receiver.first.wait()
        await trio.sleep(ANSWER_SECONDS / 2)
        stopped_at = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        await trio.to_thread.run_sync(server.process.wait, END_SECONDS_MAX)
    finally:
        server.process.kill()
    return stopped_at, time.monotonic() - stopped_at


def _show(data: Path, receiver: Receiver, stopped_at: float, took: float) -> None:
    before = sum(at < stopped_at for at in receiver.came)
    with closing(sqlite3.connect(data / DATABASE)) as database:
        kept = database.execute("SELECT count(*) FROM deliveries WHERE attempts > 0").fetchone()[0]
        waiting = database.execute("SELECT count(*) FROM replies WHERE state = 'waiting'").fetchone()[0]
    print_table(
        f"SIGTERM while {DUE} pushes are due",
        ("", "seen"),
        [
            ("under way at SIGTERM", before),
            ("begun after it", len(receiver.came) - before),
            ("kept how they went", kept),
            ("replies that wait for the next start", waiting),
            ("seconds until the end", round(took, 1)),
        ],
    )


if __name__ == "__main__":
    trio.run(run)
