"""A program to which things happen, killed on the way to its webhooks at one step after the other.

    python -m tests.actors.webhooks.crashing DIRECTORY

It prints a JSON object for each life. A step is a statement that the store's writer runs, a request right
before it is sent, or right after it was received; the process ends by SIGKILL there. Another life goes on.
Writer and sender go on beside each other, so no two lives have their steps in one order: the first life,
which is left alone, tells how often each step is taken, and then one is killed at each time of each step.
"""

import shutil
import sys
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import msgspec
import trio
from sqlalchemy import Connection, func, select

from svc.actors.change_dispatch import ChangeDispatcher
from svc.actors.kinds import KINDS
from svc.actors.outbound.client import OutboundHttp, PostResult
from svc.actors.reconciler import Reconciler
from svc.actors.system import System
from svc.clock import WallClock
from svc.domain.crypto.sealing import Sealer
from svc.storage import integrity, provisioning
from svc.storage import tables as root_tables
from svc.storage.identity import organizations
from svc.storage.identity.organizations import NewOrganization
from svc.storage.sqlite.engine import raw
from svc.storage.sqlite.store import migrate_to_head, open_store
from svc.storage.store import Store, Tx
from svc.storage.webhooks import tables
from tests.http.tools.crashing import Steps, forked, rehearse, told
from tests.town import SECRETS
from tests.webhooks import a_webhook, happen

SUBJECTS = ("rec_a", "rec_a", "rec_b")
WEBHOOKS = 1
DELIVERIES = len(SUBJECTS) * WEBHOOKS
PATIENCE_SECONDS = 10


class Got(msgspec.Struct, frozen=True):
    """A request that has arrived."""

    delivery_id: str
    url: str
    body: str


class Left(msgspec.Struct, frozen=True):
    """What is stored in the end."""

    states: list[tuple[str, str]]
    """Event and state of each delivery."""
    broken: list[str]
    """Promises of the data that are not kept."""


class Life(msgspec.Struct, frozen=True):
    """What came of a life that was to be killed at one step, and of the life after it."""

    at: str | None
    """The step at which it was killed, if it was."""
    got: list[Got]
    """In either life."""
    left: Left


class StepReceiver(OutboundHttp):
    """Takes everything. Sets `done` once it has taken so much as is *expected*."""

    def __init__(self, steps: Steps, expected: int) -> None:
        super().__init__()
        self._steps = steps
        self._expected = expected
        self.done = trio.Event()
        self._took(0)

    async def post(
        self, url: str, body: bytes, headers: Mapping[str, str], *, owner: str, seconds: float, now: int
    ) -> PostResult:
        self._steps.take("a request")
        self._steps.say(msgspec.json.encode(Got(headers["webhook-id"], url, body.decode())))
        self._steps.take("an answer")
        self._took(1)
        return PostResult(200)

    def _took(self, number: int) -> None:
        self._expected -= number
        if self._expected <= 0:
            self.done.set()


@asynccontextmanager
async def opened(path: Path, steps: Steps | None = None) -> AsyncIterator[Store]:
    def prepare(conn: Connection) -> None:
        migrate_to_head(conn)
        raw(conn).set_trace_callback(None if steps is None else steps.take)

    sealer = Sealer(SECRETS.sealing)
    async with open_store(path, WallClock(), prepare=prepare, sealer=sealer) as store:
        yield store


async def begin(path: Path) -> None:
    """Make the database, and subscriptions."""
    async with opened(path) as store:
        organization = await store.write(provisioning.create, NewOrganization(name="Lamps"))
        for number in range(WEBHOOKS):
            url = f"https://receiver.example/{number}"
            await store.write(a_webhook, organization.id, url=url)


async def live(path: Path, steps: Steps) -> None:
    """Let things happen that did not happen yet, and go on until all of it was taken."""
    async with opened(path, steps) as store:
        delivered = await store.read(count_delivered)
        receiver = StepReceiver(steps, DELIVERIES - delivered)
        system = System(KINDS, store, WallClock(), SECRETS, outbound_http=receiver)
        store.listen(ChangeDispatcher(system))
        async with system.live():
            for _ in range(3):  # what it does at first is done
                await Reconciler(system, "main").start()
            steps.armed = True
            await store.write(happen_once)
            with trio.fail_after(PATIENCE_SECONDS):
                await receiver.done.wait()
            await system.drain(PATIENCE_SECONDS)
        steps.armed = False


def happen_once(tx: Tx) -> None:
    if tx.conn.scalar(select(root_tables.events.c.id)) is None:
        [organization] = organizations.list_all(tx.conn)
        happen(tx, organization.id, *SUBJECTS)


def count_delivered(conn: Connection) -> int:
    column = tables.webhook_deliveries.c
    return conn.execute(select(func.count()).where(column.state == "delivered")).scalar_one()


async def look(path: Path) -> Left:
    def left(conn: Connection) -> Left:
        column = tables.webhook_deliveries.c
        rows = conn.execute(select(column.event_id, column.state).order_by(column.id))
        return Left(
            [(row.event_id, row.state) for row in rows],
            [one.promise for one in integrity.check(conn) if one.broken],
        )

    async with opened(path) as store:
        return await store.read_long(left)


async def _all(path: Path, pipe: int) -> None:
    await begin(path)
    await live(path, Steps(pipe, 0))
    await look(path)


def main(directory: Path) -> None:
    rehearse(directory, _all)
    fresh = directory / "fresh.db"
    told(partial(begin, fresh))
    steps, whole = lived(directory / "whole.db", fresh)
    say(whole)
    for name, times in Counter(steps).items():
        for number in range(1, times + 1):
            say(lived(directory / f"{name} {number}.db", fresh, number, name)[1])


def lived(path: Path, fresh: Path, last: int = 0, name: str | None = None) -> tuple[list[str], Life]:
    """The steps of a life killed at the *last*th of *name*, and what came of it and of the one after it."""
    shutil.copyfile(fresh, path)
    killed, first = forked(lambda pipe: live(path, Steps(pipe, last, name)))
    _, second = forked(lambda pipe: live(path, Steps(pipe, 0)))
    lines = [msgspec.json.decode(line) for line in first.splitlines()]
    later = [msgspec.json.decode(line) for line in second.splitlines()]
    steps = [line["step"] for line in lines if "step" in line]
    got = [msgspec.json.decode(line["said"], type=Got) for line in lines + later if "said" in line]
    left = msgspec.json.decode(told(partial(look, path)), type=Left)
    return steps, Life(steps[-1] if killed else None, got, left)


def say(life: Life) -> None:
    sys.stdout.write(msgspec.json.encode(life).decode() + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
