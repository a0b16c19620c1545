"""The Organization: admits callers. It knows their access, counts their calls, and notes uses of keys."""

from typing import Final

import msgspec
import structlog

from svc.actors._core import Actor, Policy, Private, turn
from svc.actors.system import System
from svc.domain.errors import Unavailable
from svc.domain.identity.access import Access, KeyFacts, admit_key, admit_person
from svc.domain.identity.callers import Caller
from svc.domain.identity.sessions import Session
from svc.domain.limits import KEY_USE_NOTED_MS
from svc.domain.rate_limits.call_budgets import Allowance, Budgets
from svc.storage.identity import access, api_keys
from svc.storage.store import Units

log = structlog.get_logger("svc.actors.identity.organization")

USES_REST_SECONDS: Final = 1.0
"""How long the uses of keys are gathered before they are written down together."""


class Admission(msgspec.Struct, frozen=True):
    """A caller that was let in, and what was left of its budget."""

    caller: Caller
    allowance: Allowance


class OrganizationState(msgspec.Struct, kw_only=True):
    """What an Organization keeps in memory. Times are ms since the epoch."""

    access: Private[Access]
    budgets: Private[Budgets]
    access_revision: int
    """Which of the system's revisions of its access this is."""
    uses: dict[str, int] = {}
    """Keys that were used and are not noted yet, by id, and when."""
    noted: dict[str, int] = {}
    """When the use of a key was noted last."""


class Organization(Actor[System, OrganizationState]):
    """Admits the callers of one organization. Its key is the organization's id."""

    policy = Policy(mailbox_max=512, idle_seconds=300)

    async def load(self) -> OrganizationState:
        """Read what decides who may enter, and nothing else: calls wait for it. Raises `NotFound`."""
        # Asked before the read: what is announced meanwhile only has it read once more.
        revision = self.system.access_revisions[self.key]
        now = self.system.clock.now()
        return OrganizationState(
            access=Private(await self._units.read(access.load, self.key, now)),
            access_revision=revision,
            budgets=Private(Budgets(self.system.calls_per_minute)),
        )

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
            state.access = Private(await self._units.read(access.load, self.key, now))
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
