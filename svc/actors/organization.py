"""The Organization: admits its callers, files its submissions in sets, and has its lists indexed."""

from typing import Final

import msgspec
import structlog
from sqlalchemy import Connection

from svc.actors._core import Actor, Policy, Private, turn
from svc.actors.house import House
from svc.domain.access import Access, KeyFacts, admit_key, admit_person
from svc.domain.budgets import Allowance, Budgets
from svc.domain.callers import Caller
from svc.domain.errors import Unavailable
from svc.domain.limits import FILING_BATCH_MAX, KEY_USE_NOTED_MS
from svc.domain.sessions import Session
from svc.domain.times import MINUTE_MS, SECOND_MS
from svc.storage import access, api_keys, filing, record_index
from svc.storage.filing import Cabinet
from svc.storage.store import Tx, Units

log = structlog.get_logger("svc.actors.organization")

FILING_REST_MS: Final = 500
"""How long an organization rests between two filings. Under load its submissions are so filed in sets,
at a fraction of the cost of one by one; after a quiet while the first is filed at once."""

USES_REST_SECONDS: Final = 1.0
"""How long the uses of keys are gathered before they are written down together."""

RETRY_MS: Final = 2 * SECOND_MS
"""How long it waits when the store could not take a filing, or a part of an index."""

FAULT_RETRY_MS_MAX: Final = 5 * MINUTE_MS
"""How long it waits at most after a filing that failed for another reason: `RETRY_MS`, doubled each time."""


class Admission(msgspec.Struct, frozen=True):
    """A caller that was let in, and what was left of its budget."""

    caller: Caller
    allowance: Allowance


class OrganizationState(msgspec.Struct, kw_only=True):
    """What an organization keeps at hand. Times are ms since the epoch."""

    cabinet: Cabinet
    access: Private[Access]
    budgets: Private[Budgets]
    access_revision: int
    """Which of the house's revisions of its access this is."""
    uses: dict[str, int] = {}
    """Keys that were used and are not noted yet, by id, and when."""
    noted: dict[str, int] = {}
    """When the use of a key was noted last."""
    work: bool = False
    """Submissions may be due that no filing has seen yet."""
    filing: bool = False
    filing_faults: int = 0
    """Filings in a row that ended in a fault of ours, for an operator to see; the log has each."""
    rests_until: int = 0
    unindexed: set[str] = set()
    """Ids of properties that a list wanted the keys of, and that no unit of work has been told of."""
    indexing: bool = False


class Organization(Actor[House, OrganizationState]):
    """One organization. Its key is the organization's id."""

    policy = Policy(mailbox_max=512, idle_seconds=300)

    async def load(self) -> OrganizationState:
        """What is stored of it. Raises `NotFound`. What an earlier life left to file or to index is done."""
        self.wake.after(0)
        # Asked before the read: what is announced meanwhile only has it read once more.
        revision = self.system.access_revisions[self.key]
        budgets = Budgets(self.system.calls_per_minute)
        now = self.system.clock.now()
        state, index_is_begun = await self._units.read(_load, self.key, revision, budgets, now)
        if index_is_begun:
            self.index.after(0)
        return state

    @turn
    async def admit_key(self, digest: str) -> Admission:
        """Who calls with the key of that digest, and what they may do now. Raises `Unauthenticated`."""
        known, now = await self._access(), self.system.clock.now()
        caller = admit_key(known, digest, now)
        self._note_use(known.keys[digest], now)
        return self._admitted(caller, now)

    @turn
    async def admit_person(self, session: Session) -> Admission:
        """The signed-in person as a caller here. Raises `Unauthenticated`."""
        caller = admit_person(await self._access(), session.person_id, session.confirmed_at)
        return self._admitted(caller, self.system.clock.now())

    @turn
    async def note_uses(self) -> None:
        """Have it written down which keys were used, beside the turns."""
        self.start_soon(self._note_uses, self.state.uses)
        self.state.uses = {}

    @turn
    async def wake(self) -> None:
        """Submissions are due: file them, now or after the rest."""
        self.state.work = True
        self._go_on()

    @turn
    async def filed(self, *, more: bool, rest_ms: int) -> None:
        """A filing ended. There is *more* to file, and nothing is filed for *rest_ms*."""
        self.state.filing_faults = 0
        self._end_filing(more=more, rest_ms=rest_ms)

    @turn
    async def filing_failed(self) -> None:
        """A filing ended in a fault that is none of the store's: try again, later each time."""
        rest_ms = min(RETRY_MS << min(self.state.filing_faults, 16), FAULT_RETRY_MS_MAX)
        self.state.filing_faults += 1
        self._end_filing(more=True, rest_ms=rest_ms)

    @turn
    async def index(self, property_ids: tuple[str, ...] = ()) -> None:
        """Lists want the keys of these properties: make their indexes, and go on with what is begun."""
        state = self.state
        state.unindexed.update(property_ids)
        if not state.indexing:
            wanted, state.unindexed = state.unindexed, set()
            state.indexing = self.start_soon(self._index, wanted)

    @turn
    async def indexed(self, *, more: bool, rest_ms: int = 0) -> None:
        """A part of an index was made. There is *more*, and nothing is done for *rest_ms*."""
        self.state.indexing = False
        if more or self.state.unindexed:
            self.index.after(rest_ms / SECOND_MS)

    @property
    def _units(self) -> Units:
        """The store for this organization's units of work."""
        return self.system.store.of(self.key)

    async def _access(self) -> Access:
        """What decides who enters, as of the last commit, however long the call has waited here."""
        state = self.state
        revision = self.system.access_revisions[self.key]
        if state.access_revision != revision:
            now = self.system.clock.now()
            state.access = Private(await self._units.read(access.of_organization, self.key, now))
            state.access_revision = revision
        return state.access.value

    def _admitted(self, caller: Caller, now: int) -> Admission:
        caller = msgspec.structs.replace(caller, access_revision=self.state.access_revision)
        return Admission(caller, self.state.budgets.value.spend(caller.id, now))

    def _note_use(self, key: KeyFacts, now: int) -> None:
        """Remember that *key* was used, unless that was noted within the last minute."""
        noted_at = self.state.noted.get(key.id, key.last_used_at)
        if noted_at is None or not noted_at <= now < noted_at + KEY_USE_NOTED_MS:
            if not self.state.uses:
                self.note_uses.after(USES_REST_SECONDS)
            self.state.noted[key.id] = self.state.uses[key.id] = now

    async def _note_uses(self, uses: dict[str, int]) -> None:
        try:
            await self._units.write_behind(api_keys.note_uses, uses)
        except Unavailable as error:
            log.warning("the last use of keys was not noted", organization=self.key, why=repr(error))
        except Exception:
            log.exception("the last use of keys was not noted", organization=self.key)

    def _end_filing(self, *, more: bool, rest_ms: int) -> None:
        self.state.filing = False
        self.state.work |= more
        self.state.rests_until = self.system.clock.now() + rest_ms
        self._go_on()

    def _go_on(self) -> None:
        state = self.state
        if state.filing or not state.work:
            return
        rest_ms = state.rests_until - self.system.clock.now()
        if rest_ms > 0:
            self.wake.after(rest_ms / SECOND_MS)
            return
        state.filing = self.start_soon(self._file, state.cabinet)
        state.work = not state.filing

    async def _file(self, cabinet: Cabinet) -> None:
        """File what is due, beside the turns. Whatever becomes of it, callers are let in as before."""
        try:
            filed = await self._file_set(cabinet)
        except Unavailable as error:
            log.warning("filing has to wait", organization=self.key, why=repr(error))
            self.filed.tell(more=True, rest_ms=RETRY_MS)
        except Exception:
            log.exception("filing failed, and is tried again later", organization=self.key)
            self.filing_failed.tell()
        else:
            self.filed.tell(more=filed == FILING_BATCH_MAX, rest_ms=FILING_REST_MS)

    async def _file_set(self, cabinet: Cabinet) -> int:
        """File the oldest due submissions together; one by one where one of them spoils it for all."""
        try:
            return await self._units.write_behind(filing.file_due, cabinet)
        except Unavailable:
            raise
        except Exception:
            log.exception("filing a set failed; going one by one", organization=self.key)
            return await self._units.write_behind(filing.file_each_due, cabinet)

    async def _index(self, wanted: set[str]) -> None:
        """Make one part of one index, beside the turns."""
        try:
            more = await self._units.write_behind(_make_index, self.key, wanted)
        except Unavailable as error:
            # What was wanted is told again by the next list that wants it.
            log.warning("an index has to wait", organization=self.key, why=repr(error))
            self.indexed.tell(more=True, rest_ms=RETRY_MS)
        except Exception:
            log.exception("making an index failed; lists do without it", organization=self.key)
            self.indexed.tell(more=False)
        else:
            self.indexed.tell(more=more)


def _make_index(tx: Tx, organization_id: str, wanted: set[str]) -> bool:
    """Begin the indexes that are *wanted*, and add to one that is begun; whether there is more to do."""
    if wanted:
        record_index.want(tx, organization_id, wanted)
    return record_index.build(tx, organization_id)


def _load(
    conn: Connection, organization_id: str, revision: int, budgets: Budgets, now: int
) -> tuple[OrganizationState, bool]:
    """The state, and whether an index is begun and not done."""
    state = OrganizationState(
        cabinet=filing.cabinet(conn, organization_id),
        access=Private(access.of_organization(conn, organization_id, now)),
        access_revision=revision,
        budgets=Private(budgets),
    )
    return state, record_index.is_building(conn, organization_id)
