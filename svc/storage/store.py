"""The store: runs units of work, plain functions over a transaction, and answers when they are durable."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from enum import StrEnum
from typing import Concatenate, Final, ParamSpec, Protocol, TypeVar

import msgspec
import sqlalchemy as sa

from svc.domain.changes import Change
from svc.domain.crypto.sealing import Sealer
from svc.domain.errors import Unavailable
from svc.domain.ids import Ids
from svc.domain.randomness import SYSTEM, Randomness
from svc.domain.tool_results import Wait
from svc.histogram import Bucket
from svc.storage.statements import run_command

P = ParamSpec("P")
R = TypeVar("R")


class StoreError(Exception):
    """Base of the errors that the store itself raises."""


class StoreFull(StoreError, Unavailable):
    """Raised when a queue is full, the owner's or the whole. The unit was rejected: retry later."""

    outward = "too much waits to be written or read already"


class StoreClosed(StoreError, Unavailable):
    """Raised by a store that is closing or closed. The unit was rejected."""

    outward = "the service is shutting down"


class StoreFailed(StoreError, Unavailable):
    """Raised when the transaction around a unit was lost, and its work with it; the cause is chained.

    The cause was outside the unit: the disk, or another unit that took the whole batch with it.
    """

    outward = "the data cannot be written at the moment; nothing of this was kept"


class StoreUnreachable(StoreError, Unavailable):
    """Raised by a read while the database cannot be reached. Retry later."""

    outward = "the data cannot be read at the moment"


class StoreLost(StoreError):
    """Raised when the writer's thread ended inside a unit: it is unknown whether its work was committed.

    A retry might do the work twice, so a door answers 500 and no 503.
    """


class StoreInUse(StoreError):
    """Raised for a file that another process has open; *holder* is its process id, None if unknown."""

    def __init__(self, message: str, holder: int | None = None) -> None:
        super().__init__(message)
        self.holder = holder


class SchemaTooNew(StoreError):
    """Raised for data of a newer version. Start that version, or restore a backup made before it."""


def _always() -> bool:
    return True


def _never() -> bool:
    return False


class TakesLong(Exception):
    """Raised by a unit that finds, before it starts, that its reads take too long for the quick reader.

    Run it again with `Store.read_long`.
    """


class OutOfTime(Exception):
    """Raised by a unit that reads in parts, before another part, once its time is over."""


class View:
    """What a reading unit works with: a connection over one snapshot, and its time."""

    __slots__ = ("conn", "is_late", "now", "patient", "unindexed", "unindexed_submissions", "wait")

    def __init__(
        self, conn: sa.Connection, now: int, *, patient: bool = False, is_late: Callable[[], bool] = _never
    ) -> None:
        self.conn = conn
        self.is_late = is_late
        """Whether its caller has waited for longer than for a read that may be repeated later."""
        self.now = now
        """When the unit was submitted, ms since the epoch."""
        self.patient = patient
        self.unindexed: tuple[str, ...] = ()
        """Ids of properties that have no index yet, with which this had been quicker: see `listing.index`."""
        self.unindexed_submissions = False
        """Whether another block of submissions had made a search quicker: see `forms.search_blocks`."""
        self.wait: Wait | None = None
        """What this would wait for."""

    def expect_long(self) -> None:
        """Called before a read of very many rows. Raises `TakesLong` unless the view is patient."""
        if not self.patient:
            raise TakesLong

    def wait_for(self, key: str, seconds: float) -> None:
        """Have this read again once *key* is notified, or *seconds* are over; it never waits itself."""
        self.wait = Wait(key, seconds)


class Sources:
    """What the units of one store take ids, random bytes and the seal from."""

    __slots__ = ("ids", "mails", "random", "sealer")

    def __init__(
        self, random: Randomness = SYSTEM, sealer: Sealer | None = None, *, mails: bool = False
    ) -> None:
        self.ids = Ids(random)
        self.random = random
        self.sealer = sealer
        self.mails = mails


class Tx(View):
    """What a writing unit works with: a connection inside a transaction, its time, and a source of ids.

    A unit takes times, ids and random bytes from here alone, so it does the same again when it is given the
    same. It neither commits nor rolls back, and it does not catch database errors: some of them end the
    transaction. What may fail alone goes into a `savepoint`.
    """

    __slots__ = ("_sources", "changes", "has_time")

    def __init__(
        self, conn: sa.Connection, now: int, sources: Sources, has_time: Callable[[], bool] = _always
    ) -> None:
        super().__init__(conn, now, patient=True)
        self.changes: list[Change] = []
        self.has_time = has_time
        """Whether a unit that does its work in steps may take another: see `svc.storage.steps`."""
        self._sources = sources

    def new_id(self, prefix: str) -> str:
        """A new id such as `rec_01J8…`; it sorts after those that the store has made before."""
        return self._sources.ids.new(prefix, self.now)

    def random(self, size: int) -> bytes:
        """Random bytes, for keys, tokens and secrets."""
        return self._sources.random(size)

    @property
    def sealer(self) -> Sealer:
        """What secrets are sealed with; a store that serves is opened with one."""
        sealer = self._sources.sealer
        if sealer is None:
            raise RuntimeError("this store was opened without the installation's key")
        return sealer

    @property
    def mails(self) -> bool:
        """Whether a mail server is configured, so that mails may be queued."""
        return self._sources.mails

    def at(self, time: int) -> "Tx":
        """The same unit at another time, for data that is to be as if written then."""
        other = Tx(self.conn, time, self._sources, self.has_time)
        other.changes = self.changes
        return other

    def announce(self, change: Change) -> None:
        """Dispatch *change* to the listeners after the commit; it is dropped if the unit fails."""
        self.changes.append(change)

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """A part of the unit that may fail alone: what raises in it leaves nothing written or announced."""
        announced = len(self.changes)
        run_command(self.conn, "SAVEPOINT part")
        try:
            yield
            run_command(self.conn, "RELEASE part")  # inside: what was not waited for fails here
        except BaseException:
            del self.changes[announced:]
            run_command(self.conn, "ROLLBACK TO part")
            run_command(self.conn, "RELEASE part")
            raise


COMMIT_BOUNDS_SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0)
BATCH_BOUNDS_UNITS: Final = (1, 2, 4, 8, 16, 32, 64, 128, 256)
"""Upper bounds of the buckets below; the last bucket has none."""


class StoreStatistics(msgspec.Struct, frozen=True):
    """The store's counters, since it was opened."""

    queue_depth: int = 0
    """Units accepted that are in no batch yet."""
    foreground: int = 0
    """Writes and quick reads that were accepted, without `write_behind` and long reads."""
    requested: int = 0
    """Of these, those that requests wait for, or have waited for: without what actors do by themselves."""
    reads_waiting: int = 0
    """Reads not answered yet, long ones included."""
    batches: int = 0
    """Transactions committed."""
    batches_failed: int = 0
    """Transactions lost with all their units."""
    failure: str | None = None
    """Why writing fails; None from the first commit on that succeeds again."""
    failing_seconds: float | None = None
    """How long writing has failed."""
    units: int = 0
    """Units committed."""
    units_failed: int = 0
    """Units that raised, or were lost with their batch."""
    batch_units_last: int = 0
    batch_units_max: int = 0
    commit_seconds: float = 0.0
    """Time spent in COMMIT, which waits for the disk."""
    commit_seconds_max: float = 0.0
    commits: tuple[Bucket, ...] = ()
    """Transactions by how long their COMMIT took, in seconds."""
    batches_by_units: tuple[Bucket, ...] = ()
    """Transactions by how many units they had."""


class Owner(StrEnum):
    """Owners of units that are no organization's. Only the first two write."""

    SYSTEM = "system"
    """The owner of what runs alone: see `Store.alone`."""
    PEOPLE = "people"
    """People, their sessions, links, and attempts to sign in, of all organizations together."""
    HEALTH = "health"
    """Units that write nothing, and only show that the store completes one."""
    CREDENTIALS = "credentials"
    """The look-up of a key or a session's token."""
    FORMS = "forms"
    """The look-up of a form by its public key."""
    EMBEDS = "embeds"
    """The look-up of an embed by its public key."""
    HOSTS = "hosts"
    """The look-up of the sites on a host."""
    OUTBOXES = "outboxes"
    """The look-up of a connection's organization by its Outbox."""
    WEBHOOKS = "webhooks"
    """The first load of a Webhook, which reads the organization of its subscription."""


class Units(Protocol):
    """Runs the units of work of one owner. They are synchronous, do no I/O of their own, and are short."""

    async def read(
        self, fn: Callable[Concatenate[sa.Connection, P], R], *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """Run `fn(connection, *args)` over one snapshot of the committed data. It must be quick.

        Raises `StoreFull`, `StoreClosed`, and what *fn* raises.
        """
        ...

    async def read_long(
        self, fn: Callable[Concatenate[sa.Connection, P], R], *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """As `read`, in a lane of its own that does not delay quick reads: for exports and checks."""
        ...

    async def write(self, fn: Callable[Concatenate[Tx, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Run `fn(tx, *args)` and return its result once it is on disk; all of it is there, or nothing.

        A cancellation before the unit is accepted drops it; after that, the unit runs without its caller.
        An actor keeps waiting then: see `svc.wait_guard`.

        Raises:
            StoreFull, StoreClosed: the unit was rejected.
            StoreFailed: the transaction around it was lost.
            StoreLost: it is unknown whether the unit was committed.
            Exception: *fn* raised it.
        """
        ...

    async def write_behind(self, fn: Callable[Concatenate[Tx, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        """As `write`, for background work: a few such units are added to each commit.

        So a backlog of them does not delay other units, and each waits for a few commits at most.
        """
        ...


class Store(Units, Protocol):
    """Runs units of work, each under the owner whose rows it writes; which those are, a table says.

    - `of(organization_id)` writes rows of that organization, and no others.
    - `of(Owner.PEOPLE)` writes rows of people, and no others.
    - `alone` writes all else: rows of several organizations, of people and an organization, and the
      installation's own. As `Units`, a store is its own `alone`.

    Units of one owner never overlap, and run in the order in which they were submitted. Units of two owners
    may overlap; so what a unit reads of another owner's rows may be changed while it runs. Owners take turns:
    a backlog of one delays the units of another by a few units only.
    """

    def of(self, owner: str) -> Units:
        """Runs the units of *owner*: an organization's id, or an `Owner`; of reads, also a person's id."""
        ...

    @property
    def alone(self) -> Units:
        """Runs units while no unit of any owner runs. Every other unit waits for these, so they are rare."""
        ...

    def snapshot(
        self, fn: Callable[[sa.Connection], Iterator[R]]
    ) -> AbstractAsyncContextManager[AsyncIterator[R]]:
        """What `fn(connection)` yields, made one at a time over one snapshot, by a connection of its own.

        Neither writes nor reads of others wait for it. The database keeps in its log what is written
        meanwhile, so it is bounded by its caller. An error of *fn* is raised where the next is asked for.
        """
        ...

    def listen(self, listener: Callable[[Change], None]) -> None:
        """Call *listener* on the Trio thread with each announced change, in the order of the commits.

        It is called before the unit's caller goes on. It must neither block nor raise.
        """
        ...

    def statistics(self) -> StoreStatistics:
        """The store's counters."""
        ...

    async def aclose(self) -> None:
        """Reject new units, finish those accepted, and release the data."""
        ...
