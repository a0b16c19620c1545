"""SIGKILL under load, again and again: what was answered 200 is there afterwards, once, and gets filed."""

import asyncio
import random
import sqlite3
import sys
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

import msgspec

from bench._machine import Server, free_port, is_ready, program, start
from bench._report import print_table, save
from bench._world import DATABASE, counts, make_world, wait_filed, workspace

ORGANIZATIONS: Final = 100
FORMS: Final = 1_000
KILLS: Final = 10
CLIENTS: Final = 32
LOAD_SECONDS: Final = (0.3, 2.0)
"""Between the first post and the kill, at random."""
SEED: Final = 20_260_901
PATIENCE_SECONDS: Final = 10
_OK: Final = b"HTTP/1.1 200 "


class Posted:
    """What became of each post, by its e-mail address."""

    def __init__(self) -> None:
        self.answered: set[str] = set()
        """Answered 200: must be there."""
        self.refused: set[str] = set()
        """Answered otherwise: must not be there."""
        self.unknown: set[str] = set()
        """Cut off: may be there, once."""


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What was found after the last restart."""

    kills: int
    seed: int
    answered: int
    refused: int
    unknown: int
    unknown_stored: int
    lost: int
    """Answered 200 and not there."""
    doubled: int
    """There more than once, filed twice, or made into two contacts."""
    unasked: int
    """There, and refused or never posted."""
    unfiled: int
    """Neither filed nor held."""
    restart_seconds_max: float


async def post_until_cut(port: int, forms: list[str], posted: Posted, round_number: int) -> None:
    """Post from `CLIENTS` connections until the server is gone."""
    order = random.Random(round_number).sample(forms, len(forms))
    async with asyncio.TaskGroup() as clients:
        for client in range(CLIENTS):
            clients.create_task(_client(port, order[client::CLIENTS], posted, f"{round_number}.{client}"))


async def _client(port: int, forms: list[str], posted: Posted, name: str) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    count = 0
    with suppress(OSError, asyncio.IncompleteReadError), closing(writer):
        while True:
            email = f"{count}.{name}@mail.example"
            writer.write(_request(forms[count % len(forms)], email))
            posted.unknown.add(email)
            count += 1
            head = await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(_length(head))
            posted.unknown.remove(email)
            (posted.answered if head.startswith(_OK) else posted.refused).add(email)


def _request(form: str, email: str) -> bytes:
    body = msgspec.json.encode({"f": form, "v": {"name": "Anna Petrova", "email": email, "message": "Hello"}})
    return (
        b"POST /api/f/s HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
        b"content-length: %d\r\n\r\n%b" % (len(body), body)
    )


def _length(head: bytes) -> int:
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return int(line.partition(b":")[2])
    raise ValueError(head)


def main() -> None:
    """Kill, restart and count; ends with 1 on any loss."""
    with workspace() as space:
        data = space / "data"
        listed = make_world(data, organizations_count=ORGANIZATIONS, forms_count=FORMS)
        found = run(data, [line.split()[0] for line in listed.read_text().splitlines()])
    _show(found)
    save("crash", found)
    if found.lost or found.doubled or found.unasked or found.unfiled:
        sys.exit("submissions were lost or doubled")


def run(data: Path, forms: list[str]) -> Found:
    """Kill the program over *data* `KILLS` times, start it once more, and look at what is there."""
    moments = random.Random(SEED)
    posted = Posted()
    slowest = 0.0
    for number in range(KILLS):
        server, seconds = _start(data)
        slowest = max(slowest, seconds)
        asyncio.run(_load_and_kill(server, forms, posted, number, moments.uniform(*LOAD_SECONDS)))
    server, seconds = _start(data)
    wait_filed(data)
    server.stop()
    return _judge(data, posted, max(slowest, seconds))


def _start(data: Path) -> tuple[Server, float]:
    began = time.monotonic()
    port, operator_port = free_port(), free_port()
    server = start(
        program(data, port, operator_port),
        port,
        log=data.with_suffix(".log"),
        ready=lambda: is_ready(operator_port, data),
    )
    return server, time.monotonic() - began


async def _load_and_kill(
    server: Server, forms: list[str], posted: Posted, number: int, seconds: float
) -> None:
    loop = asyncio.get_running_loop()
    loop.call_later(seconds, server.process.kill)
    async with asyncio.timeout(seconds + PATIENCE_SECONDS):
        await post_until_cut(server.port, forms, posted, number)
    server.process.wait()


def _judge(data: Path, posted: Posted, slowest: float) -> Found:
    with closing(sqlite3.connect(f"file:{data / DATABASE}?mode=ro", uri=True)) as db:
        rows = db.execute("SELECT email, state FROM submissions").fetchall()
        [filings] = db.execute("SELECT count(*) FROM events WHERE type LIKE 'submission.%'").fetchone()
    emails = [email for email, _ in rows]
    there = set(emails)
    return Found(
        kills=KILLS,
        seed=SEED,
        answered=len(posted.answered),
        refused=len(posted.refused),
        unknown=len(posted.unknown),
        unknown_stored=len(posted.unknown & there),
        lost=len(posted.answered - there),
        doubled=len(emails) - len(there) + counts(data).doubled,
        unasked=len(there - posted.answered - posted.unknown),
        unfiled=sum(state not in {"filed", "held"} for _, state in rows) + abs(len(rows) - filings),
        restart_seconds_max=slowest,
    )


def _show(found: Found) -> None:
    print_table(
        f"{found.kills} times SIGKILL under load of {CLIENTS} clients (seed {found.seed})",
        ["", ""],
        [
            ["answered 200", str(found.answered)],
            ["refused", str(found.refused)],
            ["cut off", str(found.unknown)],
            ["cut off, and stored", str(found.unknown_stored)],
            ["answered 200 and lost", str(found.lost)],
            ["doubled", str(found.doubled)],
            ["stored without having been asked", str(found.unasked)],
            ["not filed", str(found.unfiled)],
            ["slowest restart, seconds", f"{found.restart_seconds_max:.2f}"],
        ],
    )
