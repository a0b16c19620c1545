"""The Organization: admits its callers, and files its submissions in sets."""

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
from svc.domain.times import SECOND_MS
from svc.storage import access, api_keys, filing
from svc.storage.filing import Cabinet

log = structlog.get_logger("svc.actors.organization")

FILING_REST_MS: Final = 500
"""How long an organization rests between two filings. Under load its submissions are so filed in sets,
at a fraction of the cost of one by one; after a quiet while the first is filed at once."""

USES_REST_SECONDS: Final = 1.0
"""How long the uses of keys are gathered before they are written down together."""

RETRY_MS: Final = 2 * SECOND_MS
"""How long it waits when the store could not take a filing."""


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
    rests_until: int = 0


class Organization(Actor[House, OrganizationState]):
    """One organization. Its key is the organization's id."""

    policy = Policy(mailbox_max=512, idle_seconds=300)

    async def load(self) -> OrganizationState:
        """What is stored of it. Raises `NotFound`. Submissions left by an earlier life are filed."""
        self.wake.after(0)
        # Asked before the read: what is announced meanwhile only has it read once more.
        revision = self.system.access_revisions[self.key]
        budgets = Budgets(self.system.calls_per_minute)
        return await self.system.store.read(_load, self.key, revision, budgets, self.system.clock.now())

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
        self.state.filing = False
        self.state.work |= more
        self.state.rests_until = self.system.clock.now() + rest_ms
        self._go_on()

    async def _access(self) -> Access:
        """What decides who enters, as of the last commit, however long the call has waited here."""
        state = self.state
        revision = self.system.access_revisions[self.key]
        if state.access_revision != revision:
            now = self.system.clock.now()
            state.access = Private(await self.system.store.read(access.of_organization, self.key, now))
            state.access_revision = revision
        return state.access.value

    def _admitted(self, caller: Caller, now: int) -> Admission:
        caller = msgspec.structs.replace(caller, access_revision=self.state.access_revision)
        return Admission(caller, self.state.budgets.value.spend(caller.id, now))

    def _note_use(self, key: KeyFacts, now: int) -> None:
        """Remember that *key* was used, unless that was noted within the last minute."""
        noted_at = self.state.noted.get(key.id, key.last_used_at)
        if noted_at is None or now >= noted_at + KEY_USE_NOTED_MS:
            if not self.state.uses:
                self.note_uses.after(USES_REST_SECONDS)
            self.state.noted[key.id] = self.state.uses[key.id] = now

    async def _note_uses(self, uses: dict[str, int]) -> None:
        try:
            await self.system.store.write_behind(api_keys.note_uses, uses)
        except Unavailable as error:
            log.warning("the last use of keys was not noted", organization=self.key, why=repr(error))

    def _go_on(self) -> None:
        state = self.state
        if state.filing or not state.work:
            return
        rest_ms = state.rests_until - self.system.clock.now()
        if rest_ms > 0:
            self.wake.after(rest_ms / SECOND_MS)
            return
        state.work, state.filing = False, True
        self.start_soon(self._file, state.cabinet)

    async def _file(self, cabinet: Cabinet) -> None:
        """File what is due, beside the turns."""
        try:
            filed = await self._file_set(cabinet)
        except Unavailable as error:
            log.warning("filing has to wait", organization=self.key, why=repr(error))
            self.filed.tell(more=True, rest_ms=RETRY_MS)
        else:
            self.filed.tell(more=filed == FILING_BATCH_MAX, rest_ms=FILING_REST_MS)

    async def _file_set(self, cabinet: Cabinet) -> int:
        """File the oldest due submissions together; one by one where one of them spoils it for all."""
        store = self.system.store
        try:
            return await store.write_behind(filing.file_due, cabinet)
        except Unavailable:
            raise
        except Exception:
            log.exception("filing a set failed; going one by one", organization=self.key)
            return await store.write_behind(filing.file_each_due, cabinet)


def _load(
    conn: Connection, organization_id: str, revision: int, budgets: Budgets, now: int
) -> OrganizationState:
    return OrganizationState(
        cabinet=filing.cabinet(conn, organization_id),
        access=Private(access.of_organization(conn, organization_id, now)),
        access_revision=revision,
        budgets=Private(budgets),
    )
