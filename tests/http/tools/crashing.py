"""A program that calls a tool and is killed on the way, at one step after the other, and then calls it again.

    python -m tests.http.tools.crashing DIRECTORY

It prints a JSON object for each step. A step is a statement that the store's writer runs, or a message of the
answer on its way out; the process ends by SIGKILL right before it. The whole application is at work, over a
database on the disk. Each life is a fork of this process, which spares the time of its start.
"""

import gc
import os
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import count
from math import inf
from pathlib import Path
from typing import Any

import httpx
import msgspec
import structlog
import trio
from sqlalchemy import Connection, Table, func, select

from svc.actors.change_dispatch import ChangeDispatcher
from svc.actors.kinds import KINDS
from svc.actors.reconciler import Reconciler
from svc.actors.system import System
from svc.clock import WallClock
from svc.http.app import public_app
from svc.http.asgi import ASGIApp, Receive, Scope, Send
from svc.storage import integrity, provisioning
from svc.storage.commit import batch
from svc.storage.identity import api_keys
from svc.storage.identity.api_keys import NewKey
from svc.storage.identity.organizations import NewOrganization
from svc.storage.sqlite.engine import raw
from svc.storage.sqlite.store import migrate_to_head, open_store
from svc.storage.store import Store
from tests import tables
from tests.http.asking import client_of
from tests.people import a_member, call_of
from tests.town import SECRETS

CALL = {"objectType": "contact", "properties": {"name": "Ada", "email": "ada@example.com"}}
COUNTED = (tables.records, tables.record_changes, tables.events, tables.idempotency, tables.audit)


class Answer(msgspec.Struct, frozen=True):
    """What a call was answered."""

    status: int
    replayed: bool
    body: str


class After(msgspec.Struct, frozen=True):
    """What the next life found, and how it answered the same call, twice."""

    found: dict[str, int]
    """Rows by table, more than before the first call."""
    answers: list[Answer]
    left: dict[str, int]
    """Rows by table after that, more than before the first call."""
    broken: list[str]
    """Promises of the data that are not kept."""


class Step(msgspec.Struct, frozen=True):
    """What came of a life that was to be killed before one step."""

    killed: bool
    """Whether there was such a step."""
    steps: list[str]
    """Those that it took, and the one that it did not live to take."""
    said: str
    """The answer's body, where it was ready to leave."""
    after: After


class Steps:
    """Counts the steps of this process, and kills it before the *last* of them, or of those of one *name*."""

    def __init__(self, pipe: int, last: int, name: str | None = None) -> None:
        self._pipe = pipe
        self._last = last
        self._name = name
        self.armed = False

    def take(self, what: str) -> None:
        """One more, of which the first words of *what* tell."""
        if not self.armed:
            return
        name = " ".join(what.split()[:3])
        os.write(self._pipe, msgspec.json.encode({"step": name}) + b"\n")
        if self._name in {None, name}:
            self._last -= 1
            if self._last == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    def say(self, body: bytes) -> None:
        os.write(self._pipe, msgspec.json.encode({"said": body.decode()}) + b"\n")

    def before_sending(self, app: ASGIApp) -> ASGIApp:
        """*app*, whose messages are steps."""

        async def steps(scope: Scope, receive: Receive, send: Send) -> None:
            async def step(message: Any) -> None:
                if message["type"] == "http.response.body":
                    self.say(message["body"])
                self.take(message["type"])
                await send(message)

            await app(scope, receive, step)

        return steps


@asynccontextmanager
async def life(path: Path, steps: Steps | None = None) -> AsyncIterator[tuple[Store, httpx.AsyncClient]]:
    """The application over the database at *path*, at rest."""

    def prepare(conn: Connection) -> None:
        migrate_to_head(conn)
        raw(conn).set_trace_callback(None if steps is None else steps.take)

    # A unit in steps does all of them, so that nothing is left of it for later, however busy the machine is.
    batch.STEPS_SECONDS = inf  # type: ignore[misc]
    async with open_store(path, WallClock(), prepare=prepare) as store:
        system = System(KINDS, store, WallClock(), SECRETS)
        store.listen(ChangeDispatcher(system))
        async with system.live():
            for _ in range(3):  # what it does at first is done
                await Reconciler(system, "main").start()
            app = public_app(system)
            async with client_of(app if steps is None else steps.before_sending(app)) as client:
                yield store, client


async def ask(client: httpx.AsyncClient, key: str) -> Answer:
    headers = {"authorization": f"Bearer {key}", "idempotency-key": "k-1"}
    answer = await client.post("/api/v1/tools/record.create", json=CALL, headers=headers)
    return Answer(answer.status_code, "idempotent-replayed" in answer.headers, answer.text)


async def begin(path: Path) -> str:
    """Make the database, and a key."""
    async with life(path) as (store, _):
        organization = await store.write(provisioning.create, NewOrganization(name="Lamps"))
        owner = await store.write(a_member, organization.id, "owner@example.com")
        call = call_of(owner, confirmed_at=WallClock().now())
        return (await store.write(api_keys.mint, call, NewKey(name="A key"))).key


async def call_once(path: Path, key: str, steps: Steps) -> None:
    """The life that is to be killed."""
    async with life(path, steps) as (_, client):
        steps.armed = True
        await ask(client, key)
        steps.armed = False


async def call_again(path: Path, key: str) -> After:
    """The life after it."""
    async with life(path) as (store, client):
        found = await store.read(counts)
        answers = [await ask(client, key) for _ in range(2)]
        broken = await store.read_long(
            lambda conn: [one.promise for one in integrity.check(conn) if one.broken]
        )
        return After(found, answers, await store.read(counts), broken)


def counts(conn: Connection) -> dict[str, int]:
    def counted(table: Table) -> int:
        return conn.execute(select(func.count()).select_from(table)).scalar_one()

    return {table.name: counted(table) for table in COUNTED}


def forked(fn: Callable[[int], Awaitable[Any]]) -> tuple[bool, bytes]:
    """Run *fn*, which is handed the writing end of a pipe; whether it was killed, and what it wrote."""
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        try:
            trio.run(fn, writing)
        except BaseException:  # noqa: BLE001  # the parent must not go on twice
            sys.excepthook(*sys.exc_info())
            os._exit(1)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        written = pipe.read()
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    if status not in {0, -signal.SIGKILL}:
        raise SystemExit(status)
    return status != 0, written


def told(fn: Callable[[], Awaitable[Any]]) -> bytes:
    """What *fn* returns in a life of its own, as JSON."""

    async def tell(pipe: int) -> None:
        os.write(pipe, msgspec.json.encode(await fn()))

    return forked(tell)[1]


def rehearse(directory: Path, lives: Callable[[Path, int], Awaitable[Any]]) -> None:
    """Run *lives* in this process, with a database of their own and a pipe that leads nowhere.

    What they import and compile, all that are forked later have: that is half of what a short life costs.
    """
    with Path(os.devnull).open("wb") as pipe:
        trio.run(lives, directory / "rehearsal.db", pipe.fileno())
    gc.collect()
    gc.freeze()


async def _all(path: Path, pipe: int) -> None:
    key = await begin(path)
    await call_once(path, key, Steps(pipe, 0))
    await call_again(path, key)


def main(directory: Path) -> None:
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    rehearse(directory, _all)
    fresh = directory / "fresh.db"
    key = msgspec.json.decode(told(lambda: begin(fresh)), type=str)
    before = msgspec.json.decode(told(lambda: counted_at(fresh)), type=dict[str, int])
    for number in count(1):
        path = directory / f"{number}.db"
        shutil.copyfile(fresh, path)
        killed, written = forked(lambda pipe: call_once(path, key, Steps(pipe, number)))  # noqa: B023
        lines = [msgspec.json.decode(line) for line in written.splitlines()]
        after = msgspec.json.decode(told(lambda: call_again(path, key)), type=After)  # noqa: B023
        step = Step(
            killed,
            [line["step"] for line in lines if "step" in line],
            "".join(line["said"] for line in lines if "said" in line),
            msgspec.structs.replace(after, found=more(after.found, before), left=more(after.left, before)),
        )
        sys.stdout.write(msgspec.json.encode(step).decode() + "\n")
        if not killed:
            return


async def counted_at(path: Path) -> dict[str, int]:
    async with life(path) as (store, _):
        return await store.read(counts)


def more(now: dict[str, int], before: dict[str, int]) -> dict[str, int]:
    return {name: number - before[name] for name, number in now.items()}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
