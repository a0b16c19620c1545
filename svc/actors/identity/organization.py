"""The Organization: admits callers. It caches their access, limits their rate, and notes uses of keys.

It caches the AI models that the organization may run as well: each call of the gateway depends on them.
"""

from typing import Final

import msgspec
import structlog

from svc.actors._core import Actor, Policy, Private, turn
from svc.actors.system import System
from svc.domain.ai.models import OrganizationModels
from svc.domain.errors import Unavailable
from svc.domain.identity.access import (
    Access,
    GrantFacts,
    KeyFacts,
    admit_again,
    admit_grant,
    admit_key,
    admit_person,
)
from svc.domain.identity.callers import Caller
from svc.domain.identity.limits import KEY_USE_NOTED_MS
from svc.domain.identity.sessions import Session
from svc.domain.rate_limits.call_budgets import Allowance, Budgets
from svc.storage.ai import providers
from svc.storage.identity import access, api_keys, grants
from svc.storage.store import Tx, Units

log = structlog.get_logger("svc.actors.identity.organization")

USES_BATCH_SECONDS: Final = 1.0
"""How long uses of keys are collected before they are written in one batch."""


class Admission(msgspec.Struct, frozen=True):
    """An admitted caller, and the rest of its budget."""

    caller: Caller
    allowance: Allowance


class ModelAccess(msgspec.Struct, frozen=True):
    """A caller and the models of its organization, as of the last commit."""

    caller: Caller
    models: OrganizationModels
    models_revision: int
    """The number of the last change before the models were read; see `Revisions`."""


class OrganizationState(msgspec.Struct, kw_only=True):
    """The memory of an Organization. Times are ms since the epoch."""

    access: Private[Access]
    budgets: Private[Budgets]
    access_revision: int
    """The number of the last change before `access` was read; see `Revisions`."""
    models: Private[OrganizationModels] | None = None
    """None until a call of the AI gateway needs them."""
    models_revision: int = 0
    uses: dict[str, int] = {}
    """By the id of a key or grant: the time of a use that is not written yet."""
    noted: dict[str, int] = {}
    """By the id of a key or grant: the time of the last use that was noted."""


class Organization(Actor[System, OrganizationState]):
    """Admits the callers of one organization. Its key is the organization's id."""

    policy = Policy(mailbox_max=512, idle_seconds=300)

    async def load(self) -> OrganizationState:
        """Read the access, and nothing else, since calls are waiting for it. Raises `NotFound`."""
        now, revision = self.system.clock.now(), self.system.identity.access_revisions.last
        return OrganizationState(
            access=Private(await self._units.read(access.load, self.key, now)),
            access_revision=revision,
            budgets=Private(Budgets(self.system.calls.per_minute)),
        )

    @turn
    async def admit_key(self, digest: str) -> Admission:
        """Admit a call with the API key of *digest*, and spend its budget. Raises `Unauthenticated`."""
        organization_access, now = await self._access(), self.system.clock.now()
        caller = admit_key(organization_access, digest, now)
        self._note_use(organization_access.keys[digest], now)
        return self._admitted(caller, now)

    @turn
    async def admit_grant(self, grant_id: str) -> Admission:
        """Admit a call with a token of the grant, and spend its budget. Raises `Unauthenticated`."""
        organization_access, now = await self._access(), self.system.clock.now()
        caller = admit_grant(organization_access, grant_id, now)
        self._note_use(organization_access.grants[grant_id], now)
        return self._admitted(caller, now)

    @turn
    async def admit_person(self, session: Session) -> Admission:
        """Admit a call of the signed-in person, and spend their budget. Raises `Unauthenticated`."""
        caller = admit_person(await self._access(), session.person_id, session.confirmed_at)
        return self._admitted(caller, self.system.clock.now())

    @turn
    async def admit_to_models(self, caller: Caller) -> ModelAccess:
        """Admit a *caller* again, with the models of the organization. Raises `Unauthenticated`.

        This spends no budget: the caller's call was counted when it was first admitted.
        """
        revision, revisions = caller.access_revision, self.system.identity.access_revisions
        if revision is not None and revisions.changed(self.key, revision):
            admitted = admit_again(await self._access(), caller, self.system.clock.now())
            caller = msgspec.structs.replace(admitted, access_revision=self.state.access_revision)
        models = await self._models()
        return ModelAccess(caller, models, self.state.models_revision)

    @turn
    async def note_uses(self) -> None:
        """Write the collected uses of keys and grants, in a task."""
        self.start_soon(self._note_uses, self.state.uses)
        self.state.uses = {}

    @property
    def _units(self) -> Units:
        """The store for this organization's units of work."""
        return self.system.store.of(self.key)

    async def _access(self) -> Access:
        """The access as of the last commit, even if the call has waited in the mailbox."""
        state, revisions = self.state, self.system.identity.access_revisions
        if revisions.changed(self.key, state.access_revision):
            now, revision = self.system.clock.now(), revisions.last
            state.access = Private(await self._units.read(access.load, self.key, now))
            state.access_revision = revision
        return state.access.value

    async def _models(self) -> OrganizationModels:
        """The models as of the last commit, likewise."""
        state, revisions = self.state, self.system.ai.revisions
        if state.models is None or revisions.changed(self.key, state.models_revision):
            revision = revisions.last
            state.models = Private(await self._units.read(providers.load, self.key))
            state.models_revision = revision
        return state.models.value

    def _admitted(self, caller: Caller, now: int) -> Admission:
        caller = msgspec.structs.replace(caller, access_revision=self.state.access_revision)
        return Admission(caller, self.state.budgets.value.spend(caller.id, now))

    def _note_use(self, key: KeyFacts | GrantFacts, now: int) -> None:
        """Note a use of *key*, or of a grant, at most once a minute."""
        noted_at = self.state.noted.get(key.id, key.last_used_at)
        if noted_at is None or not noted_at <= now < noted_at + KEY_USE_NOTED_MS:
            if not self.state.uses:
                self.note_uses.after(USES_BATCH_SECONDS)
            self.state.noted[key.id] = self.state.uses[key.id] = now

    async def _note_uses(self, uses: dict[str, int]) -> None:
        try:
            await self._units.write_behind(_note_uses, uses)
        except Unavailable as error:
            log.warning("the last use of keys was not noted", organization=self.key, why=error)
        except Exception:
            log.exception("the last use of keys was not noted", organization=self.key)


def _note_uses(tx: Tx, uses: dict[str, int]) -> None:
    """Store when keys and grants were last used, by their ids."""
    of_grants = {id_: at for id_, at in uses.items() if id_.startswith("gra_")}
    if of_keys := {id_: at for id_, at in uses.items() if id_ not in of_grants}:
        api_keys.note_uses(tx, of_keys)
    if of_grants:
        grants.note_uses(tx, of_grants)
