"""A program that dispatches an event and steps its run, killed on the way at one statement after another.

    python -m tests.actors.workflows.crashing DIRECTORY [STATEMENT…]

It prints a JSON object for each life. The process ends by SIGKILL right before a statement of the store's
writer, whichever or one that begins so; the next life goes on alone, from the rows. Each life is a fork of
this process.
"""

import shutil
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path

import msgspec
import structlog
import trio
from sqlalchemy import Connection, func, select

from svc.actors.change_dispatch import ChangeDispatcher
from svc.actors.kinds import KINDS
from svc.actors.reconciler import Reconciler
from svc.actors.system import System
from svc.clock import WallClock
from svc.storage import integrity, provisioning
from svc.storage.identity.organizations import NewOrganization
from svc.storage.metadata import metadata
from svc.storage.records import records
from svc.storage.sqlite.engine import raw
from svc.storage.sqlite.store import migrate_to_head, open_store
from svc.storage.store import Store, Tx
from tests.http.tools.crashing import Steps, forked, rehearse, told
from tests.people import a_member, call_of
from tests.town import SECRETS
from tests.workflows import NOTE, a_document, a_workflow

PATIENCE_SECONDS = 20
DOCUMENT = a_document(
    NOTE,
    {
        "key": "big",
        "type": "branch",
        "conditions": [{"property": "city", "op": "eq", "value": "Leeds"}],
        "then": [{"key": "pause", "type": "wait", "seconds": 1}],
    },
    {"key": "deal", "type": "create_deal", "name": "Lamp for {{record.name}}"},
    {"key": "title", "type": "update_record", "properties": {"job_title": "Lead"}},
    conditions=[{"property": "city", "op": "eq", "value": "Leeds"}],
)


Work = Callable[[Path, Steps | None], Awaitable[None]]
"""What a life does."""


class After(msgspec.Struct, frozen=True):
    """What the last life left."""

    rows: dict[str, int]
    runs: list[str]
    """Their states."""
    broken: list[str]
    """Promises of the data that are not kept."""


class Life(msgspec.Struct, frozen=True):
    """What came of a life that was to be killed before one statement."""

    killed: bool
    statements: list[str]
    after: After


class Some(Steps):
    """Counts the statements that begin with one of some texts."""

    def __init__(self, pipe: int, last: int, beginnings: tuple[str, ...]) -> None:
        super().__init__(pipe, last)
        self._beginnings = beginnings

    def take(self, what: str) -> None:
        if not self._beginnings or what.startswith(self._beginnings):
            super().take(what)


@asynccontextmanager
async def life(path: Path, steps: Steps | None = None) -> AsyncIterator[Store]:
    """The actors over the database at *path*."""

    def prepare(conn: Connection) -> None:
        migrate_to_head(conn)
        raw(conn).set_trace_callback(None if steps is None else steps.take)

    async with open_store(path, WallClock(), prepare=prepare) as store:
        system = System(KINDS, store, WallClock(), SECRETS)
        store.listen(ChangeDispatcher(system))
        async with system.live():
            await Reconciler(system, "main").start()
            yield store


async def begin(path: Path, fill: Callable[[Tx], None]) -> None:
    """Make the database, and *fill* it."""
    async with open_store(path, WallClock(), prepare=migrate_to_head) as store:
        await store.write(fill)


def _fill(tx: Tx) -> None:
    """An enabled workflow, and a contact whose event was not dispatched."""
    organization = provisioning.create(tx, NewOrganization(name="Lamps"))
    call = call_of(a_member(tx, organization.id, "owner@example.com"))
    a_workflow(tx, call, DOCUMENT)
    given = {"name": "Ada", "city": "Leeds"}
    records.create(tx, organization, "contact", given, source=call.source())


async def work(path: Path, steps: Steps | None = None) -> None:
    """Live until the run has ended."""
    async with life(path, steps) as store, armed(steps):
        await wait_done(store)


@asynccontextmanager
async def armed(steps: Steps | None) -> AsyncIterator[None]:
    """The time in which a life may be killed."""
    if steps is not None:
        steps.armed = True
    yield
    if steps is not None:
        steps.armed = False


async def wait_done(store: Store) -> None:
    """Wait until the run has ended."""
    with trio.fail_after(PATIENCE_SECONDS):
        while "done" not in await store.read(states):  # noqa: ASYNC110  # the actors tell nobody
            await trio.sleep(0.01)


async def finish(path: Path, work: Work = work) -> After:
    """Live until the run has ended, and tell what is there."""
    await work(path, None)
    async with life(path) as store:
        return await store.read_long(_after)


def states(conn: Connection) -> list[str]:
    return list(conn.scalars(select(metadata.tables["workflow_runs"].c.state)))


def _after(conn: Connection) -> After:
    def counted(name: str) -> int:
        return conn.execute(select(func.count()).select_from(metadata.tables[name])).scalar_one()

    names = ("records", "notes", "workflow_runs", "workflow_steps", "record_changes", "events", "approvals")
    audit = metadata.tables["audit"]
    by_workflow = select(func.count()).where(audit.c.caller_kind == "workflow")
    approved = select(func.count()).where(audit.c.asked_by.is_not(None))
    rows = {name: counted(name) for name in names} | {
        "audit": conn.execute(by_workflow).scalar_one(),
        "approved": conn.execute(approved).scalar_one(),
    }
    return After(rows, states(conn), [one.promise for one in integrity.check(conn) if one.broken])


def main(directory: Path, *beginnings: str, fill: Callable[[Tx], None] = _fill, work: Work = work) -> None:
    # What is logged, such as of a wakeup after the end of a life, is not among what is printed.
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))

    async def all_(path: Path, pipe: int) -> None:
        await begin(path, fill)
        await work(path, Some(pipe, 0, beginnings))
        await finish(path, work)

    rehearse(directory, all_)
    fresh = directory / "fresh.db"
    told(lambda: begin(fresh, fill))
    for number in count(1):
        path = directory / f"{number}.db"
        shutil.copyfile(fresh, path)
        killed, written = forked(lambda pipe: work(path, Some(pipe, number, beginnings)))  # noqa: B023
        lines = [msgspec.json.decode(line) for line in written.splitlines()]
        after = msgspec.json.decode(told(lambda: finish(path, work)), type=After)  # noqa: B023
        one = Life(killed, [line["step"] for line in lines if "step" in line], after)
        sys.stdout.write(msgspec.json.encode(one).decode() + "\n")
        path.unlink()
        if not killed:
            return


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
