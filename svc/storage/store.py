"""The store: runs units of work, plain functions over a transaction, and answers when they are durable."""

from collections.abc import Callable
from enum import StrEnum
from typing import Concatenate, ParamSpec, Protocol, TypeVar

import msgspec
import sqlalchemy as sa

from svc.domain.changes import Change
from svc.domain.crypto.sealing import Sealer
from svc.domain.errors import Unavailable

P = ParamSpec("P")
R = TypeVar("R")


class StoreError(Exception):
    """The base of everything that the store itself raises."""


class StoreFull(StoreError, Unavailable):
    """Raised when too much waits already, of this owner or of all. Nothing was accepted: try again later."""

    outward = "too much waits to be written or read already"


class StoreClosed(StoreError, Unavailable):
    """Raised by a store that is closing or closed. Nothing was accepted."""

    outward = "the service is shutting down"


class StoreFailed(StoreError, Unavailable):
    """Raised when the transaction around a unit was lost, so its work is not there; the cause is chained.

    The cause was outside the unit: the disk, or another unit that took the whole batch with it.
    """

    outward = "the data cannot be written at the moment; nothing of this was kept"


class StoreLost(StoreError):
    """Raised when the writer broke off in the middle of a unit: whether its work is there, is not known.

    It is no refusal, so a door answers 500, which promises nothing.
    """


class StoreInUse(StoreError):
    """Raised for a file that another process has open, whose id is *holder*; None where it is not known."""

    def __init__(self, message: str, holder: int | None = None) -> None:
        super().__init__(message)
        self.holder = holder


class SchemaTooNew(StoreError):
    """Raised when a newer program wrote the data. Start that one, or restore a backup made before it."""


class TakesLong(Exception):
    """Raised by a unit that found, before doing it, that its work is too long for the quick reader.

    Nothing was done: run it again by `Store.read_long`.
    """


class View:
    """What a tool that reads gets: its connection, over one snapshot, and its time."""

    __slots__ = ("conn", "now", "patient", "unindexed")

    def __init__(self, conn: sa.Connection, now: int, *, patient: bool = False) -> None:
        self.conn = conn
        self.now = now
        """When the unit was handed in, milliseconds since the Unix epoch."""
        self.patient = patient
        self.unindexed: tuple[str, ...] = ()
        """Ids of properties whose keys would have made this quicker: see `record_index`."""

    def expect_long(self) -> None:
        """Say that what follows may look at very many rows. Raises `TakesLong` unless it may take long."""
        if not self.patient:
            raise TakesLong


class Tx(View):
    """What a unit of writing work gets: its connection, inside a transaction, and its time.

    A unit neither commits nor rolls back, and it lets database errors pass: after some of them there is no
    transaction left to go on in. It may use savepoints (`conn.begin_nested()`).
    """

    __slots__ = ("_sealer", "changes")

    def __init__(self, conn: sa.Connection, now: int, sealer: Sealer | None = None) -> None:
        super().__init__(conn, now, patient=True)
        self.changes: list[Change] = []
        self._sealer = sealer

    @property
    def sealer(self) -> Sealer:
        """What secrets are sealed with, for a store that was opened with it: one that serves is."""
        if self._sealer is None:
            raise RuntimeError("this store was opened without the installation's key")
        return self._sealer

    def announce(self, change: Change) -> None:
        """Have *change* told to the listeners after the commit; dropped if the unit fails."""
        self.changes.append(change)


class StoreStatistics(msgspec.Struct, frozen=True):
    """How the store is doing. Counts are since it was opened."""

    queue_depth: int = 0
    """Units accepted that no batch has taken up yet."""
    reads_waiting: int = 0
    """Reads asked for and not answered yet, long ones included."""
    batches: int = 0
    """Transactions committed."""
    batches_failed: int = 0
    """Transactions lost with all their units."""
    failure: str | None = None
    """Why not everything could be written; None from the first commit on that shows that it can."""
    failing_seconds: float | None = None
    """For how long that has been so."""
    units: int = 0
    """Units committed."""
    units_failed: int = 0
    """Units that raised, or were lost with their batch."""
    batch_units_last: int = 0
    batch_units_max: int = 0
    commit_seconds: float = 0.0
    """Time spent in COMMIT, where the disk is waited for."""
    commit_seconds_max: float = 0.0


class Owner(StrEnum):
    """Whose a unit is that belongs to no organization, or to one that is not known yet."""

    SYSTEM = "system"
    """The installation itself."""
    CREDENTIALS = "credentials"
    """The look-up of what a key or a session's token opens."""
    SIGN_IN = "sign-in"
    """Signing in, of people who are not known yet."""
    FORMS = "forms"
    """The look-up of a form by its public key."""
    EMBEDS = "embeds"
    """The look-up of an embed by its public key."""
    HOSTS = "hosts"
    """The look-up of the sites on a host, and the views of a host that several organizations track."""
    OUTBOXES = "outboxes"
    """What an Outbox does until its first look has found out whose connection it is."""


class Units(Protocol):
    """Runs the units of work of one owner. They are synchronous, do no I/O of their own, and are short."""

    async def read(
        self, fn: Callable[Concatenate[sa.Connection, P], R], *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """Run `fn(connection, *args)` over one snapshot of what is committed. It must be quick.

        Raises `StoreFull`, `StoreClosed`, and whatever *fn* raises.
        """
        ...

    async def read_long(
        self, fn: Callable[Concatenate[sa.Connection, P], R], *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """As `read`, but not in the way of the quick ones: for exports and checks."""
        ...

    async def write(self, fn: Callable[Concatenate[Tx, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Run `fn(tx, *args)` and return its result once it is on disk; all of it is there, or nothing.

        A caller that is cancelled before the unit is accepted leaves nothing; later, the unit goes on
        without it. An actor does not leave then: see `svc.wait_guard`.

        Raises `StoreFull`, `StoreClosed`, `StoreFailed`, `StoreLost`, and whatever *fn* raises.
        """
        ...

    async def write_behind(self, fn: Callable[Concatenate[Tx, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        """As `write`, for work that nobody outside waits for: a few such units go along with each commit.

        So a pile of them delays nobody who does wait, and each is delayed by a few commits at most.
        """
        ...


class Store(Units, Protocol):
    """Runs units of work: those of `of(owner)`, or as `Units` those of the installation itself.

    The units of one owner run in the order in which they were handed in, and the owners take turns: however
    many units of one wait, those of another wait for a few of them only.
    """

    def of(self, owner: str) -> Units:
        """What runs the units of *owner*: an organization's or a person's id, or an `Owner`."""
        ...

    def listen(self, listener: Callable[[Change], None]) -> None:
        """Call *listener* on the Trio thread with each announced change, in the order of the commits.

        It is called before the unit's caller goes on. It must neither block nor raise.
        """
        ...

    def statistics(self) -> StoreStatistics:
        """What the store has done and what waits."""
        ...

    async def aclose(self) -> None:
        """Refuse new work, finish what was accepted, and let go of the data."""
        ...
