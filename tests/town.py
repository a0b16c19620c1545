"""A small system for tests of time: the inline store, a mock clock's time, and one organization."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Final

import msgspec
import trio
from argon2 import PasswordHasher
from sqlalchemy import Connection, Table, func, select

from svc.actors.ai.upstreams import Upstreams
from svc.actors.change_dispatch import ChangeDispatcher
from svc.actors.forms.form_window import FormWindow, Post, Receipt
from svc.actors.identity.password_hashing import PasswordHashing
from svc.actors.kinds import KINDS
from svc.actors.mail.smtp import MailServer
from svc.actors.outbound.client import OutboundHttp
from svc.actors.reconciler import Reconciler
from svc.actors.system import Secrets, System
from svc.clock import VirtualClock
from svc.domain.ai.models import ModelCatalogue
from svc.domain.crypto.sealing import Sealer
from svc.domain.forms.forms import Form, NewForm
from svc.domain.identity.organizations import Organization
from svc.domain.limits import EVENT_LIFE_MS
from svc.domain.randomness import SYSTEM, Randomness
from svc.domain.scalars import Scalar
from svc.storage import provisioning
from svc.storage.files.contents import FileStore
from svc.storage.forms import forms
from svc.storage.forms.submissions import NewSubmission
from svc.storage.identity.organizations import NewOrganization
from svc.storage.sqlite.inline import inline_store
from svc.storage.store import Store, Tx
from svc.telemetry.spans import Tracer
from tests import tables
from tests.databases import ON_POSTGRESQL
from tests.empty_database import make_tables
from tests.lanes import Lanes, guarded

START = 1_789_689_600_000
"""When the tests begin: 2026-09-18T00:00:00Z."""

SECRETS = Secrets(sender=b"s" * 32, sealing=b"k" * 32)


HASHER = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
"""A cheap hasher, for tests that are not about hashing."""


async def _at_once(fn: Callable[..., Any], *args: Any, limiter: trio.CapacityLimiter) -> Any:
    """As `trio.to_thread.run_sync`, without the thread: a mock clock would run ahead of it."""
    async with limiter:
        return fn(*args)


PASSWORDS = PasswordHashing(HASHER, _at_once)


class Town:
    """A store with one organization, over which actor systems can be started one after the other."""

    def __init__(
        self, store: Store, clock: VirtualClock, organization: Organization, random: Randomness = SYSTEM
    ) -> None:
        self.store = store
        self.clock = clock
        self.organization = organization
        self.random = random
        self.outbound_http: OutboundHttp | None = None
        """The client for requests to third parties of the next system."""
        self.event_life_ms = EVENT_LIFE_MS
        """How long the next system keeps history."""
        self.models: ModelCatalogue | None = None
        """The AI models of the next system, and the clients of their providers."""
        self.upstreams: Upstreams | None = None
        self.files: FileStore | None = None
        """Where the next system keeps contents of files; in memory of its own by default."""
        self.exports: FileStore | None = None
        """Where the next system keeps files of exports; as `files`."""
        self.mail_server: MailServer | None = None
        """The mail server of the next system."""
        self.tracer: Tracer | None = None
        """What records the spans of the next system."""

    @asynccontextmanager
    async def live_system(self) -> AsyncIterator[System]:
        """A running system. It is not drained at the end, as in a crash."""
        system = System(
            KINDS,
            self.store,
            self.clock,
            SECRETS,
            PASSWORDS,
            outbound_http=self.outbound_http,
            models=self.models,
            upstreams=self.upstreams,
            random=self.random,
            event_life_ms=self.event_life_ms,
            files=self.files,
            exports=self.exports,
            mail_server=self.mail_server,
            tracer=self.tracer,
        )
        if self.models is not None:
            await system.ai.settlements.begin()
        async with system.live():
            self.store.listen(ChangeDispatcher(system))
            await Reconciler(system, "main").start()
            yield system

    async def form(self, **asked: Any) -> Form:
        return await self.store.write(
            forms.create, self.organization, NewForm(**({"name": "Contact us"} | asked))
        )

    async def count(self, table: Table, **where: Any) -> int:
        def counted(conn: Connection) -> int:
            matching = [table.c[name] == value for name, value in where.items()]
            return conn.execute(select(func.count()).select_from(table).where(*matching)).scalar_one()

        return await self.store.read(counted)

    async def rows(self, table: Table, **where: Any) -> list[Any]:
        """The rows of *table* that match, in the order of their ids."""

        def selected(conn: Connection) -> list[Any]:
            matching = [table.c[name] == value for name, value in where.items()]
            return list(conn.execute(select(table).where(*matching).order_by(*table.primary_key)))

        return await self.store.read(selected)

    @asynccontextmanager
    async def full_disk(self, table: Table) -> AsyncIterator[None]:
        """Make inserts into *table* fail as the database lets them when the disk is full."""
        commands = _FULL_DISK_POSTGRESQL if ON_POSTGRESQL else _FULL_DISK
        await self.store.write(_execute, commands, table.name)
        yield
        last = "DROP FUNCTION full_disk CASCADE" if ON_POSTGRESQL else "DROP TRIGGER full_disk"
        await self.store.write(_execute, [last], table.name)

    async def states(self) -> dict[str, int]:
        """The number of submissions in each state."""

        def counted(conn: Connection) -> dict[str, int]:
            state = tables.submissions.c.state
            return dict(conn.execute(select(state, func.count()).group_by(state)).tuples().all())

        return await self.store.read(counted)


# SQLite rolls the whole transaction back, and PostgreSQL only fails the statement.
_FULL_DISK: Final = (
    "CREATE TRIGGER full_disk BEFORE INSERT ON {} BEGIN SELECT RAISE(ROLLBACK, 'the disk is full'); END",
)
_FULL_DISK_POSTGRESQL: Final = (
    (
        "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS"
        " $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'disk_full', MESSAGE = 'the disk is full'; END $$"
    ),
    "CREATE TRIGGER full_disk BEFORE INSERT ON {} FOR EACH ROW EXECUTE FUNCTION full_disk()",
)


def _execute(tx: Tx, commands: Sequence[str], table: str) -> None:
    for command in commands:
        tx.conn.exec_driver_sql(command.format(table))


def _opened(
    clock: VirtualClock, prepare: Callable[[Connection], None], *, on_postgresql: bool, **options: Any
) -> AbstractAsyncContextManager[Store]:
    if not on_postgresql:
        return inline_store(clock, prepare=prepare, **options)
    from tests.postgresql_inline import postgresql_inline_store  # not what every run has to import

    return postgresql_inline_store(clock, **options)


@asynccontextmanager
async def town(
    start: int = START,
    random: Randomness = SYSTEM,
    *,
    mails: bool = False,
    on_postgresql: bool = ON_POSTGRESQL,
) -> AsyncIterator[Town]:
    """A town. With *mails*, its store takes mails to be sent by its `mail_server`.

    A unit of work that writes another owner's rows fails its test: see `tests.lanes`.
    """
    clock, sealer = VirtualClock(start), Sealer(SECRETS.sealing, random)
    lanes = Lanes()

    def prepare(conn: Connection) -> None:
        make_tables(conn)
        lanes.watch(conn)

    options = {"sealer": sealer, "random": random, "mails": mails}
    async with _opened(clock, prepare, on_postgresql=on_postgresql, **options) as store:
        asked = NewOrganization(name="Lamps & Co", country="DE", currency="EUR", locale="de_DE")
        yield Town(guarded(store, lanes), clock, await store.write(provisioning.create, asked), random)
    assert not lanes.faults, lanes.faults


def a_post(email: str = "ada@example.com", address: str = "192.0.2.1", **changes: Any) -> Post:
    values: dict[str, Scalar] = {"email": email, "message": "Hello"}
    return msgspec.structs.replace(
        Post(
            values=values,
            origin=None,
            address=address,
            visitor_address=None,
            user_agent="test",
            key_digest=None,
        ),
        **changes,
    )


def a_stored_one(form: Form, email: str | None = "ada@example.com", **changes: Any) -> NewSubmission:
    """A submission as the FormWindow stores it."""
    return msgspec.structs.replace(
        NewSubmission(
            organization_id=form.organization_id,
            form_id=form.id,
            queued=False,
            sender="0" * 32,
            visitors=(),
            email=email,
            phone=None,
            name=None,
            fields={"email": email},
            recognised=("email",),
            mapped={},
            dropped=0,
            spam=False,
        ),
        **changes,
    )


async def submit(system: System, form: Form, number: int, **changes: Any) -> Receipt:
    """Submit *form* as a person of its own for each *number*, with another e-mail and address."""
    address = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
    post = a_post(f"p{number}@example.com", address, **changes)
    return await FormWindow(system, form.form_key).submit(post)
